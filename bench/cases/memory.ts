/**
 * What a cached object takes, by kind: after the sync, after every object was read once, and after every object has
 * changed several times, in random order. Resident memory, minus that of the same process with an empty collection.
 *
 * The informer runs in a fresh process, the server in another. A result counts only if the cache has the server's
 * count and digest at the end, without a relist.
 */
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { count, optionalCount, string } from '../command-line/options.js';
import type { KubeflectTask, Memory } from '../contenders/kubeflect-driven.js';
import { defined } from '../contenders/task.js';
import type { Column, Report, Verdict } from '../report/report.js';
import { type DrivenInformer, expectEqual, startDrivenInformer } from '../runner/driven-process.js';
import { withIdentity } from '../runner/identity.js';
import { podsOf } from '../servers/embedded.js';
import { type BenchCase, defineCase } from './case.js';

export interface MemoryResult {
  readonly plural: string;
  readonly objects: number;
  /** Of the process with an empty collection. */
  readonly empty: Memory;
  readonly synced: Memory;
  /** After the sync, by what was done last. */
  readonly states: readonly { readonly name: string; readonly memory: Memory }[];
}

/** For the pod of 8.2 KB with managedFields, which are dropped. */
const MAX_POD_BYTES = 3.5 * 1024;
/** With fewer objects, most of the memory is the working memory of the process. */
const MIN_OBJECTS_FOR_TARGET = 100_000;
const MAX_GROWTH = 1.3;
const MB = 2 ** 20;

const KINDS = [
  { apiVersion: 'v1', kind: 'Pod', plural: 'pods' },
  { apiVersion: 'v1', kind: 'Node', plural: 'nodes' },
  { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  { apiVersion: 'v1', kind: 'Service', plural: 'services' },
] as const;

type KindType = (typeof KINDS)[number];

export const PODS: KindType = KINDS[0];

export interface MemorySettings {
  readonly objects: number;
  readonly bytes: number;
  readonly changes: number;
  readonly perSecond: number;
  readonly workers: number | undefined;
}

export const memory: BenchCase = defineCase(
  {
    objects: count(60_000),
    bytes: count(8200),
    kinds: string('pods'),
    changes: count(3, { min: 0 }),
    perSecond: count(2000),
    workers: optionalCount({ min: 0 }),
  },
  async (values) => {
    const results: MemoryResult[] = [];
    for (const plural of values.kinds.split(',')) {
      const type = KINDS.find((kind) => kind.plural === plural);
      if (type === undefined) {
        const expected = KINDS.map((kind) => kind.plural).join(', ');
        throw new Error(`unknown kind ${plural}; expected one of ${expected}`);
      }
      results.push(await measureMemory(type, values));
    }
    return reportOf(results, values.bytes);
  },
);

/** One run: fresh processes, whose cache is checked at the end. */
export async function measureMemory(
  type: KindType,
  settings: MemorySettings,
  startInformer: () => DrivenInformer = startDrivenInformer,
): Promise<MemoryResult> {
  const { objects, bytes, changes, perSecond, workers } = settings;
  const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
  try {
    const options = { ...withIdentity({ kubeConfig: server.kubeConfig }), type, ...defined({ workers }) };
    const empty = await inFreshProcess(startInformer, options, (informer) =>
      informer.call('memory', { resourceVersion: '0' }),
    );
    await server.populate(
      type.kind === 'Pod' ? podsOf({ objects, bytes }) : { kind: type.kind, count: objects },
    );
    return await inFreshProcess(startInformer, options, async (informer) => {
      const synced = await memoryOf(informer, server, type);
      await informer.call('readAll', {});
      const states = [{ name: 'after reading all', memory: await memoryOf(informer, server, type) }];
      for (let change = 1; change <= changes; change++) {
        await server.updateEach(type, { perSecond });
        const name = `after change ${change} of each`;
        states.push({ name, memory: await memoryOf(informer, server, type) });
      }
      await expectEqual(informer, await server.digest(type));
      const relists = states.at(-1)?.memory.relists ?? 0;
      if (relists > 0) throw new Error(`the informer relisted ${relists} times`);
      return { plural: type.plural, objects, empty, synced, states };
    });
  } finally {
    await server.close();
  }
}

async function inFreshProcess<T>(
  startInformer: () => DrivenInformer,
  options: KubeflectTask,
  use: (informer: DrivenInformer) => Promise<T>,
): Promise<T> {
  const informer = startInformer();
  try {
    await informer.call('start', options);
    return await use(informer);
  } finally {
    await informer.end();
  }
}

/** When the informer has applied everything that the server has. */
async function memoryOf(informer: DrivenInformer, server: ApiServerHandle, type: KindType): Promise<Memory> {
  const { resourceVersion } = await server.digest(type);
  return informer.call('memory', { resourceVersion });
}

function residentBytes({ objects, empty }: MemoryResult, { rss }: Memory): number {
  return (rss - empty.rss) / objects;
}

const COLUMNS: readonly Column[] = [
  { name: '' },
  { name: 'bytes per object, resident', digits: 0 },
  { name: 'bytes per object, held', digits: 0 },
  { name: 'resident', unit: 'MB', digits: 0 },
  { name: 'JavaScript heap', unit: 'MB', digits: 0 },
  { name: 'relative to after the sync', unit: 'x', digits: 2 },
];

function reportOf(results: readonly MemoryResult[], bytes: number): Report {
  return {
    tables: results.map((result) => ({
      title: `${result.objects} ${result.plural}${result.plural === 'pods' ? ` of ${bytes} bytes` : ''}, embedded API server`,
      columns: COLUMNS,
      rows: [{ name: 'after the sync', memory: result.synced }, ...result.states].map((state) => [
        state.name,
        residentBytes(result, state.memory),
        state.memory.bytes / result.objects,
        state.memory.rss / MB,
        state.memory.heapUsed / MB,
        state.memory.rss / result.synced.rss,
      ]),
    })),
    plots: [
      {
        kind: 'bar',
        title: 'Resident bytes per object after the sync',
        y: 'resident memory, bytes per object',
        points: results.map((result) => [result.plural, residentBytes(result, result.synced)]),
      },
    ],
    notes: [
      'resident: of the process, minus that of the same process with an empty collection; the caches had the count and the digest of the server',
      'held: cells, as the engine counts them; managedFields are dropped in the worker',
    ],
    verdicts: results.flatMap(verdictsOf),
    results: Object.fromEntries(results.map((result) => [result.plural, result])),
  };
}

function verdictsOf(result: MemoryResult): Verdict[] {
  const { plural, objects, synced, states } = result;
  const growth = (states.at(-1)?.memory.rss ?? Number.NaN) / synced.rss;
  const verdicts = [
    {
      text: `${plural}: ${growth.toFixed(2)}x the memory after the sync (at most ${MAX_GROWTH}x)`,
      isMet: growth <= MAX_GROWTH,
    },
  ];
  if (plural === 'pods' && objects >= MIN_OBJECTS_FOR_TARGET) {
    const bytes = residentBytes(result, synced);
    verdicts.unshift({
      text: `pods: ${bytes.toFixed(0)} bytes resident each (below ${MAX_POD_BYTES})`,
      isMet: bytes < MAX_POD_BYTES,
    });
  }
  return verdicts;
}
