/** Whether time and memory per object stay the same as the collection grows. */
import { count, optionalCount } from '../command-line/options.js';
import type { ContenderResult } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { LinePlot } from '../report/plots.js';
import type { Report, Verdict } from '../report/report.js';
import { kubeflect } from '../runner/contenders.js';
import { expectSame, plainly, runRounds } from '../runner/rounds.js';
import { embeddedServer } from '../servers/embedded.js';
import { type BenchCase, defineCase } from './case.js';

/** By the number of objects. */
type ScaleResults = ReadonlyMap<number, readonly ContenderResult[]>;

const MIN_OBJECTS = 1000;
/** The time per object of the largest collection, relative to that of this many objects. */
const FLAT = { objects: 10_000, maxRatio: 1.15 };
const MAX_STALL_MS = 25;

const TIME = perObject('time', 'µs per object', 1, ({ syncedMs }) => syncedMs * 1000);
const BYTES = perObject('bytes held', 'per object', 0, ({ heldMB = Number.NaN }) => heldMB * 2 ** 20);
const STALL: Metric<ContenderResult> = {
  name: 'longest stall',
  unit: 'ms',
  digits: 1,
  select: ({ stallMs }) => stallMs,
};
const METRICS: readonly Metric<ContenderResult>[] = [
  TIME,
  { name: 'synced', unit: 's', digits: 2, select: ({ syncedMs }) => syncedMs / 1000 },
  BYTES,
  perObject('peak memory', 'KB per object', 1, ({ peakResidentMB }) => peakResidentMB * 1024),
  { name: 'final memory', unit: 'MB', digits: 0, select: ({ finalResidentMB }) => finalResidentMB },
  perObject('main thread', 'µs per object', 1, ({ cpuMainMs = Number.NaN }) => cpuMainMs * 1000),
  { name: 'delay p99.9', unit: 'ms', digits: 1, select: ({ delayP999Ms }) => delayP999Ms },
  STALL,
];

function perObject(
  name: string,
  unit: string,
  digits: number,
  select: (result: ContenderResult) => number,
): Metric<ContenderResult> {
  return { name, unit, digits, select: (result) => select(result) / (result.count ?? Number.NaN) };
}

export const scale: BenchCase = defineCase(
  { max: count(100_000), bytes: count(8200), workers: optionalCount({ min: 0 }), pageSize: optionalCount() },
  async ({ max, bytes, workers, pageSize, rounds, warmUp }) => {
    const results = new Map<number, readonly ContenderResult[]>();
    for (const objects of sizesUpTo(max)) {
      const server = await embeddedServer({ objects, bytes });
      try {
        const expected = await server.expected();
        const found = await runRounds({
          contenders: [kubeflect()],
          task: { kubeConfig: server.kubeConfig, objects, workers, pageSize },
          rounds,
          warmUp,
          around: plainly,
          check: (name, result) => expectSame<ContenderResult>(name, result, expected),
        });
        results.set(objects, found.get('kubeflect') ?? []);
      } finally {
        await server.close();
      }
    }
    return reportOf(results, bytes);
  },
);

/** 1,000, 10,000, … and the maximum itself. */
function sizesUpTo(max: number): number[] {
  const sizes: number[] = [];
  for (let size = MIN_OBJECTS; size < max; size *= 10) sizes.push(size);
  return [...sizes, max];
}

function reportOf(results: ScaleResults, bytes: number): Report {
  const line = (title: string, unit: string, metric: Metric<ContenderResult>): LinePlot => ({
    kind: 'line',
    title,
    x: 'objects',
    y: `${title.toLowerCase()}, ${unit}`,
    isLogarithmic: true,
    series: [
      { name: 'kubeflect', points: [...results].map(([objects, list]) => [objects, medianOf(metric, list)]) },
    ],
  });
  return {
    tables: [
      {
        title: `Pods of ${bytes} bytes, ${encodingsOf(results)}, embedded API server`,
        columns: [{ name: 'objects' }, ...columnsOf(METRICS)],
        rows: [...results].map(([objects, list]) => [objects, ...spreadsOf(METRICS, list)]),
      },
    ],
    plots: [
      line('Time per object', 'µs', TIME),
      line('Bytes held per object', 'bytes', BYTES),
      line('Longest stall of the event loop', 'ms', STALL),
    ],
    notes: [
      'every cache had the count and the digest of the server; memory of small collections is mostly that of Node itself',
    ],
    verdicts: verdictsOf(results),
    results: Object.fromEntries(results),
  };
}

function encodingsOf(results: ScaleResults): string {
  return [...new Set([...results.values()].flat().map(({ encoding }) => encoding))].join(', ');
}

function verdictsOf(results: ScaleResults): Verdict[] {
  const stall = Math.max(...[...results.values()].map((list) => medianOf(STALL, list)));
  const verdicts = [
    { text: `longest stall ${stall.toFixed(0)} ms (at most ${MAX_STALL_MS})`, isMet: stall <= MAX_STALL_MS },
  ];
  const [largest, list = []] = [...results].at(-1) ?? [0];
  const reference = results.get(FLAT.objects);
  if (largest > FLAT.objects && reference !== undefined) {
    const ratio = medianOf(TIME, list) / medianOf(TIME, reference);
    const limit = `at most ${FLAT.maxRatio}x`;
    verdicts.unshift({
      text: `time per object at ${largest} is ${ratio.toFixed(2)}x that at ${FLAT.objects} (${limit})`,
      isMet: ratio <= FLAT.maxRatio,
    });
  }
  return verdicts;
}
