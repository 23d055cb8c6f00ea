import { describe, expect, it } from 'vitest';
import { Cells, type OrderedRun } from '#dist/src/wire/cells.js';
import { returnCredit } from '#dist/src/wire/credit-counter.js';
import { newMarker } from '#dist/src/wire/fingerprint.js';
import type { FromWorker } from '#dist/src/wire/messages.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import { BatchSender } from '#dist/workers/batch/batch-sender.js';
import type { Decoded } from '#dist/workers/decode/decoder.js';
import { cellRow } from '../../support/workers/cell-rows.js';
import { taskOf } from '../../support/workers/stream-run.js';

class Fixture {
  readonly posted: Extract<FromWorker, { type: 'batch' }>[] = [];
  readonly outbox: BatchSender;
  nowMs = 0;

  constructor(
    verb: 'list' | 'watch',
    options: { credits: number; batchBytes?: number; path?: string; memory?: Int32Array },
  ) {
    this.outbox = new BatchSender({
      task: taskOf({
        verb,
        path: options.path ?? '/x?resourceVersion=1',
        connection: '',
        credits: options.credits,
        limits: { batchBytes: options.batchBytes ?? 1 << 20 },
      }),
      source: new ObjectPacker(),
      scratch: new ScratchBuffers(4096),
      memory: options.memory,
      post: (message) => void this.posted.push(message as Extract<FromWorker, { type: 'batch' }>),
      clock: {
        now: () => this.nowMs,
        schedule: () => expect.fail('nothing waits for a timer'),
        yield: () => expect.fail('nothing waits for a turn'),
      },
    });
  }

  /** How many rows were posted. */
  get rowsPosted(): readonly number[] {
    return this.posted.map(({ buffer }) => Buffer.from(buffer).readUInt32BE(CELL_COUNT));
  }

  add(...names: readonly string[]): void {
    for (const name of names) this.outbox.add(row(name));
  }
}

/** Where a batch holds the number of its cells: see batch.ts. */
const CELL_COUNT = 22;

let version = 1;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The cells of the rows, one after the other. */
function runOf(rows: readonly Decoded[]): OrderedRun {
  const parts = rows.map((decoded) => {
    if (!('cells' in decoded)) throw new Error('expected a cell');
    const { cells, offset } = decoded;
    return cells.bytes.subarray(offset, offset + cells.byteLengthAt(offset));
  });
  const bytes = Buffer.concat(parts);
  const cells = new Cells(Uint8Array.from(bytes).buffer);
  const versions: number[] = [];
  let lastOffset = 0;
  for (let offset = 0; offset < bytes.length; offset += cells.byteLengthAt(offset)) {
    versions.push(Number(cells.resourceVersionAt(offset)));
    lastOffset = offset;
  }
  const isOrdered = versions.every((number, i) => i === 0 || number > (versions[i - 1] as number));
  return { cells, offset: 0, byteLength: bytes.length, count: rows.length, lastOffset, isOrdered };
}

function row(name: string, resourceVersion = String(++version)): Decoded {
  const header = {
    type: 'modified' as const,
    namespace: '',
    name,
    uid: '',
    resourceVersion,
    indexValues: [],
  };
  return cellRow(header, Buffer.from('{}'));
}

