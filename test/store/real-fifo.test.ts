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

function popAll(fifo: RealFIFO<Pod>): string[] {
  const deltas: string[] = [];
  for (let delta = fifo.pop(); delta !== undefined; delta = fifo.pop()) {
    deltas.push(text(delta));
    fifo.done(delta);
  }
  return deltas;
}

describe('RealFIFO', () => {
  it('keeps the order of arrival across keys, and merges nothing', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.add(entry('b', 2));
    fifo.update(entry('a', 3));
    fifo.delete(entry('a', 4));
    fifo.add(entry('a', 5));
    expect(popAll(fifo)).toEqual(['Added a@1', 'Added b@2', 'Updated a@3', 'Deleted a@4', 'Added a@5']);
  });

  it('queues deletions of unknown keys', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.delete(entry('a', 1));
    expect(popAll(fifo)).toEqual(['Deleted a@1']);
  });

  it('queues one delta per replace, in order, with its version', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.replace([entry('a', 1), entry('b', 2)], '2');
    fifo.bookmark('3');
    fifo.replace([], '4');
    fifo.add(entry('c', 5));
    expect(popAll(fifo)).toEqual([
      'Added a@1',
      'ReplacedAll(a b)@2',
      'Bookmark@3',
      'ReplacedAll()@4',
      'Added c@5',
    ]);
  });

  it('keeps a copy of the unreadable keys of a list', () => {
    const fifo = new RealFIFO<Pod>();
    const unreadable = new Set(['default/a']);
    fifo.replace([], '1', unreadable);
    unreadable.clear();
    expect(fifo.pop()).toMatchObject({ unreadableKeys: new Set(['default/a']) });
  });

  it('queues one SyncAll per resync, in order, and no second one while it is queued', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.resync();
    fifo.resync();
    fifo.add(entry('b', 2));
    expect(popAll(fifo)).toEqual(['Added a@1', 'SyncAll', 'Added b@2']);
    fifo.resync();
    expect(popAll(fifo)).toEqual(['SyncAll']);
  });

  it('keeps only the last of consecutive bookmarks', () => {
    const fifo = new RealFIFO<Pod>();
    for (let i = 1; i <= 1000; i++) fifo.bookmark(String(i));
    expect(popAll(fifo)).toEqual(['Bookmark@1000']);
  });

  it('pops an object only if the next delta is one of an object', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.add(entry('a', 1));
    fifo.bookmark('2');
    expect(text(fifo.popObject() as QueueDelta<Pod>)).toBe('Added a@1');
    expect(fifo.popObject()).toBeUndefined();
    expect(popAll(fifo)).toEqual(['Bookmark@2']);
    expect(fifo.popObject()).toBeUndefined();
  });

  it('reports an item when there is one to pop and there was none before', () => {
    let items = 0;
    const fifo = new RealFIFO<Pod>({ onItem: () => void items++ });
    fifo.add(entry('a', 1));
    fifo.replace([], '2');
    fifo.resync();
    expect(items).toBe(1);
    popAll(fifo);
    fifo.bookmark('3');
    expect(items).toBe(2);
  });

  it('has synced before it pops what came after the first list', () => {
    const fifo = new RealFIFO<Pod>();
    fifo.replace([entry('a', 1)], '1');
    fifo.add(entry('b', 2));
    fifo.add(entry('c', 3));
    const popped: [string, boolean][] = [];
    for (;;) {
      const { hasSynced } = fifo;
      const delta = fifo.pop();
      if (delta === undefined) break;
      popped.push([text(delta), hasSynced]);
      fifo.done(delta);
    }
    expect(popped).toEqual([
      ['ReplacedAll(a)@1', false],
      ['Added b@2', true],
      ['Added c@3', true],
    ]);
  });

  describe('hasSynced', () => {
    it('is false for a list, even an empty one, until it is processed', () => {
      let synced = 0;
      const fifo = new RealFIFO<Pod>({ onSynced: () => void synced++ });
      fifo.replace([], '1');
      expect(fifo.hasSynced).toBe(false);
      const list = fifo.pop() as QueueDelta<Pod>;
      expect(fifo.hasSynced).toBe(false);
      fifo.done(list);
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
      const before = fifo.pop() as QueueDelta<Pod>;
      fifo.replace([entry('a', 1)], '1');
      fifo.done(before);
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
      fifo.done(fifo.pop() as QueueDelta<Pod>);
      await drained;
      expect(fifo.isBehind).toBe(false);
    });

    it('holds no more than two lists', async () => {
      const fifo = new RealFIFO<Pod>();
      fifo.replace([], '1');
      expect(fifo.isBehind).toBe(false);
      fifo.replace([], '2');
      expect(fifo.isBehind).toBe(true);
      const list = fifo.pop() as QueueDelta<Pod>;
      expect(fifo.isBehind).toBe(true);
      fifo.done(list);
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
      expect(fifo.pop()).toBeUndefined();
    });
  });
});
