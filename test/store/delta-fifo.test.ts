import { describe, expect, it } from 'vitest';
import type { Entry } from '#dist/src/store/entry.js';
import { Indexer } from '#dist/src/store/indexer.js';
import type { Deltas } from '#dist/src/store/queue/delta.js';
import { DeltaFIFO, RequeueError } from '#dist/src/store/queue/delta-fifo.js';
import { entry, type Pod } from '../support/objects/entries.js';

function knowing(...entries: Entry<Pod>[]): Indexer<Pod> {
  const indexer = new Indexer<Pod>();
  for (const known of entries) indexer.add(known);
  return indexer;
}

function text(deltas: Deltas<Pod>): string {
  return deltas
    .map((d) => `${d.type}${d.finalStateUnknown ? '?' : ''} ${d.entry.name}@${d.entry.resourceVersion}`)
    .join(', ');
}

async function popAll(fifo: DeltaFIFO<Pod>): Promise<string[]> {
  const popped: string[] = [];
  while (fifo.length > 0) await fifo.pop((deltas) => void popped.push(text(deltas)));
  return popped;
}

describe('DeltaFIFO', () => {
  it('accumulates the deltas of a key, and pops them together', async () => {
    const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing() });
    fifo.add(entry('a', 1));
    fifo.update(entry('a', 2));
    fifo.delete(entry('a', 3));
    expect(await popAll(fifo)).toEqual(['Added a@1, Updated a@2, Deleted a@3']);
  });

  it('keeps the position of a key that changes again', async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.add(entry('b', 2));
    fifo.update(entry('a', 3));
    fifo.add(entry('c', 4));
    expect(await popAll(fifo)).toEqual(['Added a@1, Updated a@3', 'Added b@2', 'Added c@4']);
  });

  it('appends a popped key when it changes again', async () => {
    const fifo = new DeltaFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.add(entry('b', 2));
    await fifo.pop(() => {});
    fifo.update(entry('a', 3));
    expect(await popAll(fifo)).toEqual(['Added b@2', 'Updated a@3']);
  });

  it('keeps the order of each producer', async () => {
    const fifo = new DeltaFIFO<Pod>();
    const producers = ['x', 'y'].map(async (name) => {
      for (let i = 1; i <= 50; i++) {
        fifo.add(entry(`${name}${i}`, i));
        await Promise.resolve();
      }
    });
    await Promise.all(producers);
    const order = await popAll(fifo);
    for (const name of ['x', 'y']) {
      const own = order.filter((popped) => popped.includes(`Added ${name}`));
      expect(own).toEqual(Array.from({ length: 50 }, (_, i) => `Added ${name}${i + 1}@${i + 1}`));
    }
  });

  describe('deletions', () => {
    it('drops the deletion of an unknown key', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing() });
      fifo.delete(entry('a', 1));
      expect(fifo.length).toBe(0);
      expect(new DeltaFIFO<Pod>().length).toBe(0);
    });

    it('queues the deletion of a known key', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('a', 1)) });
      fifo.delete(entry('a', 2));
      expect(await popAll(fifo)).toEqual(['Deleted a@2']);
    });

    it('queues the deletion of an object that is only queued', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing() });
      fifo.add(entry('a', 1));
      fifo.delete(entry('a', 2));
      expect(await popAll(fifo)).toEqual(['Added a@1, Deleted a@2']);
    });

    it('merges two deletions into the one that knows the final state', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('a', 1)) });
      fifo.delete(entry('a', 2));
      fifo.replace([], '3');
      expect(await popAll(fifo)).toEqual(['Deleted a@2']);

      fifo.replace([], '4');
      fifo.delete(entry('a', 5));
      expect(await popAll(fifo)).toEqual(['Deleted a@5']);
    });
  });

  describe('replace', () => {
    it('queues tombstones of known and of queued objects before the items, with the newest state', async () => {
      const fifo = new DeltaFIFO<Pod>({
        knownObjects: knowing(entry('foo', 1), entry('bar', 2), entry('baz', 3)),
      });
      fifo.delete(entry('baz', 10));
      fifo.add(entry('qux', 4));
      fifo.update(entry('qux', 5));
      fifo.replace([entry('foo', 6)], '11');
      expect(await popAll(fifo)).toEqual([
        'Deleted baz@10',
        'Added qux@4, Updated qux@5, Deleted? qux@5',
        'Deleted? bar@2',
        'Replaced foo@6',
      ]);
    });

    // kubernetes/kubernetes#83810
    it('queues a listed object after a queued deletion', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('a', 1)) });
      fifo.delete(entry('a', 2));
      fifo.replace([entry('a', 3)], '3');
      expect(await popAll(fifo)).toEqual(['Deleted a@2, Replaced a@3']);
    });

    // kubernetes/kubernetes#115658
    it('deletes exactly once an object that was only in the queue, with and without known objects', async () => {
      for (const options of [{}, { knownObjects: knowing() }]) {
        const fifo = new DeltaFIFO<Pod>(options);
        fifo.add(entry('a', 1));
        fifo.replace([], '2');
        expect(await popAll(fifo)).toEqual(['Added a@1, Deleted? a@1']);
      }
    });

    it('deletes an object that is neither queued nor known because it is being processed', async () => {
      const known = knowing();
      const fifo = new DeltaFIFO<Pod>({ knownObjects: known });
      fifo.add(entry('a', 1));
      await fifo.pop(async () => {
        fifo.replace([], '2');
      });
      expect(await popAll(fifo)).toEqual(['Deleted? a@1']);
    });

    it('keeps unreadable objects', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('known', 1), entry('gone', 2)) });
      fifo.add(entry('queued', 3));
      fifo.replace([], '4', new Set(['default/known', 'default/queued']));
      expect(await popAll(fifo)).toEqual(['Added queued@3', 'Deleted? gone@2']);
    });

    it('pops an add and its replacement as one, newest last', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.add(entry('a', 1));
      fifo.replace([entry('a', 2)], '2');
      expect(await popAll(fifo)).toEqual(['Added a@1, Replaced a@2']);
    });

    it('queues its items as Sync if configured', async () => {
      const fifo = new DeltaFIFO<Pod>({ replaceDeltaType: 'Sync' });
      fifo.replace([entry('a', 1)], '1');
      expect(await popAll(fifo)).toEqual(['Sync a@1']);
    });
  });

  describe('resync', () => {
    it('queues a Sync for a known key with nothing queued', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('a', 1)) });
      fifo.resync();
      fifo.resync();
      expect(await popAll(fifo)).toEqual(['Sync a@1']);
    });

    it('never overrides a pending change', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('a', 1), entry('b', 2)) });
      fifo.update(entry('a', 3));
      fifo.delete(entry('b', 4));
      fifo.resync();
      expect(await popAll(fifo)).toEqual(['Updated a@3', 'Deleted b@4']);
    });

    it('does nothing without known objects', () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.resync();
      expect(fifo.length).toBe(0);
    });
  });

  describe('transform', () => {
    it('runs once per object, and never for tombstones and syncs', async () => {
      const seen: string[] = [];
      const known = knowing(entry('gone', 1), entry('idle', 2));
      const fifo = new DeltaFIFO<Pod>({
        knownObjects: known,
        transform: (e) => {
          seen.push(`${e.name}@${e.resourceVersion}`);
          return e;
        },
      });
      fifo.add(entry('a', 3));
      fifo.update(entry('a', 4));
      fifo.delete(entry('a', 5));
      fifo.replace([entry('idle', 2), entry('b', 6)], '6');
      await popAll(fifo);
      fifo.resync();
      expect(seen).toEqual(['a@3', 'a@4', 'a@5', 'idle@2', 'b@6']);
    });

    it('fails a replace as a whole, with nothing queued', () => {
      const fifo = new DeltaFIFO<Pod>({
        transform: (e) => {
          if (e.name === 'bad') throw new Error('no');
          return e;
        },
      });
      expect(() => fifo.replace([entry('a', 1), entry('bad', 2)], '2')).toThrow('no');
      expect(fifo.length).toBe(0);
      expect(fifo.hasSynced).toBe(false);
    });
  });

  describe('hasSynced', () => {
    it.each<[string, (fifo: DeltaFIFO<Pod>) => void, number, boolean]>([
      ['nothing happened', () => {}, 0, false],
      ['an add before any list', (f) => f.add(entry('a', 1)), 0, true],
      ['an empty list', (f) => f.replace([], '1'), 0, true],
      ['a list, nothing popped', (f) => f.replace([entry('a', 1), entry('b', 2)], '2'), 0, false],
      ['a list, partly popped', (f) => f.replace([entry('a', 1), entry('b', 2)], '2'), 1, false],
      ['a list, all popped', (f) => f.replace([entry('a', 1), entry('b', 2)], '2'), 2, true],
    ])('%s', async (_name, act, pops, expected) => {
      const fifo = new DeltaFIFO<Pod>();
      act(fifo);
      for (let i = 0; i < pops; i++) await fifo.pop(() => {});
      expect(fifo.hasSynced).toBe(expected);
    });

    it('waits for the deletions of the first list too', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('old', 1)) });
      fifo.replace([entry('a', 2)], '2');
      await fifo.pop(() => {});
      expect(fifo.hasSynced).toBe(false);
      await fifo.pop(() => {});
      expect(fifo.hasSynced).toBe(true);
    });

    it('becomes true only after the last item was processed', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.replace([entry('a', 1)], '1');
      let during: boolean | undefined;
      await fifo.pop(async () => {
        await Promise.resolve();
        during = fifo.hasSynced;
      });
      expect(during).toBe(false);
      expect(fifo.hasSynced).toBe(true);
    });

    it('marks the pops of the first list', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.replace([entry('a', 1), entry('b', 2)], '2');
      fifo.add(entry('c', 3));
      const initial: boolean[] = [];
      for (let i = 0; i < 3; i++)
        await fifo.pop((_deltas, isInInitialList) => void initial.push(isInInitialList));
      expect(initial).toEqual([true, true, false]);
    });
  });

  describe('pop', () => {
    it('waits for an item', async () => {
      const fifo = new DeltaFIFO<Pod>();
      const popped = fifo.pop((deltas) => expect(text(deltas)).toBe('Added a@1'));
      fifo.add(entry('a', 1));
      await popped;
    });

    it('rejects all waiting pops when the queue is closed', async () => {
      const fifo = new DeltaFIFO<Pod>();
      const pops = Array.from({ length: 10 }, () => fifo.pop(() => {}));
      fifo.close();
      const results = await Promise.allSettled(pops);
      expect(results.map((r) => r.status === 'rejected' && r.reason.code)).toEqual(
        Array.from({ length: 10 }, () => 'KUBEFLECT_QUEUE_CLOSED'),
      );
    });

    it('still pops what is queued after a close', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.add(entry('a', 1));
      fifo.close();
      fifo.add(entry('b', 2));
      expect(await popAll(fifo)).toEqual(['Added a@1', 'Added b@2']);
      await expect(fifo.pop(() => {})).rejects.toMatchObject({ code: 'KUBEFLECT_QUEUE_CLOSED' });
    });

    it('processes one at a time', async () => {
      const fifo = new DeltaFIFO<Pod>();
      for (const name of ['a', 'b', 'c']) fifo.add(entry(name, 1));
      let running = 0;
      const process = async (): Promise<void> => {
        expect(++running).toBe(1);
        await Promise.resolve();
        running--;
      };
      await Promise.all([fifo.pop(process), fifo.pop(process), fifo.pop(process)]);
    });

    it('throws what the process function threw, and drops the item', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.add(entry('a', 1));
      await expect(
        fifo.pop(() => {
          throw new Error('broken');
        }),
      ).rejects.toThrow('broken');
      expect(fifo.length).toBe(0);
    });

    it('requeues on a RequeueError, before newer deltas', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.add(entry('a', 1));
      fifo.add(entry('b', 2));
      await fifo.pop(async () => {
        throw new RequeueError();
      });
      await fifo.pop(() => {
        fifo.update(entry('b', 3));
        throw new RequeueError();
      });
      expect(await popAll(fifo)).toEqual(['Added a@1', 'Added b@2, Updated b@3']);
    });

    it('does not count a requeued item as processed', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.replace([entry('a', 1)], '1');
      await fifo.pop(() => {
        throw new RequeueError();
      });
      expect(fifo.hasSynced).toBe(false);
      await fifo.pop(() => {});
      expect(fifo.hasSynced).toBe(true);
    });

    it('pops batches that end at the limit and at the end of the first list', async () => {
      const fifo = new DeltaFIFO<Pod>();
      fifo.replace(
        Array.from({ length: 5 }, (_, i) => entry(`a${i}`, i + 1)),
        '5',
      );
      fifo.add(entry('b', 6));
      const sizes: [number, boolean][] = [];
      while (fifo.length > 0)
        await fifo.popBatch((batch, isInitial) => void sizes.push([batch.length, isInitial]), 3);
      expect(sizes).toEqual([
        [3, true],
        [2, true],
        [1, false],
      ]);
    });
  });

  describe('bounds', () => {
    it('bounds the deltas of one key, however often it changes', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('a', 1)) });
      for (let i = 2; i < 10_000; i += 2) {
        fifo.update(entry('a', i));
        if (i % 6 === 0) fifo.delete(entry('a', i + 1));
      }
      fifo.update(entry('a', 10_001));
      await fifo.pop((deltas) => {
        expect(deltas.length).toBeLessThanOrEqual(16);
        expect(deltas.some((delta) => delta.type === 'Deleted')).toBe(true);
        expect(deltas.at(-1)?.entry.resourceVersion).toBe('10001');
      });
    });

    it('keeps a deletion before many updates', async () => {
      const fifo = new DeltaFIFO<Pod>({ knownObjects: knowing(entry('a', 1)) });
      fifo.delete(entry('a', 2));
      for (let i = 3; i < 100; i++) fifo.update(entry('a', i, { uid: 'again' }));
      await fifo.pop((deltas) => {
        expect(deltas[0]).toMatchObject({ type: 'Deleted', entry: { resourceVersion: '2' } });
        expect(deltas.at(-1)?.entry.resourceVersion).toBe('99');
      });
    });

    it('is behind beyond two batches, and resolves drained when it no longer is', async () => {
      const fifo = new DeltaFIFO<Pod>();
      for (let i = 0; i < 2001; i++) fifo.add(entry(`p${i}`, i + 1));
      expect(fifo.isBehind).toBe(true);
      const drained = fifo.drained(new AbortController().signal);
      await fifo.popBatch(() => {});
      await drained;
      expect(fifo.isBehind).toBe(false);
    });

    it('releases a producer whose signal aborts', async () => {
      const fifo = new DeltaFIFO<Pod>();
      for (let i = 0; i < 2001; i++) fifo.add(entry(`p${i}`, i + 1));
      const abort = new AbortController();
      const drained = fifo.drained(abort.signal);
      abort.abort();
      await drained;
      expect(fifo.isBehind).toBe(true);
    });
  });
});
