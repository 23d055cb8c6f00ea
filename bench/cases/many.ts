/** Many informers in one engine: one per namespace. */
import { count, optionalCount } from '../command-line/options.js';
import type { ContenderResult } from '../contenders/task.js';
import { columnsOf, type Metric, spreadsOf } from '../report/metrics.js';
import { scriptContender } from '../runner/contenders.js';
import { expectSame, plainly, runRounds } from '../runner/rounds.js';
import { POD } from '../servers/embedded.js';
import { startNamespaces } from '../servers/namespaces.js';
import { type BenchCase, defineCase } from './case.js';

const METRICS: readonly Metric<ContenderResult>[] = [
  { name: 'all synced', unit: 's', digits: 2, select: ({ syncedMs }) => syncedMs / 1000 },
  { name: 'longest stall', unit: 'ms', digits: 1, select: ({ stallMs }) => stallMs },
  { name: 'delay p99', unit: 'ms', digits: 1, select: ({ delayP99Ms }) => delayP99Ms },
  { name: 'peak memory', unit: 'MB', digits: 0, select: ({ peakResidentMB }) => peakResidentMB },
  { name: 'CPU', unit: 's', digits: 2, select: ({ cpuMs }) => cpuMs / 1000 },
  { name: 'CPU main', unit: 's', digits: 2, select: ({ cpuMainMs = Number.NaN }) => cpuMainMs / 1000 },
];

export const many: BenchCase = defineCase(
  {
    informers: count(500),
    objects: count(50_000),
    bytes: count(8200),
    workers: optionalCount({ min: 0 }),
  },
  async ({ informers, objects, bytes, workers, rounds, warmUp }) => {
    const { server, namespaces } = await startNamespaces({ objects, bytes }, informers);
    try {
      const { count: expectedCount, digest } = await server.digest(POD);
      const results = await runRounds({
        contenders: [scriptContender('kubeflect', 'kubeflect-many')],
        task: { kubeConfig: server.kubeConfig, namespaces, workers },
        rounds,
        warmUp,
        around: plainly,
        check: (name, result) => expectSame<ContenderResult>(name, result, { count: expectedCount, digest }),
      });
      return {
        tables: [
          {
            title: `${informers} informers on a total of ${objects} pods of ${bytes} bytes`,
            columns: columnsOf(METRICS),
            rows: [spreadsOf(METRICS, results.get('kubeflect') ?? [])],
          },
        ],
        plots: [],
        notes: ['all caches together had the count and the digest of the server'],
        results: Object.fromEntries(results),
      };
    } finally {
      await server.close();
    }
  },
);
