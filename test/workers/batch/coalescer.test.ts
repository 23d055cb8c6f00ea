import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metaNamespaceKey } from '#dist/src/kube/key.js';
import { ResourceVersionCursor } from '#dist/src/reflector/watch/resource-version-cursor.js';
import { Coalescer } from '#dist/workers/batch/coalescer.js';
import type { Decoded } from '#dist/workers/decode/decoder.js';
import { cellRow, contentOf } from '../../support/workers/cell-rows.js';

type EventType = 'added' | 'modified' | 'deleted';

function event(type: EventType, name: string, version: number | string): Decoded {
  const header = {
    type,
    namespace: 'ns',
    name,
    uid: `uid-${name}`,
    resourceVersion: String(version),
    indexValues: [],
  };
  return cellRow(header, Buffer.from(`${name}@${version}`));
}

function bookmark(version: number, initialEventsEnd = false): Decoded {
  return { type: 'bookmark', resourceVersion: String(version), initialEventsEnd };
}

function rejected(message: string, key?: string): Decoded {
  return {
    type: 'rejected',
    reason: 'undecodable',
    message,
    eventType: 'MODIFIED',
    ...(key !== undefined && { key }),
  };
}

function textOf(decoded: Decoded): string {
  const row = contentOf(decoded);
  if ('header' in row) return `${row.header.type} ${row.payload.toString()}`;
  if (row.type === 'bookmark') return `${row.initialEventsEnd ? 'end' : 'bookmark'} ${row.resourceVersion}`;
  return row.type === 'rejected' ? `rejected ${row.key ?? row.message}` : row.type;
}

function takeAll(coalescer: Coalescer): Decoded[] {
  const rows: Decoded[] = [];
  for (let row = coalescer.take(); row !== undefined; row = coalescer.take()) rows.push(row);
  return rows;
}

function merged(rows: readonly Decoded[], start = '1'): string[] {
  const coalescer = new Coalescer(start === 'initial' ? undefined : start);
  for (const row of rows) coalescer.add(row);
  return takeAll(coalescer).map(textOf);
}

