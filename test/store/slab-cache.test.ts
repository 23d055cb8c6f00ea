import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Relist } from '#dist/src/informer/replace.js';
import { applyDelta } from '#dist/src/store/apply-delta.js';
import type { Entry } from '#dist/src/store/entry.js';
import { Indexer } from '#dist/src/store/indexer.js';
import { SlabCache } from '#dist/src/store/slab/slab-cache.js';
import type { SlabEntry } from '#dist/src/store/slab/slab-entry.js';
import { type Clock, systemClock } from '#dist/src/util/clock.js';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { type Pod, pod } from '../support/objects/entries.js';
import { SeededRandom } from '../support/time/seeded-random.js';
import { PodStream } from '../support/workers/pod-stream.js';

/** A worker, its stream and the main thread's memory. */
class World {
  readonly scheduler: SliceScheduler;
  readonly cache: SlabCache<Pod>;
  readonly indexer = new Indexer<Pod>({ indexers: { byNode: 'spec.nodeName' } });
  readonly #readers = new ObjectReaders();
  #stream: PodStream;

  constructor(clock: Clock = systemClock) {
    this.scheduler = new SliceScheduler({ clock });
    this.cache = new SlabCache<Pod>({ scheduler: this.scheduler, indexNames: ['byNode'] });
    this.#stream = this.#open();
  }

  restartWorker(): void {
    this.#stream = this.#open();
  }

  /** The entries of one batch. */
  receive(pods: readonly Pod[]): SlabEntry<Pod>[] {
    return this.#stream.receive(pods, 'added');
  }

  receiveOne(object: Pod): SlabEntry<Pod> {
    return this.receive([object])[0]!;
  }

  /** Until compaction has nothing more to do. */
  async settle(): Promise<void> {
    let before: number;
    do {
      before = this.cache.stats().copiedBytes;
      for (let i = 0; i < 50; i++) await this.scheduler.turn();
    } while (this.cache.stats().copiedBytes !== before);
  }

