import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MergedNotifications } from '#dist/src/informer/handlers/merged-notifications.js';
import { type Notification, Segment } from '#dist/src/informer/handlers/notification.js';
import { NotificationQueue } from '#dist/src/informer/handlers/notification-queue.js';
import type { Pod } from '../support/objects/entries.js';
import { pinnedEntry as entry, type PinnedEntry } from '../support/objects/pinned-entry.js';

const add = (name: string, version: number, isInInitialList = false): Notification<Pod> => ({
  type: 'add',
  entry: entry(name, version),
  isInInitialList,
});
const update = (name: string, from: number, to: number, isResync = false): Notification<Pod> => ({
  type: 'update',
  before: entry(name, from),
  entry: entry(name, to),
  isResync,
});
const remove = (name: string, version: number, known = version): Notification<Pod> => ({
  type: 'delete',
  entry: entry(name, version),
  before: entry(name, known),
  finalStateUnknown: false,
});

function text(n: Notification<Pod>): string {
  const { name, resourceVersion } = n.entry;
  if (n.type === 'update' && n.isResync) return `resync ${name}@${resourceVersion}`;
  if (n.type === 'update') return `update ${name}@${n.before.resourceVersion}→${resourceVersion}`;
  return `${n.type} ${name}@${resourceVersion}`;
}

/** Of what a notification names. */
function pinsOf(n: Notification<Pod>): number[] {
  const entries = n.type === 'add' ? [n.entry] : [n.before, n.entry];
  return entries.map((named) => (named as PinnedEntry).pins);
}

function shiftAll(queue: NotificationQueue<Pod>): string[] {
  const all: string[] = [];
  for (let n = queue.shift(); n !== undefined; n = queue.shift()) all.push(text(n));
  expect(queue.length).toBe(0);
  return all;
}

/** A queue that merges from the first notification on. */
function merging(...notifications: Notification<Pod>[]): NotificationQueue<Pod> {
  const queue = new NotificationQueue<Pod>({ watermark: 0 });
  for (const notification of notifications) queue.push(notification);
  return queue;
}

