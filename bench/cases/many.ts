/** Many informers in one engine: one per namespace. */
import { type ApiServerHandle, type KubeObject, startApiServer } from 'kubeflect/testing';
import { count, optionalCount } from '../command-line/options.js';
import type { ContenderResult } from '../contenders/task.js';
import { columnsOf, type Metric, spreadsOf } from '../report/metrics.js';
import { scriptContender } from '../runner/contenders.js';
import { expectSame, plainly, runRounds } from '../runner/rounds.js';
import { POD, podsOf } from '../servers/embedded.js';
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
    const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
    try {
      await server.populate({ ...podsOf({ objects, bytes }), namespaces: informers });
      const { count: expectedCount, digest } = await server.digest(POD);
      const results = await runRounds({
        contenders: [scriptContender('kubeflect', 'kubeflect-many')],
        task: { kubeConfig: server.kubeConfig, namespaces: await namespacesWithPods(server), workers },
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

async function namespacesWithPods(server: ApiServerHandle): Promise<string[]> {
  const names = new Set<string>();
  let next = '';
  do {
    const response = await fetch(`${server.url}/api/v1/pods?limit=5000&continue=${next}`, {
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
    });
    const { metadata, items } = (await response.json()) as {
      metadata: { continue?: string };
      items: KubeObject[];
    };
    for (const { metadata: item } of items) names.add(item?.namespace ?? '');
    next = metadata.continue ?? '';
  } while (next !== '');
  return [...names];
}
