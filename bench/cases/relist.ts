/**
 * What a relist after 410 Gone costs when nothing, and when a part, has changed: handler calls and main-thread time.
 */
import { type ApiServerHandle, type KubeObject, startApiServer } from 'kubeflect/testing';
import { count, optionalCount } from '../command-line/options.js';
import type { RelistMeasurement } from '../contenders/kubeflect-driven.js';
import { defined } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { Report } from '../report/report.js';
import { type DrivenInformer, expectEqual, startDrivenInformer } from '../runner/driven-process.js';
import { withIdentity } from '../runner/identity.js';
import { POD, podsOf } from '../servers/embedded.js';
import { type BenchCase, defineCase } from './case.js';

interface Scenario {
  readonly name: string;
  /** Keys of the pods that change. */
  readonly changed: readonly string[];
  readonly results: RelistMeasurement[];
}

const MAX_MICROS = 1.5;

export const relist: BenchCase = defineCase(
  {
    objects: count(100_000),
    bytes: count(8200),
    changed: count(1, { min: 0 }),
    workers: optionalCount({ min: 0 }),
  },
  async ({ objects, bytes, changed: percent, workers, rounds, warmUp }) => {
    const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
    try {
      await server.populate(podsOf({ objects, bytes }));
      const keys = await keysOf(server, Math.round((objects * percent) / 100));
      const scenarios: readonly Scenario[] = [
        { name: 'nothing changed', changed: [], results: [] },
        { name: `${keys.length} changed`, changed: keys, results: [] },
      ];
      for (let round = -warmUp; round < rounds; round++) {
        for (const { changed, results } of scenarios) {
          const result = await inFreshProcess(server, changed, workers);
          if (round >= 0) results.push(result);
        }
      }
      return reportOf(scenarios, objects, bytes);
    } finally {
      await server.close();
    }
  },
);

/** One relist per process: the backoff of an informer that relists repeatedly grows, like client-go's. */
async function inFreshProcess(
  server: ApiServerHandle,
  changed: readonly string[],
  workers: number | undefined,
): Promise<RelistMeasurement> {
  const informer = startDrivenInformer();
  try {
    const task = withIdentity({ kubeConfig: server.kubeConfig });
    await informer.call('start', { ...task, ...defined({ workers }) });
    const result = await relistOnce(server, informer, changed);
    await expectEqual(informer, await server.digest(POD));
    return result;
  } finally {
    await informer.end();
  }
}

/** The watch ends, objects change without it, and its version is too old when it reconnects. */
async function relistOnce(
  server: ApiServerHandle,
  informer: DrivenInformer,
  changed: readonly string[],
): Promise<RelistMeasurement> {
  await server.faults.add({ match: { verb: 'watch' }, fault: { type: 'status', code: 503 } });
  await server.closeWatches();
  for (const key of changed) await touch(server, key);
  // The next list has a later version than the last one, even if its pods are the same.
  await server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'tick-' } });
  const { resourceVersion } = await server.digest(POD);
  await server.compact();
  await informer.call('measureRelist', { resolution: 10 });
  await server.faults.clear();
  const result = await informer.call('relisted', { resourceVersion, relists: 1 });
  const { onAdd, onUpdate, onDelete } = result.calls;
  if (onAdd !== 0 || onDelete !== 0 || onUpdate !== changed.length) {
    throw new Error(
      `handlers got ${onAdd} adds, ${onUpdate} updates and ${onDelete} deletes for ${changed.length} changes`,
    );
  }
  return result;
}

async function touch(server: ApiServerHandle, key: string): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const stamp = { metadata: { annotations: { 'example.com/touched': String(Math.random()) } } };
  await server.patch({ ...POD, namespace, name }, stamp);
}

async function keysOf(server: ApiServerHandle, limit: number): Promise<string[]> {
  const response = await fetch(`${server.url}/api/v1/pods?limit=${Math.max(1, limit)}`);
  const { items } = (await response.json()) as { items: KubeObject[] };
  return items.slice(0, limit).map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
}

function reportOf(scenarios: readonly Scenario[], objects: number, bytes: number): Report {
  const mainThread: Metric<RelistMeasurement> = {
    name: 'main thread',
    unit: 'µs per pod',
    digits: 2,
    select: ({ cpuMainMs = Number.NaN }) => (cpuMainMs * 1000) / objects,
  };
  const metrics: readonly Metric<RelistMeasurement>[] = [
    mainThread,
    { name: 'until applied, with backoff', unit: 's', digits: 2, select: ({ syncedMs }) => syncedMs / 1000 },
    { name: 'longest stall', unit: 'ms', digits: 1, select: ({ stallMs }) => stallMs },
  ];
  const unchanged = medianOf(mainThread, scenarios[0]?.results ?? []);
  return {
    tables: [
      {
        title: `Relist of ${objects} pods of ${bytes} bytes after 410 Gone`,
        columns: [{ name: '' }, ...columnsOf(metrics), { name: 'handler calls' }],
        rows: scenarios.map(({ name, results }) => [
          name,
          ...spreadsOf(metrics, results),
          results.at(-1)?.calls.onUpdate,
        ]),
      },
    ],
    plots: [
      {
        kind: 'bar',
        title: 'Main-thread time of a relist',
        y: 'main thread, µs per pod',
        points: scenarios.map(({ name, results }) => [name, medianOf(mainThread, results)]),
      },
    ],
    notes: [
      'the cache had the count and the digest of the server; handlers were called for the changed pods only',
    ],
    verdicts: Number.isNaN(unchanged)
      ? []
      : [
          {
            text: `${unchanged.toFixed(2)} µs of main-thread time per pod if nothing changed (at most ${MAX_MICROS})`,
            isMet: unchanged <= MAX_MICROS,
          },
        ],
    results: Object.fromEntries(scenarios.map(({ name, results }) => [name, results])),
  };
}