describe('Coalescer', () => {
  it.each<[string, Decoded[], string[]]>([
    ['the latest state', [event('modified', 'a', 5), event('modified', 'a', 8)], ['modified a@8']],
    ['a new object as new', [event('added', 'a', 5), event('modified', 'a', 8)], ['added a@8']],
    ['a deletion', [event('modified', 'a', 5), event('deleted', 'a', 8)], ['deleted a@8']],
    [
      'a deletion before a new life',
      [
        event('modified', 'a', 5),
        event('deleted', 'a', 8),
        event('added', 'a', 9),
        event('modified', 'a', 10),
      ],
      ['deleted a@8', 'added a@10'],
    ],
    [
      'nothing of a life that it saw whole',
      [event('added', 'a', 5), event('modified', 'a', 6), event('deleted', 'a', 8)],
      [],
    ],
    [
      'the deletion before a life that it saw whole',
      [event('deleted', 'a', 5), event('added', 'a', 6), event('deleted', 'a', 8)],
      ['deleted a@5'],
    ],
    [
      'each where its latest stood',
      [
        event('modified', 'a', 5),
        event('modified', 'b', 6),
        event('modified', 'a', 7),
        event('modified', 'c', 8),
      ],
      ['modified b@6', 'modified a@7', 'modified c@8'],
    ],
    [
      'the newest bookmark',
      [bookmark(5), event('modified', 'a', 6), bookmark(7), event('modified', 'a', 8)],
      ['bookmark 7', 'modified a@8'],
    ],
    [
      'what could not be read, and what came before and after it',
      [event('modified', 'a', 5), rejected('x', 'ns/a'), rejected('x', 'ns/a'), event('modified', 'a', 8)],
      ['rejected ns/a', 'modified a@8'],
    ],
    [
      'the newer of two in the wrong order',
      [event('modified', 'a', 8), event('modified', 'a', 5), event('deleted', 'a', 6)],
      ['modified a@8'],
    ],
    [
      'a deletion after a repeated ADDED event',
      [event('modified', 'b', 9), event('added', 'a', 5), event('deleted', 'a', 10)],
      ['modified b@9', 'deleted a@10'],
    ],
    [
      'versions that cannot be compared as they come',
      [event('modified', 'a', 'x2'), event('modified', 'a', 'x1')],
      ['modified a@x1'],
    ],
  ])('keeps %s', (_, rows, expected) => {
    expect(merged(rows)).toEqual(expected);
  });

  it('merges nothing across the end of a streaming list', () => {
    const rows = [
      event('added', 'a', 5),
      event('added', 'b', 3),
      event('modified', 'b', 9),
      bookmark(10, true),
      event('modified', 'a', 12),
      bookmark(13),
      bookmark(14),
    ];
    expect(merged(rows, 'initial')).toEqual([
      'added a@5',
      'modified b@9',
      'end 10',
      'modified a@12',
      'bookmark 14',
    ]);
  });

  it('keeps a deletion if the object may have been known before, since initial events are not ordered', () => {
    const rows = [event('added', 'b', 3), event('added', 'a', 9), event('deleted', 'a', 12)];
    expect(merged(rows, 'initial')).toEqual(['added b@3', 'deleted a@12']);
    expect(merged(rows)).toEqual(['added b@3']);
  });

  it('does not let a repeated event restore an object that was created and deleted while held', () => {
    const rows = [event('added', 'a', 12), event('deleted', 'a', 13), event('added', 'a', 12)];
    expect(merged(rows)).toEqual([]);
    const coalescer = new Coalescer('1');
    for (const row of rows.slice(0, 2)) coalescer.add(row);
    expect(coalescer.passes(event('added', 'a', 12)), 'nor when nothing is held any more').toBe(false);
  });

  it('does not take a bookmark among the initial events for their end, and drops nothing after it', () => {
    const rows = [event('added', 'a', 7), bookmark(9), event('added', 'b', 3)];
    const held = new Coalescer(undefined, true);
    for (const row of rows) held.add(row);
    expect(takeAll(held).map(textOf)).toEqual(['added a@7', 'bookmark 9', 'added b@3']);
    const passing = new Coalescer(undefined, true);
    expect(
      rows.map((row) => passing.passes(row)),
      'nor when nothing is held',
    ).toEqual([true, true, true]);
    expect(passing.passes(bookmark(9, true))).toBe(true);
    expect(passing.passes(event('modified', 'b', 3)), 'a repetition after the end').toBe(false);
  });

  it('passes on events that contradict a bookmark, so that the main thread relists', () => {
    const coalescer = new Coalescer('5');
    expect(coalescer.passes(event('modified', 'a', 6))).toBe(true);
    expect(coalescer.passes(bookmark(9))).toBe(true);
    expect(coalescer.passes(event('modified', 'b', 8)), 'said to have come already').toBe(true);
    expect(coalescer.passes(event('modified', 'a', 6)), 'a repetition').toBe(false);
    expect(merged([bookmark(9), event('modified', 'b', 8)])).toEqual(['bookmark 9', 'modified b@8']);
  });

  it('copies the bytes that it holds', () => {
    const coalescer = new Coalescer('1');
    const row = event('added', 'a', 2) as Extract<Decoded, { cells: unknown }>;
    coalescer.add(row);
    row.cells.bytes.fill(0);
    expect(takeAll(coalescer).map(textOf)).toEqual(['added a@2']);
  });

  it('holds no more rows than there are objects, however many are created and deleted', () => {
    const coalescer = new Coalescer('1');
    let version = 1;
    coalescer.add(event('modified', 'old', ++version));
    for (let i = 0; i < 10_000; i++) {
      coalescer.add(event('added', `short-lived-${i}`, ++version));
      coalescer.add(event('modified', 'old', ++version));
      coalescer.add(event('deleted', `short-lived-${i}`, ++version));
      coalescer.add(bookmark(version));
      coalescer.add(rejected('no key'));
    }
    expect(coalescer.heldBytes).toBeLessThan(300_000);
    const rows = takeAll(coalescer).map(textOf);
    expect(rows.filter((row) => !row.startsWith('rejected'))).toEqual([
      'modified old@30001',
      'bookmark 30002',
    ]);
    expect(rows).toHaveLength(1002);
    expect(coalescer.heldBytes).toBe(0);
  });

  /** A server's life: which key changes next, with repetitions, bookmarks, and when the receiver takes rows. */
  const script = fc.array(
    fc.record({
      key: fc.integer({ min: 0, max: 4 }),
      isDeletion: fc.boolean(),
      taken: fc.integer({ min: 0, max: 3 }),
      extra: fc.constantFrom('none', 'none', 'bookmark', 'repeat'),
      repeated: fc.nat(20),
    }),
    { maxLength: 60 },
  );

  it('results in a stream that ends in the same state, wherever it is resumed', () => {
    fc.assert(
      fc.property(script, fc.nat(30), (steps, cutAt) => {
        const { stream, initial } = serve(steps);
        const received: Decoded[] = [];
        const coalescer = new Coalescer('10');
        for (const [index, row] of stream.entries()) {
          if ('cells' in row && coalescer.isEmpty && index % 3 === 0) {
            if (coalescer.passes(row)) received.push(row);
          } else coalescer.add(row);
          for (let i = steps[index % Math.max(1, steps.length)]?.taken ?? 0; i > 0; i--) {
            const taken = coalescer.take();
            if (taken !== undefined) received.push(taken);
          }
        }
        received.push(...takeAll(coalescer));
        const expected = apply(initial, '10', stream).store;
        expect(apply(initial, '10', received).store).toEqual(expected);
        // The worker dies after some rows; another stream begins where the receiver stands.
        const half = apply(initial, '10', received.slice(0, cutAt));
        const rest = apply(half.store, half.version, stream);
        expect(rest.store).toEqual(expected);
        expect(received.length).toBeLessThanOrEqual(stream.length);
      }),
      { numRuns: 5000 },
    );
  });

  interface Served {
    readonly initial: ReadonlyMap<string, string>;
    readonly stream: readonly Decoded[];
  }

  function serve(
    steps: readonly { key: number; isDeletion: boolean; extra: string; repeated: number }[],
  ): Served {
    const initial = new Map([
      ['ns/k0', 'k0@3'],
      ['ns/k1', 'k1@4'],
    ]);
    const alive = new Set(['k0', 'k1']);
    const stream: Decoded[] = [];
    let version = 10;
    for (const { key, isDeletion, extra, repeated } of steps) {
      const name = `k${key}`;
      const isAlive = alive.has(name);
      if (isDeletion && !isAlive) continue;
      stream.push(event(isDeletion ? 'deleted' : isAlive ? 'modified' : 'added', name, ++version));
      if (isDeletion) alive.delete(name);
      else alive.add(name);
      if (extra === 'bookmark') stream.push(bookmark(version));
      const again = stream.at(-1 - repeated);
      if (extra === 'repeat' && again !== undefined) stream.push(again);
    }
    return { initial, stream };
  }

  /** A reflector's store and where it stands. */
  function apply(before: ReadonlyMap<string, string>, from: string, rows: readonly Decoded[]) {
    const store = new Map(before);
    const cursor = new ResourceVersionCursor({ synced: from, applied: from }, from);
    for (const decoded of rows) {
      const row = contentOf(decoded);
      if (!('header' in row)) {
        if (row.type === 'bookmark') cursor.bookmark(row.resourceVersion);
        continue;
      }
      const { type, namespace, name, resourceVersion } = row.header;
      const key = metaNamespaceKey(namespace, name);
      const eventType = type.toUpperCase() as 'ADDED' | 'MODIFIED' | 'DELETED';
      const verdict = cursor.judge(eventType, key, resourceVersion);
      if (verdict === 'unsound') throw new Error(`unsound at ${resourceVersion}`);
      if (verdict === 'stale') continue;
      if (type === 'deleted') store.delete(key);
      else store.set(key, row.payload.toString());
      cursor.advance(eventType, key, resourceVersion);
    }
    return { store, version: cursor.position.synced };
  }
});
