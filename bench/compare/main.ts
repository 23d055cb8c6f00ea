/**
 * `npm run bench:compare -- <git ref>`: that commit and the working tree, alternating, measured by the same code. The
 * base runs twice in each round: the spread of its own results is the noise of the machine, and only a difference
 * beyond it counts.
 */
import { choice, count, optionalCount, parseOptions } from '../command-line/options.js';
import { headerLines, headerOf } from '../report/header.js';
import { CONTENDERS_FOLDER } from '../runner/contenders.js';
import { checkOut } from './check-out.js';
import { type Comparison, compareMemory, compareSync, compareWatch, type Figures } from './comparisons.js';
import { type Difference, differences, type Rounds } from './difference.js';

const HELP = `usage: npm run bench:compare -- <git ref> [--case sync|watch|memory] [--objects 20000] [--bytes 8200]
         [--rounds 9] [--warm-up 1] [--workers n] [--encoding auto|json|protobuf]
         [--page-size n]               of sync
         [--rate 5000] [--seconds 5]   of watch

Exits with code 1 if the working tree is worse than the commit by more than the measured noise.`;

const COMPARISONS = { sync: compareSync, watch: compareWatch, memory: compareMemory };

const [ref, ...args] = process.argv.slice(2);
if (ref === undefined || ref.startsWith('--')) {
  console.error(HELP);
  process.exit(ref === '--help' ? 0 : 2);
}
const {
  case: caseName = 'sync',
  rounds: roundCount,
  warmUp,
  ...settings
} = parseOptions(
  args,
  {
    case: choice(['sync', 'watch', 'memory']),
    objects: count(20_000),
    bytes: count(8200),
    rounds: count(9),
    warmUp: count(1, { min: 0 }),
    workers: optionalCount({ min: 0 }),
    pageSize: optionalCount(),
    encoding: choice(['auto', 'json', 'protobuf']),
    rate: count(5000),
    seconds: count(5),
  },
  HELP,
);

const base = checkOut(ref);
try {
  const comparison = await COMPARISONS[caseName](settings);
  try {
    const found = differences(await measure(comparison));
    const header = headerLines(headerOf('compare', [], ['npm run bench:compare --', ref, ...args].join(' ')));
    console.log([header.machine, header.commit, header.command].join('\n'));
    console.log(`base: ${ref} (${base.commit}); ${comparison.description}\n`);
    for (const difference of found) console.log(lineOf(difference));
    if (found.some(({ verdict }) => verdict === 'worse')) process.exitCode = 1;
  } finally {
    await comparison.close();
  }
} finally {
  base.remove();
}

async function measure(comparison: Comparison): Promise<Rounds> {
  const runs = [
    { contenders: base.contenders, figures: [] as Figures[] },
    { contenders: CONTENDERS_FOLDER, figures: [] as Figures[] },
    { contenders: base.contenders, figures: [] as Figures[] },
  ] as const;
  for (let round = -warmUp; round < roundCount; round++) {
    for (const { contenders, figures } of runs) {
      const measured = await comparison.measure(contenders);
      if (round >= 0) figures.push(measured);
    }
  }
  const [first, branch, again] = runs;
  return { base: first.figures, branch: branch.figures, baseAgain: again.figures };
}

function lineOf({ name, base: before, branch: after, change, noise, verdict }: Difference): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const short = (value: number): string => Number(value.toPrecision(4)).toString();
  const sign = change < 0 ? '' : '+';
  return `${name}: ${short(before)} -> ${short(after)}, ${sign}${percent(change)} (noise ${percent(noise)}): ${verdict}`;
}
