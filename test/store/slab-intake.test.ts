import { describe, expect, it } from 'vitest';
import { Indexer } from '#dist/src/store/indexer.js';
import { TransformedEntry } from '#dist/src/store/object-entry.js';
import { SlabCache } from '#dist/src/store/slab/slab-cache.js';
import type { SlabEntry } from '#dist/src/store/slab/slab-entry.js';
import { SlabIntake } from '#dist/src/store/slab/slab-intake.js';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import { BatchReader, BatchWriter, IN_USE_WORD } from '#dist/src/wire/batch.js';
import type { ObjectRowType } from '#dist/src/wire/cells.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import { type Pod, pod } from '../support/objects/entries.js';
import { cellRow } from '../support/workers/cell-rows.js';
import { PodStream } from '../support/workers/pod-stream.js';

/** A store, its cache, and streams that bring batches. */
class World {
  readonly cache = new SlabCache<Pod>({ scheduler: new SliceScheduler() });
  readonly indexer = new Indexer<Pod>();
  readonly #packer = new ObjectPacker();
  readonly #readers = new ObjectReaders();

  /** What one batch of a new stream becomes. */
  receive(pods: readonly Pod[], type?: ObjectRowType): SlabEntry<Pod>[] {
    const stream = new PodStream({
      cache: this.cache,
      stored: (key) => this.indexer.getByKey(key),
      packer: this.#packer,
      readers: this.#readers,
    });
    return stream.receive(pods, type);
  }

  store(pods: readonly Pod[]): SlabEntry<Pod>[] {
    const entries = this.receive(pods);
    for (const entry of entries) this.indexer.add(entry);
    return entries;
  }
}

function podsOf(count: number, version = 1): Pod[] {
  return Array.from({ length: count }, (_, i) => pod(`p${String(i).padStart(5, '0')}`, version + i));
}

describe('SlabIntake, list', () => {
  it.each(['item', 'added'] as const)('reuses the stored entries where nothing has changed (%s)', (type) => {
    const world = new World();
    const stored = world.store(podsOf(100));
    const { copiedBytes } = world.cache.stats();
    const listed = world.receive(podsOf(100), type);
    for (const [i, entry] of listed.entries()) expect(entry).toBe(stored[i]);
    expect(world.cache.stats().copiedBytes).toBe(copiedBytes);
  });

  it('reuses the stored entries in any list order, and after they have moved', () => {
    const world = new World();
    world.store(podsOf(300));
    // Every third is somewhere else since, and its former slot is another's.
    for (let i = 0; i < 300; i += 3) world.store([pod(`p${String(i).padStart(5, '0')}`, 1000 + i)]);
    const current = podsOf(300).map((object, i) =>
      i % 3 === 0 ? pod(object.metadata.name, 1000 + i) : object,
    );
    const orders = [current, current.toReversed(), current.map((_, i) => current[(i * 7) % 300]!)];
    for (const order of orders) {
      const listed = world.receive(order);
      for (const [i, entry] of listed.entries()) {
        expect(entry).toBe(world.indexer.getByKey(`default/${order[i]?.metadata.name}`));
        expect(entry.object).toEqual(order[i]);
      }
    }
  });

  it('copies objects whose version, uid or name differ', () => {
    const world = new World();
    world.store([pod('a', 1), pod('b', 2), pod('c', 3), pod('d', 4)]);
    const objects = [pod('a', 7), pod('b', 2, { uid: 'other' }), pod('cc', 3), pod('d', 4)];
    const [a, b, cc, d] = world.receive(objects);
    expect([a, b, cc, d].map((entry) => entry?.object)).toEqual(objects);
    expect([a, b, cc].map((entry) => entry?.isStored)).toEqual([false, false, false]);
    expect(d).toBe(world.indexer.getByKey('default/d'));
  });

  it('copies an object whose state is held, but not by the store: the server went back to it', () => {
    const world = new World();
    const [a, b] = world.store([pod('a', 1), pod('b', 2), pod('c', 3)]);
    for (const entry of [a, b]) entry?.pin();
    world.store([pod('a', 7), pod('b', 8)]);
    const listed = world.receive([pod('a', 1), pod('b', 2), pod('c', 3)]);
    expect(listed.map((entry) => entry.isStored)).toEqual([false, false, true]);
    expect(listed.map((entry) => entry.object)).toEqual([pod('a', 1), pod('b', 2), pod('c', 3)]);
  });

  it('copies an object without a version', () => {
    const world = new World();
    const object = { metadata: { name: 'a', uid: 'u' } } as Pod;
    const [stored] = world.store([object]);
    expect(world.receive([object])[0]).not.toBe(stored);
  });

  it('copies an object of which the store holds another form', () => {
    const world = new World();
    const [raw] = world.receive([pod('a', 1)]);
    if (raw === undefined) throw new Error('unexpected');
    world.indexer.add(new TransformedEntry<Pod>(raw, { metadata: { name: 'a' } } as Pod));
    const [again] = world.receive([pod('a', 1)]);
    expect(again?.object).toEqual(pod('a', 1));
  });

  it('distinguishes strings of equal bytes in Latin-1 and UTF-16', () => {
    const world = new World();
    const narrow = { metadata: { name: 'n\u0000', uid: '', resourceVersion: '1' } } as Pod;
    const wide = { metadata: { name: 'n', uid: '雪', resourceVersion: '1' } } as Pod;
    world.store([narrow]);
    expect(world.receive([wide])[0]?.object).toEqual(wide);
  });
});

describe('SlabIntake, watch', () => {
  it.each(['modified', 'deleted'] as const)('never reuses the stored entry for a %s event', (type) => {
    const world = new World();
    const [stored] = world.store([pod('a', 1)]);
    expect(world.receive([pod('a', 1)], type)[0]).not.toBe(stored);
  });
});

describe('SlabIntake, batch', () => {
  it('releases the buffer of a batch as soon as its objects are copied', () => {
    const cache = new SlabCache({ scheduler: new SliceScheduler() });
    const text = 'x'.repeat(200_000);
    const packer = new ObjectPacker();
    const writer = new BatchWriter(packer, { scratch: new ScratchBuffers(4096) });
    const object = { ...pod('a', 1), text };
    const header = {
      type: 'item' as const,
      namespace: 'default',
      name: 'a',
      uid: '',
      resourceVersion: '1',
      indexValues: [],
    };
    writer.add(cellRow(header, packer.pack(object)));
    const buffer = writer.finish(1, 0);
    const batch = new BatchReader({ epoch: 1, readers: new ObjectReaders() }).read(buffer);
    const [row] = new SlabIntake(cache, () => undefined).rows(batch);
    expect(new Int32Array(buffer)[IN_USE_WORD]).toBe(0);
    expect(row).toMatchObject({ object });
  });
});