  #open(): PodStream {
    const { cache } = this;
    return new PodStream({ cache, stored: (key) => this.indexer.getByKey(key), readers: this.#readers });
  }
}

/** About 2 KB that no table shortens. */
function bigPod(name: string, version: number): Pod & { text: string } {
  const random = new SeededRandom(version * 7919 + name.length + Number(name.replace(/\D/g, '')));
  const text = Array.from({ length: 250 }, () => random.next().toString(36).slice(2, 10)).join('');
  return { ...pod(name, version, { nodeName: `node-${version % 5}` }), text };
}

/** Of their cells. */
function bytesOf(entries: Iterable<Entry<Pod>>): number {
  let sum = 0;
  for (const { slab, offset } of entries as Iterable<SlabEntry<Pod>>) sum += slab.cells.byteLengthAt(offset);
  return sum;
}

describe('SlabEntry', () => {
  it('has the header, the index values and the object that the worker sent', () => {
    const world = new World();
    const object = pod('web', 41, { namespace: 'shop', uid: 'u1', labels: { a: 'b' }, nodeName: 'n1' });
    const entry = world.receiveOne(object);
    expect(entry).toMatchObject({
      key: 'shop/web',
      namespace: 'shop',
      name: 'web',
      uid: 'u1',
      resourceVersion: '41',
    });
    expect(entry.indexValues('byNode')).toEqual(['n1']);
    expect(entry.indexValues('other')).toBeUndefined();
    expect(entry.object).toEqual(object);
  });

  it('has its name as key without a namespace', () => {
    const entry = new World().receiveOne({ metadata: { name: 'node-1' } } as Pod);
    expect(entry).toMatchObject({
      key: 'node-1',
      namespace: '',
      name: 'node-1',
      uid: '',
      resourceVersion: '',
    });
    expect(entry.indexValues('byNode')).toEqual([]);
  });

  it('is indexed by its precomputed values, without being decoded', () => {
    const world = new World();
    const entries = world.receive([
      pod('a', 1, { nodeName: 'n1' }),
      pod('b', 2, { nodeName: 'n2' }),
      pod('c', 3),
    ]);
    for (const entry of entries) world.indexer.add(entry);
    expect(world.indexer.indexKeys('byNode', 'n1')).toEqual(['default/a']);
    expect(world.indexer.indexKeys('byNode', 'n2')).toEqual(['default/b']);
  });

  it('returns the same object when read twice, and a fresh one after many others', () => {
    const world = new World();
    const entries = world.receive(Array.from({ length: 200 }, (_, i) => pod(`p${i}`, i + 1)));
    const first = entries[0]!.object;
    expect(entries[0]!.object).toBe(first);
    for (const entry of entries) expect(entry.object.metadata.name).toBe(entry.name);
    expect(entries[0]!.object).toEqual(first);
    expect(entries[0]!.object).not.toBe(first);
  });

  it('stays readable after it left the store, and after its slab was emptied', async () => {
    const world = new World();
    const old = world.receive(Array.from({ length: 1500 }, (_, i) => bigPod(`p${i}`, 1)));
    for (const entry of old) world.indexer.add(entry);
    for (const [i, { key }] of old.entries()) if (i % 15 !== 0) world.indexer.deleteByKey(key);
    await world.settle();
    expect(world.cache.stats().compactions).toBeGreaterThan(0);
    for (const [i, entry] of old.entries()) {
      expect(entry.object).toEqual(bigPod(`p${i}`, 1));
      expect(entry.uid).toBe(`uid-p${i}`);
    }
  });
});

describe('SlabCache, accounting', () => {
  it('counts stored entries once each, until they are released', () => {
    const world = new World();
    const [a, b, replacement] = [
      world.receiveOne(pod('a', 1)),
      world.receiveOne(pod('b', 2)),
      world.receiveOne(pod('a', 3)),
    ];
    expect(world.cache.stats()).toMatchObject({ entries: 0, liveBytes: 0, heldBytes: 0, slabs: 0 });
    world.indexer.add(a);
    world.indexer.add(a);
    world.indexer.add(b);
    expect(world.cache.stats()).toMatchObject({ entries: 2, slabs: 1 });
    world.indexer.add(replacement);
    expect(world.cache.stats()).toMatchObject({ entries: 2, slabs: 1 });
    world.indexer.deleteByKey(b.key);
    world.indexer.deleteByKey(b.key);
    world.indexer.delete(replacement);
    expect(world.cache.stats()).toMatchObject({ entries: 0, liveBytes: 0, heldBytes: 0, slabs: 0 });
  });

  it('counts pinned entries, too, until their last unpin', () => {
    const world = new World();
    const [a, b] = [world.receiveOne(pod('a', 1)), world.receiveOne(pod('b', 2))];
    const bytes = bytesOf([a]);
    world.indexer.add(a);
    a.pin();
    a.pin();
    world.indexer.deleteByKey(a.key);
    expect(a.isStored).toBe(false);
    expect(world.cache.stats()).toMatchObject({ entries: 0, liveBytes: bytes, slabs: 1 });
    a.unpin();
    world.indexer.add(a);
    world.indexer.deleteByKey(a.key);
    expect(world.cache.stats()).toMatchObject({ entries: 0, liveBytes: bytes, slabs: 1 });
    a.unpin();
    b.pin();
    b.unpin();
    expect(world.cache.stats()).toMatchObject({ entries: 0, liveBytes: 0, heldBytes: 0, slabs: 0 });
  });

  it('follows a replacement of everything, in which unchanged entries stay', () => {
    const world = new World();
    const first = world.receive(Array.from({ length: 10 }, (_, i) => pod(`p${i}`, i + 1)));
    world.indexer.replace(first, '10');
    expect(world.cache.stats()).toMatchObject({ entries: 10, slabs: 1 });
    const kept = first.slice(0, 4);
    world.indexer.replace([...kept, ...world.receive([pod('p5', 20), pod('new', 21)])], '21');
    expect(world.cache.stats()).toMatchObject({ entries: 6, slabs: 1 });
    world.indexer.replace([], '30');
    expect(world.cache.stats()).toMatchObject({ entries: 0, liveBytes: 0, heldBytes: 0, slabs: 0 });
  });

  it('follows a relist: unchanged entries stay where they are, what is gone is released after handlers were told', async () => {
    const world = new World();
    world.indexer.replace(world.receive(Array.from({ length: 300 }, (_, i) => pod(`p${i}`, i + 1))), '300');
    const before = new Map([...world.indexer.entries()].map((entry) => [entry.key, entry]));
    const slice = world.scheduler.open();
    const relist = new Relist<Pod>({
      indexer: world.indexer,
      prepare: (entry) => entry,
      slice,
      signal: new AbortController().signal,
    });
    const listed = world.receive([
      ...Array.from({ length: 200 }, (_, i) => pod(`p${i}`, i < 50 ? i + 1 : i + 1000)),
      ...Array.from({ length: 100 }, (_, i) => pod(`new${i}`, i + 2000)),
    ]);
    await relist.compare(listed, new Set());
    await relist.commit('3000');
    expect(world.indexer.size).toBe(300);
    expect(world.cache.stats().entries).toBe(550);
    await relist.release();
    expect(world.cache.stats().entries).toBe(300);
    for (const entry of world.indexer.entries()) {
      const isUnchanged = Number(entry.resourceVersion) <= 50;
      expect(entry === before.get(entry.key)).toBe(isUnchanged);
      expect(entry.object.metadata.resourceVersion).toBe(entry.resourceVersion);
    }
  });

  it('equals the store after any history of adds, updates, deletes and replacements', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const step = fc.oneof(
      fc.record({ verb: fc.constant('apply' as const), names: fc.subarray(names) }),
      fc.record({ verb: fc.constant('delete' as const), names: fc.subarray(names) }),
      fc.record({
        verb: fc.constant('replace' as const),
        names: fc.subarray(names),
        kept: fc.subarray(names),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const world = new World();
        const model = new Map<string, Pod>();
        let version = 0;
        for (const { verb, names: touched, ...rest } of steps) {
          const news = touched.map((name) => pod(name, ++version, { nodeName: `n${version % 3}` }));
          const entries = world.receive(news);
          if (verb === 'replace') {
            const kept = [...world.indexer.entries()].filter(
              ({ name }) => 'kept' in rest && rest.kept.includes(name) && !touched.includes(name),
            );
            for (const name of [...model.keys()])
              if (!kept.some((entry) => entry.name === name)) model.delete(name);
            world.indexer.replace([...kept, ...entries], String(version));
          }
          for (const [i, entry] of entries.entries()) {
            if (verb === 'apply')
              applyDelta(world.indexer, { type: 'Updated', entry, finalStateUnknown: false });
            if (verb === 'delete') world.indexer.delete(entry);
            if (verb === 'delete') model.delete(touched[i]!);
            else model.set(touched[i]!, news[i]!);
          }
          const stored = [...world.indexer.entries()];
          expect(new Map(stored.map((entry) => [entry.name, entry.object]))).toEqual(model);
          expect(world.cache.stats()).toMatchObject({ entries: model.size, liveBytes: bytesOf(stored) });
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('SlabCache, garbage collection', () => {
  /** Receives 40 MiB; true if a collection was provoked, by allocating a large ArrayBuffer. */
  function provokesCollection(world: World, version: number): boolean {
    let isProvoked = false;
    const construct = (target: typeof ArrayBuffer, [bytes]: [number]): ArrayBuffer => {
      if (bytes > 64 * 2 ** 20) isProvoked = true;
      return new target(bytes);
    };
    vi.stubGlobal('ArrayBuffer', new Proxy(ArrayBuffer, { construct }));
    for (let i = 0; i < 40; i++) {
      const text = `${version}${i}`.padEnd(2 ** 20, 'x');
      world.receive([{ ...pod(`${version}-${i}`, version), text } as Pod]);
    }
    vi.unstubAllGlobals();
    return isProvoked;
  }

  it('is not provoked by a list on its way into the store, but by one that has failed', () => {
    const world = new World();
    expect(provokesCollection(world, 1)).toBe(false);
    world.cache.startList();
    expect(provokesCollection(world, 2)).toBe(true);
  });
});

describe('SlabCache, compaction', () => {
  it('keeps memory within 1.3 of the live bytes while every entry is updated three times in random order', async () => {
    const world = new World();
    const random = new SeededRandom(5);
    const names = Array.from({ length: 3000 }, (_, i) => `p${i}`);
    for (let i = 0; i < names.length; i += 100) {
      for (const entry of world.receive(names.slice(i, i + 100).map((name) => bigPod(name, 1))))
        world.indexer.add(entry);
    }
    const synced = world.cache.stats();
    expect(synced.heldBytes).toBeLessThan(synced.liveBytes * 1.05);
    let version = 1;
    let worst = 0;
    for (let round = 0; round < 3; round++) {
      version++;
      for (let i = names.length - 1; i > 0; i--) {
        const j = Math.floor(random.next() * (i + 1));
        [names[i], names[j]] = [names[j]!, names[i]!];
      }
      for (let i = 0; i < names.length; i += 7) {
        for (const entry of world.receive(names.slice(i, i + 7).map((name) => bigPod(name, version)))) {
          world.indexer.add(entry);
        }
        await world.scheduler.turn();
        const { heldBytes, liveBytes } = world.cache.stats();
        worst = Math.max(worst, heldBytes / liveBytes);
      }
      await world.settle();
    }
    expect(worst).toBeLessThan(1.3);
    const { heldBytes, liveBytes, slabs, copiedBytes, entries } = world.cache.stats();
    expect(entries).toBe(3000);
    expect(heldBytes / liveBytes).toBeLessThan(1.25);
    expect(slabs).toBeLessThan(400);
    expect(copiedBytes).toBeLessThan(liveBytes * 3 * 4);
    for (const entry of world.indexer.entries()) {
      expect(entry.object).toEqual(bigPod(entry.name, version));
      expect(entry.indexValues('byNode')).toEqual([`node-${version % 5}`]);
    }
  });

  it('never lets one live object pin its batch', async () => {
    const world = new World();
    for (let batch = 0; batch < 100; batch++) {
      const names = Array.from({ length: 60 }, (_, i) => `b${batch}-${i}`);
      for (const entry of world.receive(names.map((name) => bigPod(name, 1)))) world.indexer.add(entry);
    }
    for (const entry of [...world.indexer.entries()]) {
      if (!entry.name.endsWith('-0')) world.indexer.deleteByKey(entry.key);
    }
    await world.settle();
    const { heldBytes, liveBytes, entries } = world.cache.stats();
    expect(entries).toBe(100);
    expect(heldBytes).toBeLessThan(liveBytes + 512 * 1024);
  });

  it('never lets entries that are pending for a handler keep newer states in memory', async () => {
    const world = new World();
    const waiting: SlabEntry<Pod>[] = [];
    let version = 1;
    for (let i = 0; i < 5000; i++) {
      const entry = world.receiveOne(bigPod(`p${i % 50}`, ++version));
      world.indexer.add(entry);
      if (i % 100 === 0) {
        entry.pin();
        waiting.push(entry);
      }
      if (i % 10 === 0) await world.scheduler.turn();
    }
    await world.settle();
    const { heldBytes, liveBytes, entries } = world.cache.stats();
    expect(entries).toBe(50);
    expect(liveBytes).toBe(bytesOf(new Set([...waiting, ...world.indexer.entries()])));
    expect(heldBytes).toBeLessThan(liveBytes * 1.2 + 512 * 1024);
    for (const entry of waiting) {
      expect(entry.object).toEqual(bigPod(entry.name, Number(entry.resourceVersion)));
      entry.unpin();
    }
    expect(world.cache.stats().liveBytes).toBe(bytesOf(world.indexer.entries()));
  });

  it('merges the small slabs of watch events', async () => {
    const world = new World();
    for (let i = 0; i < 3000; i++) {
      world.indexer.add(world.receiveOne(bigPod(`p${i % 1000}`, i)));
      if (i % 20 === 0) await world.scheduler.turn();
    }
    await world.settle();
    expect(world.cache.stats().slabs).toBeLessThan(300);
    for (const entry of world.indexer.entries()) expect(entry.object.metadata.name).toBe(entry.name);
  });

  it('keeps entries of a restarted worker readable by the table of the old one', async () => {
    const world = new World();
    for (let life = 0; life < 5; life++) {
      for (let i = 0; i < 20; i++) {
        const names = Array.from({ length: 30 }, (_, j) => `p${i * 30 + j}`);
        const news = names
          .filter((_, j) => j % 5 >= life)
          .map((name) => ({ ...bigPod(name, life + 1), [`shape${life}`]: { of: name } }));
        for (const entry of world.receive(news)) world.indexer.add(entry);
      }
      world.restartWorker();
    }
    await world.settle();
    expect(world.cache.stats().compactions).toBeGreaterThan(0);
    for (const entry of world.indexer.entries()) {
      const life = Number(entry.resourceVersion) - 1;
      expect(entry.object).toEqual({ ...bigPod(entry.name, life + 1), [`shape${life}`]: { of: entry.name } });
    }
  });

  it('works in slices, and handles entries that change between them', async () => {
    let now = 0;
    // A millisecond passes with every look at the clock: a slice of 5 ms has room for 4 entries.
    const world = new World({ ...systemClock, now: () => now++ });
    for (const entry of world.receive(Array.from({ length: 800 }, (_, i) => bigPod(`p${i}`, 1))))
      world.indexer.add(entry);
    for (let i = 0; i < 800; i += 2) world.indexer.deleteByKey(`default/p${i}` as never);
    let turns = 0;
    for (let i = 501; i < 800; i++) {
      await world.scheduler.turn();
      turns++;
      if (i % 2 === 1) world.indexer.add(world.receiveOne(bigPod(`p${i}`, 2)));
      else if (i % 3 === 0) world.indexer.deleteByKey(`default/p${i}` as never);
    }
    expect(turns).toBe(299);
    await world.settle();
    const stats = world.cache.stats();
    expect(stats.compactions).toBeGreaterThan(0);
    expect(stats.entries).toBe(world.indexer.size);
    for (const entry of world.indexer.entries()) {
      expect(entry.object).toEqual(bigPod(entry.name, Number(entry.resourceVersion)));
    }
  });
});
