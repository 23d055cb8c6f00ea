import { describe, expect, it } from 'vitest';
import { type QueueDelta, RealFIFO } from '#dist/src/store/queue/real-fifo.js';
import { entry, type Pod } from '../support/objects/entries.js';

function text(delta: QueueDelta<Pod>): string {
  switch (delta.type) {
    case 'ReplacedAll':
      return `ReplacedAll(${[...delta.entries].map((e) => e.name).join(' ')})@${delta.resourceVersion}`;
    case 'SyncAll':
      return 'SyncAll';
    case 'Bookmark':
      return `Bookmark@${delta.resourceVersion}`;
    default:
      return `${delta.type} ${delta.entry.name}@${delta.entry.resourceVersion}`;
  }
}

function popAll(fifo: RealFIFO<Pod>, limit?: number): string[][] {
  const batches: string[][] = [];
  for (let batch = fifo.popBatch(limit); batch !== undefined; batch = fifo.popBatch(limit)) {
    batches.push(batch.deltas.map(text));
    batch.done();
  }
  return batches;
}

describe('RealFIFO', () => {
  it('keeps the order of arrival across keys, and merges nothing', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.add(entry('b', 2));
    fifo.update(entry('a', 3));
    fifo.delete(entry('a', 4));
    fifo.add(entry('a', 5));
    expect(popAll(fifo).flat()).toEqual([
      'Added a@1',
      'Added b@2',
      'Updated a@3',
      'Deleted a@4',
      'Added a@5',
    ]);
  });

  it('queues deletions of unknown keys', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.delete(entry('a', 1));
    expect(popAll(fifo)).toEqual([['Deleted a@1']]);
  });

  it('queues one delta per replace, in order, with its version', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.replace([entry('a', 1), entry('b', 2)], '2');
    fifo.bookmark('3');
    fifo.replace([], '4');
    fifo.add(entry('c', 5));
    expect(popAll(fifo)).toEqual([
      ['Added a@1'],
      ['ReplacedAll(a b)@2'],
      ['Bookmark@3'],
      ['ReplacedAll()@4'],
      ['Added c@5'],
    ]);
  });

  it('keeps a copy of the unreadable keys of a list', () => {
    const fifo = new RealFIFO<Pod>();
    const unreadable = new Set(['default/a']);
    fifo.replace([], '1', unreadable);
    unreadable.clear();
    expect(fifo.popBatch()?.deltas).toMatchObject([{ unreadableKeys: new Set(['default/a']) }]);
  });

  it('queues one SyncAll per resync, in order, and no second one while it is queued', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.resync();
    fifo.resync();
    fifo.add(entry('b', 2));
    expect(popAll(fifo)).toEqual([['Added a@1'], ['SyncAll'], ['Added b@2']]);
    fifo.resync();
    expect(popAll(fifo)).toEqual([['SyncAll']]);
  });

  it('keeps only the last of consecutive bookmarks', () => {
    const fifo = new RealFIFO<Pod>();
    for (let i = 1; i <= 1000; i++) fifo.bookmark(String(i));
    expect(popAll(fifo)).toEqual([['Bookmark@1000']]);
  });

  it('ends a batch before a second delta of a key and at its limit', () => {
    const fifo = new RealFIFO<Pod>();
    for (const [name, version] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
      ['c', 4],
      ['d', 5],
      ['e', 6],
    ] as const) {
      fifo.update(entry(name, version));
    }
    expect(popAll(fifo, 3)).toEqual([
      ['Updated a@1', 'Updated b@2'],
      ['Updated a@3', 'Updated c@4', 'Updated d@5'],
      ['Updated e@6'],
    ]);
  });

  it('ends a batch at the end of the first list', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.replace([entry('a', 1)], '1');
    fifo.add(entry('b', 2));
    fifo.add(entry('c', 3));
    const initial: [string[], boolean][] = [];
    for (let batch = fifo.popBatch(); batch; batch = fifo.popBatch()) {
      initial.push([batch.deltas.map(text), batch.isInInitialList]);
      batch.done();
    }
    expect(initial).toEqual([
      [['ReplacedAll(a)@1'], true],
      [['Added b@2', 'Added c@3'], false],
    ]);
  });

  describe('hasSynced', () => {
    it('is false for a list, even an empty one, until it is processed', () => {
      let synced = 0;
      const fifo = new RealFIFO<Pod>({ onSynced: () => void synced++ });
      fifo.replace([], '1');
      expect(fifo.hasSynced).toBe(false);
      const batch = fifo.popBatch();
      expect(fifo.hasSynced).toBe(false);
      batch?.done();
      expect(fifo.hasSynced).toBe(true);
      fifo.replace([], '2');
      expect(fifo.hasSynced).toBe(true);
      popAll(fifo);
      expect(synced).toBe(1);
    });

    it('is true at once for an event before any list', () => {
      const fifo = new RealFIFO<Pod>();
      expect(fifo.hasSynced).toBe(false);
      fifo.add(entry('a', 1));
      expect(fifo.hasSynced).toBe(true);
    });

    it('does not count what was popped before the first list', () => {
      const fifo = new RealFIFO<Pod>();
      fifo.resync();
      const before = fifo.popBatch();
      fifo.replace([entry('a', 1)], '1');
      before?.done();
      expect(fifo.hasSynced).toBe(false);
    });
  });

  describe('bounds', () => {
    it('is behind beyond two batches, and resolves drained when it no longer is', async () => {
      const fifo = new RealFIFO<Pod>();
      for (let i = 0; i < 2001; i++) fifo.add(entry(`p${i}`, i + 1));
      expect(fifo.isBehind).toBe(true);
      let isDrained = false;
      const drained = fifo.drained(new AbortController().signal).then(() => {
        isDrained = true;
      });
      await Promise.resolve();
      expect(isDrained).toBe(false);
      fifo.popBatch()?.done();
      await drained;
      expect(fifo.isBehind).toBe(false);
    });

    it('holds no more than two lists', async () => {
      const fifo = new RealFIFO<Pod>();
      fifo.replace([], '1');
      expect(fifo.isBehind).toBe(false);
      fifo.replace([], '2');
      expect(fifo.isBehind).toBe(true);
      const batch = fifo.popBatch();
      expect(fifo.isBehind).toBe(true);
      batch?.done();
      expect(fifo.isBehind).toBe(false);
    });

    it('drops everything once closed, and releases a waiting producer', async () => {
      const fifo = new RealFIFO<Pod>();
      for (let i = 0; i < 2001; i++) fifo.add(entry(`p${i}`, i + 1));
      const drained = fifo.drained(new AbortController().signal);
      fifo.close();
      await drained;
      fifo.add(entry('late', 9999));
      fifo.replace([], '1');
      fifo.resync();
      fifo.bookmark('2');
      expect(fifo.length).toBe(0);
      expect(fifo.popBatch()).toBeUndefined();
    });
  });
});
