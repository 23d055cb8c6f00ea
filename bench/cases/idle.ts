/** What informers cost when nothing happens: CPU, wake-ups and memory, by their number. */
import { setTimeout as sleep } from 'node:timers/promises';
import { count, counts, strings } from '../command-line/options.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { BarPlot } from '../report/plots.js';
import type { Report, Verdict } from '../report/report.js';
import { type DrivenDefinition, drivenContenders } from '../runner/driven-contenders.js';
import { type DrivenContender, expectEqual } from '../runner/driven-process.js';
import { withIdentity } from '../runner/identity.js';
import { sampleOf } from '../runner/process-status.js';
import { POD } from '../servers/embedded.js';
import { type NamespacesServer, startNamespaces } from '../servers/namespaces.js';
import { type BenchCase, defineCase } from './case.js';

interface IdleResult {
  /** Of all threads, in milliseconds per second. */
  readonly cpuPerSecond: number;
  readonly wakeUpsPerSecond: number;
  readonly residentMB: number;
}

interface IdleRow {
  readonly name: string;
  readonly informers: number;
  readonly results: IdleResult[];
}

const CPU: Metric<IdleResult> = {
  name: 'CPU',
  unit: 'ms/s',
  digits: 2,
  select: ({ cpuPerSecond }) => cpuPerSecond,
};
const MEMORY: Metric<IdleResult> = {
  name: 'resident memory',
  unit: 'MB',
  digits: 0,
  select: ({ residentMB }) => residentMB,
};
const METRICS: readonly Metric<IdleResult>[] = [
  CPU,
  { name: 'wake-ups', unit: 'per second', digits: 1, select: ({ wakeUpsPerSecond }) => wakeUpsPerSecond },
  MEMORY,
];

/** The smallest and the largest number of informers that have targets. */
const FEW = { informers: 1, maxCpu: 0.5 };
const MANY = { informers: 200, maxCpu: 5, maxMB: 120, maxKBEach: 250 };

export const idle: BenchCase = defineCase(
  {
    informers: counts([1, 20, 200]),
    objects: count(50),
    bytes: count(8200),
    // V8 gives memory back by collections that end some 20 s after the last work, in every contender that runs on Node.
    settle: count(30, { min: 0 }),
    seconds: count(20),
    peer: strings(),
    // Every process has time to settle.
    warmUp: count(0, { min: 0 }),
  },
  async ({ informers: numbers, objects, bytes, settle, seconds, peer, rounds, warmUp }) => {
    const contenders = await drivenContenders(['protobuf'], peer);
    const rows: IdleRow[] = [];
    for (const informers of numbers) {
      const found = contenders.map(({ name }): IdleRow => ({ name, informers, results: [] }));
      rows.push(...found);
      const population = { objects: objects * informers, bytes };
      const server = await startNamespaces(population, informers);
      try {
        for (let round = -warmUp; round < rounds; round++) {
          console.error(`round ${round + 1} of ${rounds}: ${informers} informers`);
          const results = await runIdle(contenders, server, population.objects, { settle, seconds });
          if (round >= 0) for (const [i, result] of results.entries()) found[i]?.results.push(result);
        }
      } finally {
        await server.server.close();
      }
    }
    return reportOf(rows, { objects, bytes, seconds });
  },
);