describe('NotificationQueue', () => {
  it('merges nothing up to the watermark', () => {
    const queue = new NotificationQueue<Pod>({ watermark: 3 });
    queue.push(add('a', 1));
    queue.push(update('a', 1, 2));
    queue.push(update('a', 2, 3));
    expect(queue.isMerging).toBe(false);
    expect(shiftAll(queue)).toEqual(['add a@1', 'update a@1→2', 'update a@2→3']);
  });

  it('merges by key beyond the watermark, including what is queued already', () => {
    const queue = new NotificationQueue<Pod>({ watermark: 3 });
    queue.push(add('a', 1));
    queue.push(add('b', 2));
    queue.push(update('a', 1, 3));
    queue.push(update('a', 3, 4));
    expect(queue.isMerging).toBe(true);
    expect(shiftAll(queue)).toEqual(['add a@4', 'add b@2']);
    expect(queue.isMerging).toBe(false);
  });

  it.each<[string, Notification<Pod>[], string[]]>([
    ['an update joins an add', [add('a', 1), update('a', 1, 2)], ['add a@2']],
    ['an update joins an update', [update('a', 1, 2), update('a', 2, 3)], ['update a@1→3']],
    ['a deletion replaces an update', [update('a', 1, 2), remove('a', 3)], ['delete a@3']],
    ['a deletion cancels an add', [add('a', 1), remove('a', 2)], []],
    ['an edge is kept', [remove('a', 1), add('a', 2)], ['delete a@1', 'add a@2']],
    [
      'an update joins a recreation',
      [remove('a', 1), add('a', 2), update('a', 2, 3)],
      ['delete a@1', 'add a@3'],
    ],
    ['a recreation that is gone again', [remove('a', 1), add('a', 2), remove('a', 3)], ['delete a@1']],
    [
      'a recreation after one that is gone again',
      [remove('a', 1), add('a', 2), remove('a', 3), add('a', 4)],
      ['delete a@1', 'add a@4'],
    ],
    ['a pending change wins over a resync', [update('a', 1, 2), update('a', 2, 2, true)], ['update a@1→2']],
    ['two resyncs are one', [update('a', 1, 1, true), update('a', 1, 1, true)], ['resync a@1']],
    ['a change joins a resync', [update('a', 1, 1, true), update('a', 1, 2)], ['update a@1→2']],
    [
      'keys keep their places',
      [update('a', 1, 2), update('b', 3, 4), update('a', 2, 5)],
      ['update a@1→5', 'update b@3→4'],
    ],
  ])('%s', (_name, notifications, expected) => {
    expect(shiftAll(merging(...notifications))).toEqual(expected);
  });

  it('does not merge into a notification that was shifted already', () => {
    const queue = merging(remove('a', 1), add('a', 2), add('b', 3));
    expect(text(queue.shift()!)).toBe('delete a@1');
    queue.push(remove('a', 4));
    queue.push(add('a', 5));
    expect(shiftAll(queue)).toEqual(['add b@3', 'add a@5']);
  });

  it('pins the previous states of merged notifications, but not the stored states', () => {
    const given = [
      update('a', 1, 2),
      update('a', 2, 3),
      remove('b', 4),
      remove('c', 5),
      add('c', 6),
      add('d', 7),
    ];
    const queue = merging(...given);
    expect(given.map(pinsOf)).toEqual([[1, 0], [0, 0], [1, 1], [1, 1], [0], [0]]);
    queue.push(remove('a', 8));
    expect(pinsOf(given[0]!)).toEqual([1, 0]);
    queue.shift();
    queue.shift();
    expect(given.map(pinsOf)).toEqual([[0, 0], [0, 0], [0, 0], [1, 1], [0], [0]]);
  });

  it('returns what is to be unpinned when it is cleared', () => {
    const given = [update('a', 1, 2), update('b', 3, 4), remove('c', 5)];
    const queue = merging(...given);
    const dropped = queue.clear();
    expect([queue.length, queue.isMerging, queue.shift()]).toEqual([0, false, undefined]);
    expect(given.map(pinsOf)).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
    ]);
    while (dropped?.shift() !== undefined);
    expect(given.map(pinsOf)).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  it('reports an initial add that was cancelled', () => {
    const cancelled: string[] = [];
    const queue = new NotificationQueue<Pod>({
      watermark: 0,
      onCancelled: (n) => void cancelled.push(text(n)),
    });
    queue.push(add('a', 1, true));
    queue.push(update('a', 1, 2));
    queue.push(remove('a', 3));
    expect(cancelled).toEqual(['add a@2']);
  });

  it('keeps a segment between what was queued before and after it', () => {
    const queue = new NotificationQueue<Pod>();
    for (const n of [update('a', 1, 2), add('b', 3)]) queue.push(n);
    expect(queue.attach(Segment.ofResync([entry('a', 2), entry('b', 3)]))).toBe(true);
    for (const n of [update('a', 2, 4), update('b', 3, 5), update('a', 4, 6)]) queue.push(n);
    expect(queue.length).toBe(7);
    expect(shiftAll(queue)).toEqual([
      'update a@1→2',
      'add b@3',
      'resync a@2',
      'resync b@3',
      'update a@2→4',
      'update b@3→5',
      'update a@4→6',
    ]);
  });

  it('accepts no segment while it is merging', () => {
    const queue = merging(update('a', 1, 2));
    expect(queue.attach(Segment.ofResync([entry('a', 2)]))).toBe(false);
    expect(shiftAll(queue)).toEqual(['update a@1→2']);
  });

  it('merges what is after a segment first, then the segment, in list order', () => {
    const queue = new NotificationQueue<Pod>({ watermark: 1 });
    queue.push(update('a', 1, 2));
    queue.attach(Segment.ofResync([entry('b', 3), entry('a', 2), entry('c', 4)]));
    queue.push(update('a', 2, 5));
    queue.push(update('d', 6, 7));
    expect(queue.isMerging).toBe(true);
    expect(queue.length).toBe(6);
    queue.push(update('a', 5, 8));
    expect(shiftAll(queue)).toEqual(['resync b@3', 'resync c@4', 'update a@1→8', 'update d@6→7']);
  });

  it.each<[string, Notification<Pod>, Notification<Pod>[], string[]]>([
    ['an add before an update', add('a', 1), [update('a', 1, 2)], ['add a@2']],
    ['an add before a resync', add('a', 1), [update('a', 1, 1, true)], ['add a@1']],
    ['an add before a deletion', add('a', 1), [remove('a', 2)], []],
    ['an add before a recreation', add('a', 1), [remove('a', 2), add('a', 3)], ['add a@3']],
    ['an update before an update', update('a', 1, 2), [update('a', 2, 3)], ['update a@1→3']],
    ['an update before a resync', update('a', 1, 2), [update('a', 2, 2, true)], ['update a@1→2']],
    ['an update before a deletion', update('a', 1, 2), [remove('a', 3)], ['delete a@3']],
    [
      'an update before a recreation',
      update('a', 1, 2),
      [remove('a', 3), add('a', 4)],
      ['delete a@3', 'add a@4'],
    ],
    ['a resync before an update', update('a', 1, 1, true), [update('a', 1, 2)], ['update a@1→2']],
    ['a resync before a deletion', update('a', 1, 1, true), [remove('a', 2)], ['delete a@2']],
    ['a deletion before an add', remove('a', 1), [add('a', 2)], ['delete a@1', 'add a@2']],
    ['anything before nothing', remove('a', 1), [], ['delete a@1']],
  ])('%s, of a segment', (_name, earlier, later, expected) => {
    const cancelled: Notification<Pod>[] = [];
    const merged = new MergedNotifications<Pod>((n) => void cancelled.push(n));
    merged.push(add('z', 9));
    for (const notification of later) merged.push(notification);
    merged.unshift(earlier);
    expect(merged.length).toBe(expected.length + 1);
    const told: string[] = [];
    for (let n = merged.shift(); n !== undefined; n = merged.shift()) told.push(text(n));
    expect(told.filter((line) => line !== 'add z@9')).toEqual(expected);
    expect(merged.length).toBe(0);
    for (const n of [earlier, ...later]) expect(Math.max(...pinsOf(n))).toBe(0);
    if (earlier.type === 'add' && later[0]?.type === 'delete') expect(cancelled).toEqual([earlier]);
    else expect(cancelled).toEqual([]);
  });

  it('accepts one segment at a time', () => {
    const queue = new NotificationQueue<Pod>();
    expect(queue.attach(Segment.ofReplay([]))).toBe(true);
    expect(queue.attach(Segment.ofReplay([entry('a', 1)]))).toBe(true);
    expect(queue.attach(Segment.ofReplay([entry('b', 1)]))).toBe(false);
    expect(shiftAll(queue)).toEqual(['add a@1']);
    expect(queue.attach(Segment.ofReplay([entry('b', 1)]))).toBe(true);
  });

  it('orders a relist: deletions, then adds and updates in list order', () => {
    const queue = new NotificationQueue<Pod>();
    queue.attach(
      Segment.ofRelist({
        deleted: [entry('x', 1)],
        before: [undefined, entry('b', 2)],
        entries: [entry('a', 3), entry('b', 4)],
        adds: 1,
        isInInitialList: false,
      }),
    );
    expect(shiftAll(queue)).toEqual(['delete x@1', 'add a@3', 'update b@2→4']);
  });

  it('S20 bounded memory: holds at most the objects that exist or that the handler knows, however many events occur', () => {
    const queue = new NotificationQueue<Pod>({ watermark: 8 });
    for (let i = 0; i < 20_000; i++) {
      queue.push(add(`job-${i}`, 3 * i + 1));
      queue.push(update('steady', 3 * i - 1, 3 * i + 2));
      queue.push(remove(`job-${i}`, 3 * i + 3));
    }
    expect(queue.length).toBeLessThanOrEqual(8);
  });

  it('S9 handler automaton and S10 chained old values hold for any history, merged or not', () => {
    const step = fc.tuple(
      fc.constantFrom('write', 'write', 'remove', 'shift', 'resync', 'relist'),
      fc.integer({ min: 0, max: 3 }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6 }), fc.array(step, { maxLength: 80 }), (watermark, steps) => {
        const queue = new NotificationQueue<Pod>({ watermark });
        const given: Notification<Pod>[] = [];
        const give = (n: Notification<Pod>): void => {
          given.push(n);
          queue.push(n);
        };
        const world = new Map<string, number>();
        const told = new Map<string, number>();
        let version = 0;
        /** Keys below `which` are deleted or come back, the others are written. */
        const relist = (which: number): void => {
          const [deleted, before, entries]: [PinnedEntry[], (PinnedEntry | undefined)[], PinnedEntry[]] = [
            [],
            [],
            [],
          ];
          for (const [i, name] of ['k0', 'k1', 'k2', 'k3'].entries()) {
            const current = world.get(name);
            if (current !== undefined && i < which) {
              deleted.push(entry(name, current));
              world.delete(name);
            } else {
              before.push(current === undefined ? undefined : entry(name, current));
              entries.push(entry(name, ++version));
              world.set(name, version);
            }
          }
          const adds = before.filter((state) => state === undefined).length;
          const segment = Segment.ofRelist({ deleted, before, entries, adds, isInInitialList: false });
          if (queue.attach(segment)) return;
          for (let i = 0; i < segment.length; i++) give(segment.at(i));
        };
        const take = (): boolean => {
          const n = queue.shift();
          if (n === undefined) return false;
          const name = n.entry.name;
          const known = told.get(name);
          if (n.type === 'add') expect(known).toBeUndefined();
          else expect(known).toBeDefined();
          if (n.type !== 'add') expect(Number(n.before.resourceVersion)).toBe(known);
          if (n.type === 'delete') told.delete(name);
          else told.set(name, Number(n.entry.resourceVersion));
          return true;
        };
        for (const [action, which] of steps) {
          const name = `k${which}`;
          const current = world.get(name);
          version++;
          if (action === 'write') {
            give(current === undefined ? add(name, version) : update(name, current, version));
            world.set(name, version);
          } else if (action === 'remove' && current !== undefined) {
            give(remove(name, version, current));
            world.delete(name);
          } else if (action === 'shift') {
            take();
          } else if (action === 'resync') {
            queue.attach(Segment.ofResync([...world].map(([n, v]) => entry(n, v))));
          } else if (action === 'relist') {
            relist(which);
          }
        }
        while (take());
        expect(told).toEqual(world);
        for (const n of given) expect(Math.max(...pinsOf(n))).toBe(0);
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});
