import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { ResourceEventHandler } from '#dist/src/informer/handlers/event-handler.js';
import type { Entry } from '#dist/src/store/entry.js';
import { SlabCache } from '#dist/src/store/slab/slab-cache.js';
import type { SlabEntry } from '#dist/src/store/slab/slab-entry.js';
import { SlabIntake } from '#dist/src/store/slab/slab-intake.js';
import { BatchReader } from '#dist/src/wire/batch.js';
import type { ObjectRowType } from '#dist/src/wire/cells.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { heldBytes } from '../support/engine/garbage.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import type { Pod } from '../support/objects/entries.js';
import { SeededRandom } from '../support/time/seeded-random.js';
import { entriesOf } from '../support/workers/pod-stream.js';

const KEYS = 10_000;
const PER_SECOND = 1000;
const PER_BATCH = 50;
/** Up to 780,000 events, on a machine that may be busy. */
const TIMEOUT_MS = 240_000;

interface State {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** An informer of pods of a kilobyte, as a worker packs them, and one handler. */
class ChurnWorld {
  readonly harness = new InformerHarness();
  readonly #thread = new Worker(new URL('../support/processes/packing-thread.mjs', import.meta.url));
  readonly #reader = new BatchReader({ epoch: 1, readers: new ObjectReaders() });
  readonly #intake = new SlabIntake<Pod>(new SlabCache<Pod>({ scheduler: this.harness.slices }), (key) =>
    this.harness.informer.indexer.getByKey(key),
  );
  readonly #lives = new Array<number>(KEYS).fill(0);
  #version = 0;

  constructor(handler: ResourceEventHandler<Pod>) {
    this.harness.informer.addEventHandler(handler);
  }

  /** For the handler that is behind most. */
  get pending(): number {
    return Math.max(...this.harness.informer.health().handlers.map(({ pending }) => pending));
  }

  async start(): Promise<void> {
    await this.harness.start();
    await this.list();
    expect(this.harness.informer.indexer.size).toBe(KEYS);
  }

  /** A list in which everything has changed. */
  async list(): Promise<void> {
    const entries: Entry<Pod>[] = [];
    for (let key = 0; key < KEYS; key += PER_BATCH) {
      const states = Array.from({ length: PER_BATCH }, (_, i) => this.#next(key + i));
      entries.push(...(await this.#receive('item', states)));
    }
    this.harness.store.replace(entries, String(this.#version));
    await this.harness.clock.drain();
  }

  /** A second of updates of the keys that `choose` gives. One of a hundred is replaced by another of its name, if any is to be. */
  async second(choose: () => number, isAnyReplaced: boolean): Promise<void> {
    const { store } = this.harness;
    for (let done = 0; done < PER_SECOND; done += PER_BATCH) {
      const keys = Array.from({ length: PER_BATCH }, choose);
      if (isAnyReplaced && done % (2 * PER_BATCH) === 0) {
        const gone = keys.pop() as number;
        for (const entry of await this.#receive('deleted', [this.#next(gone)])) store.delete(entry);
        (this.#lives[gone] as number)++;
        for (const entry of await this.#receive('added', [this.#next(gone)])) store.add(entry);
      }
      const states = keys.map((key) => this.#next(key));
      for (const entry of await this.#receive('modified', states)) store.update(entry);
      await this.harness.clock.advance((1000 * PER_BATCH) / PER_SECOND);
    }
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
    await this.harness.stop();
  }

  expectCaughtUp(): void {
    expect(this.harness.informer.lastStoreSyncResourceVersion).toBe(String(this.#version));
    expect(this.harness.informer.indexer.size).toBe(KEYS);
  }

  #next(key: number): State {
    const name = `pod-${String(key).padStart(5, '0')}-x7k2p`;
    const uid = `0a1b2c3d-4e5f-4a6b-8c7d-${this.#lives[key]}${String(key).padStart(11, '0')}`;
    return { name, uid, resourceVersion: String(++this.#version) };
  }

  async #receive(type: ObjectRowType, states: readonly State[]): Promise<SlabEntry<Pod>[]> {
    this.#thread.postMessage({ type, states });
    const [buffer] = (await once(this.#thread, 'message')) as [ArrayBufferLike];
    return entriesOf(this.#intake.rows(this.#reader.read(buffer)));
  }
}

interface Memory {
  readonly synced: number;
  /** The most in a minute of changes that the handler was told at once. */
  readonly live: number;
  /** At the end of each minute in which it was stuck. */
  readonly held: readonly number[];
  readonly pending: readonly number[];
}

/** How a handler gets stuck: in an update; the same, and then comes a list; in the first add of all that it is told of, and everything is behind that. */
type Stuck = 'in an update' | 'in an update before a list' | 'in its first add';

async function watchMemory(minutes: number, isAtRandom: boolean, how: Stuck): Promise<Memory> {
  const before = await heldBytes();
  let isStuck = false;
  let callsWhileStuck = 0;
  const hang = (): Promise<void> => {
    callsWhileStuck++;
    return new Promise(() => {});
  };
  const world = new ChurnWorld({ onUpdate: () => (isStuck ? hang() : undefined) });
  await world.start();
  const random = new SeededRandom(20);
  let turn = 0;
  const choose = isAtRandom ? () => Math.floor(random.next() * KEYS) : () => turn++ % KEYS;
  const heldAfter = async (seconds: number): Promise<number> => {
    for (let second = 0; second < seconds; second++) await world.second(choose, isAtRandom);
    return (await heldBytes()) - before;
  };
  const synced = await heldAfter(0);
  let live = 0;
  for (let look = 0; look < 20; look++) live = Math.max(live, await heldAfter(3));
  expect(world.pending).toBe(0);
  if (how === 'in its first add') world.harness.informer.addEventHandler({ onAdd: hang });
  else isStuck = true;
  await heldAfter(10);
  if (how === 'in an update before a list') await world.list();
  const held: number[] = [];
  const pending: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    held.push(await heldAfter(60));
    pending.push(world.pending);
  }
  expect(callsWhileStuck).toBe(1);
  world.expectCaughtUp();
  await world.stop();
  return { synced, live, held, pending };
}

it.each<[string, Stuck, string, number, boolean]>([
  ['ten minutes', 'in an update', 'in turn', 10, false],
  ['two minutes', 'in an update', 'at random and some are replaced', 2, true],
  ['two minutes', 'in an update before a list', 'at random and some are replaced', 2, true],
  ['two minutes', 'in its first add', 'at random and some are replaced', 2, true],
])(
  'a handler that is stuck for %s %s keeps memory below twice the live set, and flat, at 1,000 events a second, where keys change %s',
  async (_time, how, _order, minutes, isAtRandom) => {
    // What is made once, code above all.
    await watchMemory(1, isAtRandom, how);
    const memory = await watchMemory(minutes, isAtRandom, how);
    console.log(JSON.stringify(memory));
    const { live, held, pending } = memory;
    // One state of each but the one that it is told; and for one that was replaced its deletion, too.
    expect(Math.min(...pending)).toBeGreaterThanOrEqual(KEYS - 1);
    expect(Math.max(...pending)).toBeLessThanOrEqual(isAtRandom ? 2 * KEYS : KEYS);
    expect(Math.max(...held)).toBeLessThan(live * 2);
    expect(Math.max(...held)).toBeLessThan((held[0] ?? 0) * 1.1);
  },
  TIMEOUT_MS,
);
