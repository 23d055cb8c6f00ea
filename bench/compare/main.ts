/**
 * `npm run bench:compare -- <git ref>`: `sync` of that commit and of the working tree, alternating, measured by the
 * same code. The base runs as two contenders: the spread of its own rounds is the noise of the machine, and only a
 * difference beyond it counts.
 */
import { count, optionalCount, parseOptions } from '../command-line/options.js';
import type { ContenderResult } from '../contenders/task.js';
import { headerLines, headerOf } from '../report/header.js';
import { kubeflect } from '../runner/contenders.js';
import { expectSame, plainly, runRounds } from '../runner/rounds.js';
import { embeddedServer } from '../servers/embedded.js';
import { checkOut } from './check-out.js';
import { type Difference, differences } from './difference.js';

const HELP = `usage: npm run bench:compare -- <git ref> [--objects 20000] [--bytes 8200] [--rounds 9] [--warm-up 1]
         [--workers n] [--page-size n]

Exits with code 1 if the working tree is slower or takes more memory than the commit, by more than the measured noise.`;

const [ref, ...args] = process.argv.slice(2);
if (ref === undefined || ref.startsWith('--')) {
  console.error(HELP);
  process.exit(ref === '--help' ? 0 : 2);
}
const { objects, bytes, rounds, warmUp, workers, pageSize } = parseOptions(
  args,
  {
    objects: count(20_000),
    bytes: count(8200),
    rounds: count(9),
    warmUp: count(1, { min: 0 }),
    workers: optionalCount({ min: 0 }),
    pageSize: optionalCount(),
  },
  HELP,
);

const base = checkOut(ref);
const server = await embeddedServer({ objects, bytes });
try {
  const branch = kubeflect();
  const ofBase = { ...branch, command: [process.execPath, base.contender] } as const;
  const expected = await server.expected();
  const results = await runRounds({
    contenders: [
      { ...ofBase, name: 'base' },
      { ...branch, name: 'branch' },
      { ...ofBase, name: 'base again' },
    ],
    task: { kubeConfig: server.kubeConfig, objects, workers, pageSize },
    rounds,
    warmUp,
    around: plainly,
    check: (name, result) => expectSame<ContenderResult>(name, result, expected),
  });
  const header = headerLines(headerOf('compare', [], ['npm run bench:compare --', ref, ...args].join(' ')));
  console.log([header.machine, header.commit, header.command].join('\n'));
  console.log(`base: ${ref} (${base.commit}); ${server.description}\n`);
  const resultsOf = (name: string): ContenderResult[] => results.get(name) ?? [];
  const found = differences([resultsOf('base'), resultsOf('base again')], resultsOf('branch'));
  for (const difference of found) console.log(lineOf(difference));
  if (found.some(({ verdict }) => verdict === 'worse')) process.exitCode = 1;
} finally {
  await server.close();
  base.remove();
}

function lineOf({ name, base: before, branch: after, change, noise, verdict }: Difference): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const sign = change < 0 ? '' : '+';
  return `${name}: ${before.toFixed(0)} -> ${after.toFixed(0)}, ${sign}${percent(change)} (noise ${percent(noise)}): ${verdict}`;
}
