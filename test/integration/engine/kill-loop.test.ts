import { SharedInformer } from 'kubeflect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Credentials } from '#dist/src/auth/credentials.js';
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

/** KILL_LOOP_CHANGES=450 makes a script of about 300 messages, and a run for each of them: some minutes. */
const CHANGES = Number(process.env['KILL_LOOP_CHANGES'] ?? 24);
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
  arrivedInWatches = 0;
  /** What the thread was doing for us when it was ended; undefined if it was not. */
  diedIn: 'list' | 'watch' | undefined;

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
        if (order.verb === 'watch') this.arrivedInWatches++;
        if (++this.arrived === this.#deadlyMessage) {
          this.diedIn = order.verb;
          void this.#pool.threads[handle.worker]?.terminate();
        }
        options.onArrival?.(message);
      },
    });
    return handle;
  }
}

function mirror(deadlyMessage: number) {
  const connection = { server: world.server.url };
  const { limits, restartBackoff } = resolveEngineOptions({
    connection,
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
    credentials: new Credentials({ source: () => connection }),
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
  return { pool, deadly, informer };
}

/** A change is made when the one before the last is applied: so they are not merged into one message, and one is always on its way. */
async function script(informer: SharedInformer): Promise<void> {
  let previous = (): boolean => true;
  for (let i = 0; i < CHANGES; i++) {
    const name = `c${i % OBJECTS}`;
    const version = await world.patchConfigMap(name, { i: `${i} ${Math.random()}` });
    await expect.poll(previous, { interval: 1, timeout: 10_000 }).toBe(true);
    previous = () => informer.lister.entry(`default/${name}`)?.resourceVersion === version;
    if (i % 4 !== 3) continue;
    await world.configMap('short-lived');
    await world.deleteConfigMap('short-lived');
  }
}

interface Outcome {
  readonly arrived: number;
  readonly inWatches: number;
  readonly diedIn: 'list' | 'watch' | undefined;
  /** How often the server was asked for the collection from its beginning, by its own log. */
  readonly lists: number;
}

async function run(deadlyMessage: number): Promise<Outcome> {
  const listsBefore = (await world.lists()).length;
  const { pool, deadly, informer } = mirror(deadlyMessage);
  const fold = new Fold();
  informer.addEventHandler(fold);
  informer.start();
  try {
    await informer.synced;
    await script(informer);
    await world.converged(informer, CONFIG_MAPS);
    await expect.poll(() => fold.equals(informer), { interval: 5 }).toBe(true);
    const { arrived, arrivedInWatches: inWatches, diedIn } = deadly;
    return { arrived, inWatches, diedIn, lists: (await world.lists()).length - listsBefore };
  } finally {
    await informer.stop();
    await pool.close();
  }
}

describe('a worker that dies after the n-th message', () => {
  it('costs no list and no event, for every n of a list, a watch and its bookmarks', async () => {
    const { arrived, inWatches } = await run(Number.POSITIVE_INFINITY);
    // Else the deaths would all be in the list.
    expect(inWatches).toBeGreaterThan(CHANGES / 3);
    const deaths = { list: 0, watch: 0 };
    for (let n = 1; n <= arrived; n++) {
      const { diedIn, lists } = await run(n);
      if (diedIn !== undefined) deaths[diedIn]++;
      // Of a list, the page that was lost is asked for again; that may be the first.
      expect(lists, `after message ${n}, in a ${diedIn}`).toBeLessThanOrEqual(diedIn === 'list' ? 2 : 1);
    }
    // Messages may be fewer in one run than in another.
    expect(deaths.watch).toBeGreaterThan(CHANGES / 6);
    console.log(`${arrived} messages: ${deaths.list} deaths in lists, ${deaths.watch} in watches`);
    expect(world.errors).toEqual([]);
  }, 600_000);
});
