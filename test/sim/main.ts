/** `npm run sim -- --seed N --steps M` replays one schedule; `--seeds K --from N` runs many. */

import { parseArgs } from 'node:util';
import { runSchedule, type ScheduleResult } from './schedule.js';
import { loadSubject } from './subject.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    steps: { type: 'string', default: '100' },
    seeds: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    sometimes: { type: 'boolean', default: false },
  },
});

const steps = Number(values.steps);
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const subject = await loadSubject(new URL('../../../dist/src/', import.meta.url));
const totals = new Map<string, number>();
let last: ScheduleResult | undefined;
let failed = 0;

for (let seed = first; seed < first + count; seed++) {
  last = await runSchedule({ seed, steps, subject, isPrinted: values.trace });
  for (const [name, times] of last.sometimes) totals.set(name, (totals.get(name) ?? 0) + times);
  if (last.violation === undefined) continue;
  failed++;
  if (!values.trace) for (const line of last.tail) console.log(line);
  console.log(`seed ${seed} failed: ${last.violation}`);
  console.log(`replay: npm run sim -- --seed ${seed} --steps ${steps} --trace`);
}
if (values.sometimes) for (const [name, times] of [...totals].sort()) console.log(`${times}\t${name}`);
if (count > 1) console.log(`${count} schedules, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
console.log(last?.hash);
