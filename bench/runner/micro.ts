/** Runs tasks in this process with tinybench. A task checks its own result, and throws if it is wrong. */
import { Bench } from 'tinybench';
import { count } from '../command-line/options.js';
import type { BarPlot } from '../report/plots.js';
import type { Column, Report, Table } from '../report/report.js';

/** Of cases that run in this process: milliseconds per task. */
export const MICRO_OPTIONS = { time: count(1000) };

const MIN_RUNS = 10;
const MIN_WARM_UP_RUNS = 3;

export interface MicroTask {
  readonly name: string;
  /** The number of items that a run processes; times are per item. */
  readonly items: number;
  /** The bytes that a run processes. */
  readonly bytes?: number;
  run(): unknown;
  /** Prepares a run, untimed. */
  beforeEach?(): void;
}

export interface MicroResult {
  readonly name: string;
  readonly items: number;
  readonly runs: number;
  /** Microseconds per item. */
  readonly minMicros: number;
  readonly medianMicros: number;
  readonly p99Micros: number;
  readonly maxMicros: number;
  /** Relative margin of error of the mean, in percent. */
  readonly marginPercent: number;
  /** NaN for a task without bytes. */
  readonly megabytesPerSecond: number;
}

export async function runMicro(tasks: readonly MicroTask[], timeMs: number): Promise<MicroResult[]> {
  const bench = new Bench({
    time: timeMs,
    warmupTime: timeMs / 4,
    iterations: MIN_RUNS,
    warmupIterations: MIN_WARM_UP_RUNS,
    throws: true,
  });
  for (const { name, run, beforeEach } of tasks)
    bench.add(name, run, beforeEach === undefined ? {} : { beforeEach: () => beforeEach() });
  await bench.run();
  return tasks.map((task) => resultOf(bench, task));
}

function resultOf(bench: Bench, { name, items, bytes }: MicroTask): MicroResult {
  const result = bench.getTask(name)?.result;
  if (result?.state !== 'completed') throw new Error(`${name} is ${result?.state ?? 'missing'}`);
  const { min, p50, p99, max, rme, samplesCount } = result.latency;
  const micros = (ms: number): number => (ms * 1000) / items;
  return {
    name,
    items,
    runs: samplesCount,
    minMicros: micros(min),
    medianMicros: micros(p50),
    p99Micros: micros(p99),
    maxMicros: micros(max),
    marginPercent: rme,
    megabytesPerSecond: bytes === undefined ? Number.NaN : bytes / 1000 / p50,
  };
}

const COLUMNS: readonly Column[] = [
  { name: '' },
  { name: 'min', unit: 'µs per item', digits: 3 },
  { name: 'median', unit: 'µs per item', digits: 3 },
  { name: 'p99', unit: 'µs per item', digits: 3 },
  { name: 'max', unit: 'µs per item', digits: 3 },
  { name: 'throughput', unit: 'MB/s', digits: 0 },
  { name: 'margin of error', unit: '± %', digits: 1 },
  { name: 'runs' },
  { name: 'items per run' },
];

export function microTable(title: string, results: readonly MicroResult[]): Table {
  const rows = results.map((result) => [
    result.name,
    result.minMicros,
    result.medianMicros,
    result.p99Micros,
    result.maxMicros,
    result.megabytesPerSecond,
    result.marginPercent,
    result.runs,
    result.items,
  ]);
  return { title, columns: COLUMNS, rows };
}

export function microPlot(title: string, results: readonly MicroResult[]): BarPlot {
  return {
    kind: 'bar',
    title,
    y: 'median, µs per item',
    points: results.map(({ name, medianMicros }) => [name, medianMicros]),
  };
}

export async function microReport(
  title: string,
  tasks: readonly MicroTask[],
  timeMs: number,
): Promise<Report> {
  const results = await runMicro(tasks, timeMs);
  return {
    tables: [microTable(title, results)],
    plots: [microPlot(title, results)],
    notes: ['every run checked its result'],
    results,
  };
}