describe('BatchSender', () => {
  it('posts what one read brought to a watch at the end of the read', () => {
    const fixture = new Fixture('watch', { credits: 8 });
    fixture.add('a', 'b');
    expect(fixture.posted).toHaveLength(0);
    fixture.outbox.endRead();
    expect(fixture.posted).toMatchObject([{ type: 'batch', epoch: 3, sequence: 0 }]);
    fixture.outbox.endRead();
    expect(fixture.posted).toHaveLength(1);
    fixture.add('c');
    fixture.outbox.endRead();
    expect(fixture.rowsPosted).toEqual([2, 1]);
  });

  it('collects the rows of a watch while the main thread has two batches to apply', () => {
    const fixture = new Fixture('watch', { credits: 8 });
    for (const name of ['a', 'b', 'c', 'd']) {
      fixture.add(name);
      fixture.outbox.endRead();
    }
    expect(fixture.rowsPosted).toEqual([1, 1]);
    fixture.outbox.credit(1);
    expect(fixture.rowsPosted).toEqual([1, 1, 2]);
    fixture.outbox.credit(2);
    fixture.add('e');
    fixture.outbox.endRead();
    expect(fixture.rowsPosted).toEqual([1, 1, 2, 1]);
  });

  it('finds returned credits in shared memory, and needs messages only while it holds rows back', () => {
    const memory = newMarker();
    const fixture = new Fixture('watch', { credits: 8, memory });
    for (const name of ['a', 'b', 'c', 'd']) {
      fixture.add(name);
      fixture.outbox.endRead();
      expect(returnCredit(memory)).toBe(false);
    }
    expect(fixture.rowsPosted).toEqual([1, 1, 1, 1]);
    for (const name of ['e', 'f', 'g', 'h']) {
      fixture.add(name);
      fixture.outbox.endRead();
    }
    expect(fixture.rowsPosted).toEqual([1, 1, 1, 1, 1, 1]);
    expect(returnCredit(memory)).toBe(true);
    fixture.outbox.credit(1);
    expect(fixture.rowsPosted).toEqual([1, 1, 1, 1, 1, 1, 2]);
    expect(returnCredit(memory)).toBe(false);
  });

  it('continues to read a list as soon as a credit is in shared memory, and never posts more than its credits', async () => {
    const memory = newMarker();
    const fixture = new Fixture('list', { credits: 2, batchBytes: 1, memory });
    fixture.add('a', 'b', 'c');
    expect(fixture.outbox.isBlocked).toBe(true);
    expect(fixture.posted).toHaveLength(2);
    const unblocked = fixture.outbox.whenUnblocked();
    expect(returnCredit(memory)).toBe(true);
    fixture.outbox.credit(1);
    await unblocked;
    expect(fixture.posted).toHaveLength(3);
    fixture.add('d');
    expect(fixture.outbox.isBlocked).toBe(true);
    expect(fixture.posted).toHaveLength(3);
  });

  it('posts full batches of a watch for all of its credits', () => {
    const fixture = new Fixture('watch', { credits: 4, batchBytes: 1 });
    fixture.add('a', 'b', 'c', 'd', 'e');
    expect(fixture.rowsPosted).toEqual([1, 1, 1, 1]);
  });

  it.each([
    ['list', '/x?limit=500'],
    ['watch', '/x?resourceVersion=1&sendInitialEvents=true'],
  ] as const)('fills the batches of a %s of %s, as long as they fill quickly', (verb, path) => {
    const fixture = new Fixture(verb, { credits: 8, path });
    fixture.add('a');
    fixture.outbox.endRead();
    fixture.nowMs += 99;
    fixture.add('b');
    fixture.outbox.endRead();
    expect(fixture.posted).toHaveLength(0);
    fixture.nowMs += 1;
    fixture.add('c');
    fixture.outbox.endRead();
    expect(fixture.rowsPosted).toEqual([3]);
    fixture.add('d');
    fixture.outbox.endRead();
    expect(fixture.rowsPosted).toEqual([3]);
  });

  it('posts the end of a streaming list at once, and the events after it', () => {
    const path = '/x?resourceVersion=1&sendInitialEvents=true';
    const fixture = new Fixture('watch', { credits: 8, path });
    fixture.add('a');
    fixture.outbox.endRead();
    fixture.outbox.add({ type: 'bookmark', resourceVersion: String(++version), initialEventsEnd: true });
    fixture.outbox.endRead();
    fixture.add('b');
    fixture.outbox.endRead();
    expect(fixture.rowsPosted).toEqual([2, 1]);
  });

  it('posts a batch when it is full', () => {
    const fixture = new Fixture('list', { credits: 9, batchBytes: 170 });
    fixture.add('a', 'b', 'c', 'd', 'e', 'f');
    expect(fixture.posted.map(({ sequence }) => sequence)).toEqual([0, 1]);
  });

  it('posts one batch per credit, and nothing without credit', () => {
    const fixture = new Fixture('list', { credits: 1, batchBytes: 1 });
    fixture.add('a');
    expect(fixture.posted).toHaveLength(1);
    expect(fixture.outbox.isBlocked).toBe(false);
    fixture.add('b');
    expect(fixture.outbox.isBlocked).toBe(true);
    fixture.outbox.endRead();
    expect(fixture.posted).toHaveLength(1);
    fixture.outbox.credit(2);
    expect(fixture.posted).toHaveLength(2);
    fixture.add('c', 'd');
    expect(fixture.posted).toHaveLength(3);
  });

  it('posts waiting rows as soon as there is credit', () => {
    const fixture = new Fixture('watch', { credits: 0 });
    fixture.add('a');
    fixture.outbox.endRead();
    fixture.outbox.credit(1);
    expect(fixture.posted).toHaveLength(1);
  });

  it('posts the merged rows of a watch after the full batch, in batches', () => {
    const fixture = new Fixture('watch', { credits: 0, batchBytes: 150 });
    fixture.add('a', 'a', 'a', 'b', 'c', 'd', 'b', 'b', 'e');
    const heldBefore = fixture.outbox.heldBytes;
    expect(fixture.outbox.isBlocked).toBe(true);
    fixture.outbox.credit(1);
    expect(fixture.posted).toHaveLength(1);
    fixture.outbox.credit(9);
    expect(fixture.posted.length).toBeGreaterThan(1);
    expect(fixture.outbox.heldBytes).toBeLessThan(heldBefore);
  });

  it('adds the events of a run that repeat older ones as it adds single events: not at all', () => {
    for (const credits of [0, 8]) {
      const [alone, inRun] = [
        new Fixture('watch', { credits, batchBytes: 500 }),
        new Fixture('watch', { credits, batchBytes: 500 }),
      ];
      const runs = [[11, 12, 13], [12, 13, 14], [14], [15, 9, 16], [17, 18]];
      for (const versions of runs) {
        const rows = versions.map((number) => row(`pod-${number}`, String(number)));
        for (const each of rows) alone.outbox.add(each);
        inRun.outbox.addEvents(runOf(rows));
        alone.outbox.endRead();
        inRun.outbox.endRead();
      }
      alone.outbox.credit(20);
      inRun.outbox.credit(20);
      expect(sum(inRun.rowsPosted)).toBe(sum(alone.rowsPosted));
      expect(sum(inRun.rowsPosted)).toBe(8);
    }
  });

  it('adds a run at once if it can be sent, and one by one if it is larger than a batch', () => {
    const fixture = new Fixture('watch', { credits: 8, batchBytes: 500 });
    fixture.outbox.addEvents(runOf([row('a'), row('b'), row('c')]));
    expect(fixture.posted).toHaveLength(0);
    fixture.outbox.endRead();
    expect(fixture.rowsPosted).toEqual([3]);
    fixture.outbox.addEvents(runOf([...'abcdefghijklmnopqrstuvwx'].map((name) => row(name))));
    expect(fixture.posted.length).toBeGreaterThan(2);
    expect(Math.max(...fixture.rowsPosted)).toBeLessThan(24);
  });

  it('flushes when credits allow, and resolves pending calls on close', async () => {
    const fixture = new Fixture('list', { credits: 0 });
    fixture.add('a');
    let isFlushed = false;
    const flushed = fixture.outbox.flush().then(() => {
      isFlushed = true;
    });
    await Promise.resolve();
    expect(isFlushed).toBe(false);
    fixture.outbox.credit(1);
    await flushed;
    expect(fixture.posted).toHaveLength(1);

    const closing = new Fixture('list', { credits: 0, batchBytes: 1 });
    closing.add('a');
    const waits = [closing.outbox.whenUnblocked()];
    closing.outbox.close();
    await Promise.all(waits);
    await closing.outbox.flush();
    closing.outbox.credit(5);
    closing.add('b');
    closing.outbox.endRead();
    expect(closing.posted).toHaveLength(0);
  });
});
