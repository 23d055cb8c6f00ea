/** Page size × workers: which combination is synced first on this machine. */
import { choice, count, counts, string } from '../command-line/options.js';
import type { ContenderResult } from '../contenders/task.js';
import type { Report, Table } from '../report/report.js';
import { median, spread } from '../report/statistics.js';
import { kubeflect } from '../runner/contenders.js';
import { expectSame, plainly, runRounds } from '../runner/rounds.js';
import { startServer } from '../servers/server.js';
import { type BenchCase, defineCase } from './case.js';

interface Setting {
  readonly workers: number;
  readonly pageSize: number;
}

/** Settings whose times differ by less are equally good. */
const NOISE = 0.05;

export const sweep: BenchCase = defineCase(
  {
    objects: count(100_000),
    bytes: count(8200),
    server: string('embedded'),
    workers: counts([1, 2, 3, 4]),
    pageSize: counts([100, 250, 500, 1000, 2000, 5000]),
    decoder: choice(['auto', 'simd', 'json']),
    encoding: choice(['json', 'protobuf', 'auto']),
  },
  async (values) => {
    const { objects, bytes, rounds, warmUp, decoder, encoding = 'json' } = values;
    const settings = values.workers.flatMap((workers) =>
      values.pageSize.map((pageSize) => ({ workers, pageSize })),
    );
    const server = await startServer(values.server, { objects, bytes });
    try {
      const expected = await server.expected();
      const results = await runRounds({
        contenders: settings.map((task) => ({ ...kubeflect(), name: nameOf(task), task })),
        // Only JSON is listed in pages by default; protobuf is listed as a stream.
        task: { kubeConfig: server.kubeConfig, objects: server.objects, list: 'paged', encoding, decoder },
        rounds,
        warmUp,
        around: plainly,
        check: (name, result) => expectSame<ContenderResult>(name, result, expected),
      });
      return reportOf(`${server.description}, ${encoding}`, settings, results);
    } finally {
      await server.close();
    }
  },
);

function nameOf({ workers, pageSize }: Setting): string {
  return `${workers} ${workers === 1 ? 'worker' : 'workers'}, pages of ${pageSize}`;
}

function reportOf(
  description: string,
  settings: readonly Setting[],
  results: ReadonlyMap<string, readonly ContenderResult[]>,
): Report {
  const workers = [...new Set(settings.map((setting) => setting.workers))];
  const pageSizes = [...new Set(settings.map((setting) => setting.pageSize))];
  const valuesOf = (setting: Setting, select: (result: ContenderResult) => number): number[] =>
    (results.get(nameOf(setting)) ?? []).map(select);
  const grid = (title: string, digits: number, select: (result: ContenderResult) => number): Table => ({
    title: `${title}: workers down, page size across; ${description}`,
    columns: [{ name: 'workers' }, ...pageSizes.map((size) => ({ name: String(size), digits }))],
    rows: workers.map((number) => [
      number,
      ...pageSizes.map((pageSize) => spread(valuesOf({ workers: number, pageSize }, select))),
    ]),
  });
  const seconds = ({ syncedMs }: ContenderResult): number => syncedMs / 1000;
  const times = settings.map((setting) => ({ setting, time: median(valuesOf(setting, seconds)) }));
  const best = times.reduce((a, b) => (b.time < a.time ? b : a));
  const asGood = times.filter(({ time }) => time <= best.time * (1 + NOISE));
  return {
    tables: [
      grid('Seconds to synced', 2, seconds),
      grid('Peak memory in MB', 0, ({ peakResidentMB }) => peakResidentMB),
      grid('Seconds of CPU', 2, ({ cpuMs }) => cpuMs / 1000),
    ],
    plots: [
      {
        kind: 'heat',
        title: 'Time to synced, s',
        x: 'page size, objects',
        y: 'workers, threads',
        value: 's',
        cells: times.map(({ setting, time }) => [String(setting.pageSize), String(setting.workers), time]),
      },
    ],
    notes: [
      `best: ${nameOf(best.setting)}, ${best.time.toFixed(2)} s`,
      `within ${NOISE * 100} % of it: ${asGood.map(({ setting }) => nameOf(setting)).join('; ')}`,
    ],
    results: Object.fromEntries(results),
  };
}
