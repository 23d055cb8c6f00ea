/** Time to synced, longest stall, CPU and memory of an informer on a large collection, beside other contenders. */
import { choice, count, optionalCount, string, strings } from '../command-line/options.js';
import type { ContenderResult, Task } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { BarPlot } from '../report/plots.js';
import type { Table } from '../report/report.js';
import { type Contender, contendersOf } from '../runner/contenders.js';
import { expectSame, type RoundsOptions, runRounds } from '../runner/rounds.js';
import { type BenchServer, startServer } from '../servers/server.js';
import { type BenchCase, defineCase } from './case.js';

/** With the CPU time of the server during the run. */
type SyncResult = ContenderResult & { readonly serverCpuMs: number };
type SyncResults = ReadonlyMap<string, readonly SyncResult[]>;

const SYNCED: Metric<SyncResult> = {
  name: 'synced',
  unit: 's',
  digits: 2,
  select: ({ syncedMs }) => syncedMs / 1000,
};
const STALL: Metric<SyncResult> = {
  name: 'longest stall',
  unit: 'ms',
  digits: 0,
  select: ({ stallMs }) => stallMs,
};
const PEAK_MEMORY: Metric<SyncResult> = {
  name: 'peak memory',
  unit: 'MB',
  digits: 0,
  select: ({ peakResidentMB }) => peakResidentMB,
};
const CPU = cpuMetric('CPU', ({ cpuMs }) => cpuMs);
const METRICS: readonly Metric<SyncResult>[] = [
  SYNCED,
  STALL,
  { name: 'delay p99', unit: 'ms', digits: 1, select: ({ delayP99Ms }) => delayP99Ms },
  PEAK_MEMORY,
  { name: 'final memory', unit: 'MB', digits: 0, select: ({ finalResidentMB }) => finalResidentMB },
  CPU,
  cpuMetric('CPU main', ({ cpuMainMs }) => cpuMainMs),
  cpuMetric('CPU others', ({ cpuOthersMs }) => cpuOthersMs),
  cpuMetric('CPU server', ({ serverCpuMs }) => serverCpuMs),
];

function cpuMetric(name: string, ms: (result: SyncResult) => number | undefined): Metric<SyncResult> {
  return { name, unit: 's', digits: 2, select: (result) => (ms(result) ?? Number.NaN) / 1000 };
}

export const sync: BenchCase = defineCase(
  {
    objects: count(60_000),
    bytes: count(8200),
    server: string('embedded'),
    peer: strings(),
    workers: optionalCount({ min: 0 }),
    pageSize: optionalCount(),
    list: choice(['auto', 'stream', 'paged', 'full']),
    decoder: choice(['auto', 'simd', 'json']),
    encoding: choice(['auto', 'json', 'protobuf']),
  },
  async ({ objects, bytes, peer, rounds, warmUp, server: serverName, ...values }) => {
    const contenders = await contendersOf(peer);
    const server = await startServer(serverName, { objects, bytes });
    try {
      const { workers, pageSize, list, decoder, encoding } = values;
      const results = await runRounds({
        contenders,
        task: {
          kubeConfig: server.kubeConfig,
          objects: server.objects,
          ...{ workers, pageSize, list, decoder, encoding },
        },
        rounds,
        warmUp,
        ...(await checksOf(server, contenders, encoding)),
      });
      return {
        section: serverName === 'embedded' ? undefined : `sync-${serverName}`,
        tables: tablesOf(server.description, results),
        plots: [
          plotOf('Time to synced', SYNCED, results),
          plotOf('Peak memory', PEAK_MEMORY, results),
          plotOf('Longest stall of the event loop', STALL, results),
        ],
        notes: [
          'median (min-max) of the rounds; every cache had the count and the digest of the server',
          'encoding: of the responses that the contender read',
          'CPU main: the main thread; CPU others: workers, and the helper threads of V8 and libuv',
          ...readerNotes(results),
        ],
        results: Object.fromEntries(results),
      };
    } finally {
      await server.close();
    }
  },
);

async function checksOf(
  server: BenchServer,
  contenders: readonly Contender[],
  encoding: Task['encoding'],
): Promise<Pick<RoundsOptions<SyncResult>, 'around' | 'check'>> {
  const listBytes = contenders.some(({ name }) => name === 'socket')
    ? await server.listBytes?.(encoding === 'json' ? 'json' : 'protobuf')
    : undefined;
  let expected = await server.expected();
  return {
    async around(run) {
      const startMs = server.cpuMs();
      const result = await run();
      expected = await server.expected();
      return { ...result, serverCpuMs: server.cpuMs() - startMs };
    },
    check(name, result) {
      if (name !== 'socket') expectSame<ContenderResult>(name, result, expected);
      else if (listBytes !== undefined) expectSame<ContenderResult>(name, result, { bytes: listBytes });
    },
  };
}

function tablesOf(title: string, results: SyncResults): Table[] {
  const rows = [...results].map(([name, list]) => [name, encodingOf(list), ...spreadsOf(METRICS, list)]);
  const table = { title, columns: [{ name: '' }, { name: 'encoding' }, ...columnsOf(METRICS)], rows };
  return results.size > 1 ? [table, ratiosOf(results)] : [table];
}

function ratiosOf(results: SyncResults): Table {
  const metrics = [SYNCED, STALL, PEAK_MEMORY, CPU];
  const own = results.get('kubeflect') ?? [];
  return {
    title: `Relative to kubeflect (${encodingOf(own)})`,
    columns: [
      { name: '' },
      { name: 'encoding' },
      ...['time', 'longest stall', 'peak memory', 'CPU'].map((name) => ({ name, unit: 'x', digits: 1 })),
    ],
    rows: [...results]
      .filter(([name]) => name !== 'kubeflect')
      .map(([name, list]) => [
        name,
        encodingOf(list),
        ...metrics.map((metric) => medianOf(metric, list) / medianOf(metric, own)),
      ]),
  };
}

/** The encoding of all rounds; the runner has checked those that were requested. */
function encodingOf(results: readonly SyncResult[]): string {
  const names = { json: 'JSON', protobuf: 'protobuf' };
  return [...new Set(results.map(({ encoding }) => names[encoding]))].join(', ');
}

/** What the engine adds to reading the list. */
function readerNotes(results: SyncResults): string[] {
  const reader = results.get('socket');
  if (reader === undefined) return [];
  const ratio = medianOf(SYNCED, results.get('kubeflect') ?? []) / medianOf(SYNCED, reader);
  return [`kubeflect took ${ratio.toFixed(2)} times as long as the bare socket reader of the same encoding`];
}

function plotOf(title: string, metric: Metric<SyncResult>, results: SyncResults): BarPlot {
  return {
    kind: 'bar',
    title,
    y: `${title.toLowerCase()}, ${metric.unit}`,
    // Contenders in Go and Rust have no event loop to stall.
    points: [...results]
      .map(([name, list]) => [labelOf(name, encodingOf(list)), medianOf(metric, list)] as const)
      .filter(([, value]) => !Number.isNaN(value)),
  };
}

function labelOf(name: string, encoding: string): string {
  return name.endsWith(`-${encoding.toLowerCase()}`) ? name : `${name}, ${encoding}`;
}
