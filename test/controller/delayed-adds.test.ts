import { WorkQueue } from 'kubeflect/controller';
import { describe, expect, it } from 'vitest';
import { DelayHeap } from '#dist/src/controller/delay-heap.js';
import { SeededRandom } from '../support/time/seeded-random.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

async function take(queue: WorkQueue): Promise<string> {
  const item = (await queue.get()) ?? '';
  queue.done(item);
  return item;
}

describe('WorkQueue.addAfter', () => {
  it('adds the item after its delay, and not before', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 50);
    expect(queue.length).toBe(0);
    await clock.advance(49);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    expect(await take(queue)).toBe('a');
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
  });

  it('adds the item immediately for a delay of 0 or less', () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 0);
    queue.addAfter('b', -5);
    queue.addAfter('c', Number.NaN);
    expect(queue.length).toBe(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the earlier time when called again with a longer delay', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 50);
    await clock.advance(30);
    queue.addAfter('a', 70);
    await clock.advance(20);
    expect(queue.length).toBe(1);
    await take(queue);
    await clock.advance(1000);
    expect(queue.length).toBe(0);
  });

  it('uses the earlier time when called again with a shorter delay', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 500);
    queue.addAfter('a', 50);
    expect(queue.delayed).toBe(1);
    await clock.advance(50);
    expect(queue.length).toBe(1);
    await take(queue);
    await clock.advance(1000);
    expect(queue.length).toBe(0);
  });

  it('adds items in the order of their ready times', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('third', 300);
    queue.addAfter('first', 50);
    queue.addAfter('second', 200);
    await clock.advance(60);
    expect(await take(queue)).toBe('first');
    await clock.advance(1000);
    expect([await take(queue), await take(queue)]).toEqual(['second', 'third']);
  });

  it('supports delays beyond the longest timer of Node', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    const YEAR_MS = 365 * 86_400_000;
    queue.addAfter('a', YEAR_MS);
    await clock.advance(YEAR_MS - 1);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });
});

describe('DelayHeap', () => {
  it('keeps its order under mixed inserts', () => {
    const random = new SeededRandom(5);
    const heap = new DelayHeap<string>();
    const earliest = new Map<string, number>();
    for (let i = 0; i < 5000; i++) {
      const item = `item-${Math.floor(random.next() * 1000)}`;
      const at = Math.floor(random.next() * 10_000);
      heap.put(item, at, 'normal');
      earliest.set(item, Math.min(at, earliest.get(item) ?? at));
    }
    expect(heap.size).toBe(earliest.size);
    let before = 0;
    for (let next = heap.takeReady(10_000); next !== undefined; next = heap.takeReady(10_000)) {
      const at = earliest.get(next.item) ?? -1;
      expect(at).toBeGreaterThanOrEqual(before);
      earliest.delete(next.item);
      before = at;
    }
    expect(earliest.size).toBe(0);
  });

  it('returns items with equal ready times in the order of insertion', () => {
    const heap = new DelayHeap<number>();
    for (let i = 0; i < 100; i++) heap.put(i, 7, 'normal');
    expect(Array.from({ length: 100 }, () => heap.takeReady(7)?.item)).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
  });
});
