import { SharedInformer } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveEngineOptions } from '#dist/src/engine/engine-options.js';
import { resolveInformerOptions } from '#dist/src/engine/informer-options.js';
import { InformerSource } from '#dist/src/engine/informer-source.js';
import type { StreamHandle } from '#dist/src/pool/stream-handle.js';
import { type OpenOptions, type StreamOrder, WorkerPool } from '#dist/src/pool/worker-pool.js';
import { SliceScheduler } from '#dist/src/slice-scheduler.js';
import { SlabCache } from '#dist/src/store/slab/slab-cache.js';
import { BatchReader } from '#dist/src/wire/batch.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { CONFIG_MAPS, EngineWorld, Fold } from '../../support/engine-world.js';

/** KILL_LOOP_CHANGES=900 makes a script of 300 messages or so, some changes being merged on the way, and a run for each of them. */
const CHANGES = Number(process.env['KILL_LOOP_CHANGES'] ?? 12);
const OBJECTS = 12;

let world: EngineWorld;

beforeAll(async () => {
  world = await EngineWorld.start({ bookmarkIntervalMs: 40 });
  for (let i = 0; i < OBJECTS; i++) await world.configMap(`c${i}`);
});
afterAll(() => world.close());

/** A pool that ends the thread of the stream on which the n-th message of all arrives, once. */
class DeadlyPool {
  readonly #pool: WorkerPool;
  readonly #deadlyMessage: number;
  arrived = 0;

  constructor(pool: WorkerPool, deadlyMessage: number) {
    this.#pool = pool;
    this.#deadlyMessage = deadlyMessage;
  }

  get parallelism(): number {
    return this.#pool.parallelism;
  }

  open(order: StreamOrder, options: OpenOptions = {}): StreamHandle {
    const handle: StreamHandle = this.#pool.open(order, {
      onArrival: (message) => {
        if (++this.arrived === this.#deadlyMessage) void this.#pool.threads[handle.worker]?.terminate();
        options.onArrival?.(message);
      },
    });
    return handle;
  }
}

function mirror(deadlyMessage: number) {
  const { connection, limits, restartBackoff } = resolveEngineOptions({
    connection: { server: world.server.url, headers: {} },
    limits: { batchDelayMs: 0 },
    restartBackoff: { initialMs: 5 },
  });
  const pool = new WorkerPool({ workers: 1, restartBackoff });
  const deadly = new DeadlyPool(pool, deadlyMessage);
  const readers = new ObjectReaders();
  const cache = new SlabCache({ scheduler: new SliceScheduler() });
  const source = new InformerSource({
    name: 'configmaps',
    informer: resolveInformerOptions({
      ...CONFIG_MAPS,
      pageSize: 4,
      reflector: { minReconnectIntervalMs: 5 },
    }),
    pool: deadly as unknown as WorkerPool,
    connection,
    limits,
    openReader: (epoch) => {
      const reader = new BatchReader({ epoch, readers });
      return (buffer) => cache.rows(reader.read(buffer));
    },
    clock: undefined,
    random: undefined,
  });
  const informer: SharedInformer = new SharedInformer({
    run: source.runner(() => informer.indexer.entries()),
    onError: (error) => world.errors.push(error),
  });
  return { pool, deadly, source, informer };
}

async function script(): Promise<void> {
  for (let i = 0; i < CHANGES; i++) {
    if (i % 4 === 3) {
      await world.configMap('short-lived');
      await world.deleteConfigMap('short-lived');
    } else await world.patchConfigMap(`c${i % OBJECTS}`, { i: `${i} ${Math.random()}` });
  }
}

async function run(deadlyMessage: number): Promise<{ arrived: number; relists: number }> {
  const { pool, deadly, source, informer } = mirror(deadlyMessage);
  const fold = new Fold();
  informer.addEventHandler(fold);
  informer.start();
  try {
    await informer.synced;
    await script();
    await world.converged(informer, CONFIG_MAPS);
    await expect.poll(() => fold.equals(informer), { interval: 5 }).toBe(true);
    return { arrived: deadly.arrived, relists: source.lists - 1 };
  } finally {
    await informer.stop();
    await pool.close();
  }
}

describe('a worker that dies after the n-th message', () => {
  it('costs no list and no event, for every n of a list, a watch and its bookmarks', async () => {
    const { arrived } = await run(Number.POSITIVE_INFINITY);
    expect(arrived).toBeGreaterThan(15);
    if (CHANGES > 12) console.log(`${arrived} messages`);
    for (let n = 1; n <= arrived; n++) {
      expect(await run(n), `after message ${n}`).toMatchObject({ relists: 0 });
    }
    expect(world.errors).toEqual([]);
  }, 600_000);
});