/** The contenders are measured at the same time: they are idle, and what each uses is counted by the system. */
async function runIdle(
  contenders: readonly DrivenDefinition[],
  { server, namespaces }: NamespacesServer,
  objects: number,
  { settle, seconds }: { readonly settle: number; readonly seconds: number },
): Promise<IdleResult[]> {
  const processes: DrivenContender[] = [];
  try {
    for (const { start, encoding } of contenders) {
      const contender = start();
      processes.push(contender);
      const task = { ...withIdentity({ kubeConfig: server.kubeConfig }), objects, encoding, namespaces };
      await contender.call('start', task);
    }
    await sleep(settle * 1000);
    const before = processes.map(({ processId }) => sampleOf(processId));
    const startMs = performance.now();
    await sleep(seconds * 1000);
    const elapsed = (performance.now() - startMs) / 1000;
    const results = processes.map(({ processId }, i): IdleResult => {
      const after = sampleOf(processId);
      const since = (key: 'cpuMs' | 'wakeUps'): number =>
        (after[key] - (before[i]?.[key] ?? Number.NaN)) / elapsed;
      return {
        cpuPerSecond: since('cpuMs'),
        wakeUpsPerSecond: since('wakeUps'),
        residentMB: after.residentMB,
      };
    });
    const expected = await server.digest(POD);
    for (const contender of processes) await expectEqual(contender, expected);
    return results;
  } finally {
    await Promise.all(processes.map((contender) => contender.end()));
  }
}

function reportOf(
  rows: readonly IdleRow[],
  { objects, bytes, seconds }: { objects: number; bytes: number; seconds: number },
): Report {
  return {
    tables: [
      {
        title: `Informers of ${objects} pods of ${bytes} bytes each, idle for ${seconds} s, embedded API server`,
        columns: [
          { name: 'informers' },
          { name: '' },
          ...columnsOf(METRICS),
          { name: 'each beyond the first', unit: 'KB', digits: 0 },
        ],
        rows: rows.map((row) => [
          row.informers,
          row.name,
          ...spreadsOf(METRICS, row.results),
          kilobytesEach(row, rows),
        ]),
      },
    ],
    plots: [
      plotOf('CPU of idle informers', 'CPU, ms per second', CPU, rows),
      plotOf('Memory of idle informers', 'resident memory, MB', MEMORY, rows),
    ],
    notes: [
      'median (min-max) of the rounds; every cache had the count and the digest of the server',
      'wake-ups: voluntary context switches of all threads; CPU: of all threads, by the scheduler',
      'resident memory at the end of the idle time: Node itself takes about 45 MB of it',
    ],
    verdicts: verdictsOf(rows),
    results: Object.fromEntries(
      rows.map(({ name, informers, results }) => [`${name} ${informers}`, results]),
    ),
  };
}

/** What an informer adds to the memory of a process that has one. */
function kilobytesEach({ name, informers, results }: IdleRow, rows: readonly IdleRow[]): number {
  const first = rows.find((row) => row.name === name && row.informers === 1);
  if (first === undefined || informers === 1) return Number.NaN;
  return ((medianOf(MEMORY, results) - medianOf(MEMORY, first.results)) * 1024) / (informers - 1);
}

function plotOf(title: string, y: string, metric: Metric<IdleResult>, rows: readonly IdleRow[]): BarPlot {
  return {
    kind: 'bar',
    title,
    y,
    points: rows.map(({ name, informers, results }) => [`${name}, ${informers}`, medianOf(metric, results)]),
  };
}

function verdictsOf(rows: readonly IdleRow[]): Verdict[] {
  const own = rows.filter(({ name }) => name === 'kubeflect');
  return own.flatMap((row) => {
    const cpu = medianOf(CPU, row.results);
    const memory = medianOf(MEMORY, row.results);
    const each = kilobytesEach(row, rows);
    const label = row.informers === 1 ? '1 informer' : `${row.informers} informers`;
    const verdicts: Verdict[] = [];
    const atMost = (what: string, value: number, max: number, unit: string, digits: number): void => {
      const text = `${label}: ${what} ${value.toFixed(digits)} ${unit} (at most ${max})`;
      verdicts.push({ text, isMet: value <= max });
    };
    if (row.informers === FEW.informers) atMost('CPU', cpu, FEW.maxCpu, 'ms/s', 2);
    if (row.informers === MANY.informers) {
      atMost('CPU', cpu, MANY.maxCpu, 'ms/s', 2);
      atMost('memory', memory, MANY.maxMB, 'MB', 0);
      if (!Number.isNaN(each)) atMost('memory of each beyond the first', each, MANY.maxKBEach, 'KB', 0);
    }
    return verdicts;
  });
}
