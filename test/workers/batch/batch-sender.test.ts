import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FromWorker } from '#dist/src/wire/messages.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import { BatchSender } from '#dist/workers/batch/batch-sender.js';
import type { Decoded } from '#dist/workers/decode/decoder.js';
import { cellRow } from '../../support/workers/cell-rows.js';
import { taskOf } from '../../support/workers/stream-run.js';

const DELAY_MS = 5;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class Fixture {
  readonly posted: Extract<FromWorker, { type: 'batch' }>[] = [];
  readonly outbox: BatchSender;

  constructor(verb: 'list' | 'watch', options: { credits: number; batchBytes?: number }) {
    this.outbox = new BatchSender({
      task: taskOf({
        verb,
        path: '/x?resourceVersion=1',
        connection: '',
        credits: options.credits,
        limits: { batchDelayMs: DELAY_MS, batchBytes: options.batchBytes ?? 1 << 20 },
      }),
      source: new ObjectPacker(),
      scratch: new ScratchBuffers(4096),
      post: (message) => void this.posted.push(message as Extract<FromWorker, { type: 'batch' }>),
    });
  }

  add(...names: readonly string[]): void {
    for (const name of names) this.outbox.add(row(name));
  }
}

let version = 1;

function row(name: string): Decoded {
  const resourceVersion = String(++version);
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
  it('posts a batch when it has waited long enough', () => {
    const { outbox, posted } = new Fixture('watch', { credits: 2 });
    outbox.add(row('a'));
    vi.advanceTimersByTime(DELAY_MS - 1);
    outbox.add(row('b'));
    expect(posted).toHaveLength(0);
    vi.advanceTimersByTime(1);
    expect(posted).toMatchObject([{ type: 'batch', epoch: 3, sequence: 0 }]);
    vi.advanceTimersByTime(100);
    expect(posted).toHaveLength(1);
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
    vi.advanceTimersByTime(100);
    expect(fixture.posted).toHaveLength(1);
    fixture.outbox.credit(2);
    expect(fixture.posted).toHaveLength(2);
    fixture.add('c', 'd');
    expect(fixture.posted).toHaveLength(3);
  });

  it('posts waiting rows as soon as there is credit, without further delay', () => {
    const fixture = new Fixture('watch', { credits: 0 });
    fixture.add('a');
    vi.advanceTimersByTime(DELAY_MS);
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
    vi.advanceTimersByTime(100);
    expect(closing.posted).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
