import { Metrics } from 'kubeflect';
import { WorkQueue } from 'kubeflect/controller';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../support/time/seeded-random.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

/** Resolves to a word if the promise has not settled after all that can run without time passing. */
async function settled<T>(promise: Promise<T>): Promise<T | 'pending'> {
  const pending = new Promise<'pending'>((resolve) => setImmediate(() => resolve('pending')));
  return Promise.race([promise, pending]);
}

/** Workers that process until the queue is shut down. */
function workers(
  queue: WorkQueue,
  count: number,
  process: (item: string) => Promise<void>,
): Promise<unknown> {
  const work = async (): Promise<void> => {
    for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
      await process(item);
      queue.done(item);
    }
  };
  return Promise.all(Array.from({ length: count }, work));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('WorkQueue', () => {
  it.each([
    ['shutDown', (queue: WorkQueue) => queue.shutDown()],
    ['shutDownWithDrain', (queue: WorkQueue) => queue.shutDownWithDrain()],
  ])('processes every item once and none after %s', async (_, shutDown) => {
    const queue = new WorkQueue();
    const counts = new Map<string, number>();
    const working = workers(queue, 10, async (item) => {
      counts.set(item, (counts.get(item) ?? 0) + 1);
      await turn();
    });
    for (let i = 0; i < 50; i++) queue.add(`item-${i}`);
    await shutDown(queue);
    queue.add('too late');
    queue.addAfter('too late', 1);
    queue.addRateLimited('too late');
    await working;
    expect(counts.size).toBe(50);
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
    expect(queue.length).toBe(0);
  });

  it('processes an item again that is added while it is processed, and never concurrently', async () => {
    const queue = new WorkQueue();
    const running = new Set<string>();
    const counts = new Map<string, number>();
    const working = workers(queue, 5, async (item) => {
      expect(running.has(item)).toBe(false);
      running.add(item);
      const count = (counts.get(item) ?? 0) + 1;
      counts.set(item, count);
      if (count === 1) queue.add(item);
      await turn();
      running.delete(item);
    });
    for (let i = 0; i < 20; i++) queue.add(`item-${i}`);
    while ([...counts.values()].filter((count) => count === 2).length < 20) await turn();
    await queue.shutDownWithDrain();
    await working;
    expect(counts.size).toBe(20);
    expect([...counts.values()].every((count) => count === 2)).toBe(true);
  });

  it('does not count duplicates', () => {
    const queue = new WorkQueue();
    for (const item of ['a', 'b', 'a', 'a', 'b']) queue.add(item);
    expect(queue.length).toBe(2);
  });

  it('queues an item again at done if it was added while it was processed', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    const next = queue.get();
    expect(await settled(next)).toBe('pending');
    queue.done('a');
    expect(await next).toBe('a');
    queue.done('a');
    expect(queue.length).toBe(0);
    expect(queue.processing).toBe(0);
  });

  it('merges two adds before a get', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.done('a');
    expect(await settled(queue.get())).toBe('pending');
  });

  it('merges two adds while the item is processed', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('a');
    queue.done('a');
    expect(queue.length).toBe(1);
    expect(await queue.get()).toBe('a');
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  it('returns items in the order of their first add', async () => {
    const queue = new WorkQueue();
    for (const item of ['a', 'b', 'c', 'a']) queue.add(item);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['a', 'b', 'c']);
  });

  it('ignores done for items that it has not returned', () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.done('a');
    queue.done('never seen');
    expect(queue.length).toBe(1);
  });

  it('rejects unknown options', () => {
    expect(() => new WorkQueue({ nam: 'x' } as object)).toThrow(/unknown option nam/);
  });

  it('loses none of 1,000,000 adds of 10,000 keys', async () => {
    const queue = new WorkQueue<number>();
    const random = new SeededRandom(11);
    const KEYS = 10_000;
    const written = new Uint32Array(KEYS);
    const seen = new Uint32Array(KEYS);
    const running = new Uint8Array(KEYS);
    const work = async (): Promise<void> => {
      for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
        if (running[key] === 1) throw new Error(`${key} is processed twice at the same time`);
        running[key] = 1;
        seen[key] = written[key] ?? 0;
        if (random.next() < 0.1) await turn();
        running[key] = 0;
        queue.done(key);
      }
    };
    const working = Promise.all(Array.from({ length: 200 }, work));
    for (let i = 0; i < 1_000_000; i++) {
      const key = Math.floor(random.next() * KEYS);
      written[key] = i + 1;
      queue.add(key, { priority: i % 3 === 0 ? 'low' : 'normal' });
      if (i % 5000 === 0) await turn();
    }
    await queue.shutDownWithDrain();
    await working;
    expect(seen).toEqual(written);
  });
});

describe('WorkQueue shutdown', () => {
  it('with drain waits until all returned items are done', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.add('b');
    await queue.get();
    await queue.get();
    const drained = queue.shutDownWithDrain();
    expect(await settled(drained)).toBe('pending');
    queue.done('a');
    expect(await settled(drained)).toBe('pending');
    queue.done('b');
    await drained;
    expect(await queue.get()).toBeUndefined();
  });

  it('with drain waits for queued items', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    const drained = queue.shutDownWithDrain();
    expect(await settled(drained)).toBe('pending');
    expect(await queue.get()).toBe('a');
    queue.done('a');
    await drained;
  });

  it('without drain does not wait, and still returns queued items', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    queue.add('b');
    await queue.get();
    queue.shutDown();
    expect(queue.isShuttingDown).toBe(true);
    expect(await queue.get()).toBe('b');
    expect(await queue.get()).toBeUndefined();
  });

  it('resolves a pending drain', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    await queue.get();
    const drained = [queue.shutDownWithDrain(), queue.shutDownWithDrain()];
    expect(await settled(Promise.all(drained))).toBe('pending');
    queue.shutDown();
    await Promise.all(drained);
    queue.done('a');
  });

  it('with drain waits for items that were added again while they were processed', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    await queue.get();
    queue.add('a');
    const drained = queue.shutDownWithDrain();
    queue.done('a');
    expect(await settled(drained)).toBe('pending');
    expect(await queue.get()).toBe('a');
    queue.done('a');
    await drained;
  });

  it('resolves pending gets with undefined', async () => {
    const queue = new WorkQueue();
    const waiting = [queue.get(), queue.get(), queue.get()];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined, undefined]);
  });

  it('leaves no timer behind, and drops delayed items', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 1000);
    queue.addAfter('b', 10);
    expect(clock.pendingTimers).toBe(1);
    queue.shutDown();
    expect(clock.pendingTimers).toBe(0);
    expect(queue.delayed).toBe(0);
    await clock.advance(2000);
    expect(queue.length).toBe(0);
  });
});

describe('WorkQueue priority', () => {
  it('puts changes before the initial list', async () => {
    const queue = new WorkQueue();
    for (const item of ['old-1', 'old-2']) queue.add(item, { priority: 'low' });
    for (const item of ['new-1', 'new-2']) queue.add(item);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['new-1', 'new-2', 'old-1']);
  });

  it('never starves the initial list, however many changes there are', async () => {
    const queue = new WorkQueue();
    for (let i = 0; i < 10; i++) queue.add(`old-${i}`, { priority: 'low' });
    const order: string[] = [];
    for (let i = 0; i < 100; i++) {
      queue.add(`new-${i}`);
      queue.add(`new-${i}-more`);
      const item = (await queue.get()) ?? '';
      order.push(item);
      queue.done(item);
    }
    const old = order.filter((item) => item.startsWith('old'));
    expect(old.length).toBeGreaterThanOrEqual(10);
    expect(old).toEqual(Array.from({ length: 10 }, (_, i) => `old-${i}`));
  });

  it('of a queued item is raised by an add, and never lowered', async () => {
    const queue = new WorkQueue();
    for (const item of ['a', 'b', 'c']) queue.add(item, { priority: 'low' });
    queue.add('c');
    queue.add('c', { priority: 'low' });
    expect(queue.length).toBe(3);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['c', 'a', 'b']);
    expect(queue.length).toBe(0);
  });

  it('of an item in progress applies to its next round', async () => {
    const queue = new WorkQueue();
    queue.add('a');
    await queue.get();
    queue.add('a', { priority: 'low' });
    queue.add('b');
    queue.add('a');
    queue.done('a');
    queue.add('c', { priority: 'low' });
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['b', 'a', 'c']);
  });
});

describe('WorkQueue with three priorities', () => {
  it('returns the highest first, and starves none', async () => {
    const queue = new WorkQueue();
    const order: string[] = [];
    for (let i = 0; i < 2; i++) {
      queue.add(`low-${i}`, { priority: 'low' });
      queue.add(`normal-${i}`);
    }
    for (let i = 0; i < 30; i++) {
      queue.add(`high-${i}`, { priority: 'high' });
      const item = (await queue.get()) ?? '';
      order.push(item);
      queue.done(item);
    }
    const places = order.flatMap((item, place) => (item.startsWith('high') ? [] : [`${place} ${item}`]));
    expect(places).toEqual(['8 low-0', '9 normal-0', '17 low-1', '19 normal-1']);
  });

  it('keeps the higher priority of a delayed item, and the earlier time', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 10, { priority: 'low' });
    queue.addAfter('a', 1000, { priority: 'high' });
    queue.addRateLimited('b', { priority: 'low' });
    await clock.advance(10);
    expect(await queue.get()).toBe('a');
    expect(queue.priorityOf('a')).toBe('high');
    expect(await queue.get()).toBe('b');
    expect(queue.priorityOf('b')).toBe('low');
    queue.done('b');
    expect(queue.priorityOf('b')).toBeUndefined();
  });

  it('rejects any other priority', () => {
    const queue = new WorkQueue();
    const options = { priority: 'urgent' as 'high' };
    const message = /priority must be one of high, normal, low/;
    expect(() => queue.add('a', options)).toThrow(message);
    expect(() => queue.addAfter('a', 10, options)).toThrow(message);
  });
});

describe('WorkQueue metrics', () => {
  function measured() {
    const clock = new VirtualClock();
    const metrics = new Metrics();
    const queue = new WorkQueue({ name: 'copies', metrics, clock });
    const value = (name: string, labels = '{name="copies"}'): number | undefined => {
      const line = metrics
        .text()
        .split('\n')
        .find((text) => text.startsWith(`${name}${labels} `));
      return line === undefined ? undefined : Number(line.split(' ').at(-1));
    };
    return { clock, metrics, queue, value };
  }

  it('report depth, adds, waiting, work, unfinished and longest running', async () => {
    const { clock, queue, value } = measured();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(value('workqueue_depth')).toBe(2);
    expect(value('workqueue_adds_total')).toBe(2);
    await clock.advance(50);
    await queue.get();
    expect(value('workqueue_depth')).toBe(1);
    expect(value('workqueue_queue_duration_seconds_sum')).toBeCloseTo(0.05);
    queue.add('a');
    queue.add('a');
    expect(value('workqueue_adds_total')).toBe(3);
    await clock.advance(25);
    await queue.get();
    await clock.advance(100);
    expect(value('workqueue_unfinished_work_seconds')).toBeCloseTo(0.225);
    expect(value('workqueue_longest_running_processor_seconds')).toBeCloseTo(0.125);
    queue.done('a');
    expect(value('workqueue_work_duration_seconds_sum')).toBeCloseTo(0.125);
    expect(value('workqueue_work_duration_seconds_count')).toBe(1);
    expect(value('workqueue_unfinished_work_seconds')).toBeCloseTo(0.1);
    await queue.get();
    expect(value('workqueue_queue_duration_seconds_sum')).toBeCloseTo(0.05 + 0.075 + 0.125);
  });

  it('count retries', () => {
    const { queue, value } = measured();
    queue.addRateLimited('a');
    queue.addAfter('b', 100);
    queue.addAfter('c', 0);
    expect(value('workqueue_retries_total')).toBe(3);
    expect(value('workqueue_adds_total')).toBe(1);
  });

  it('are removed when the queue has ended, without those of other owners with the same label', async () => {
    const { metrics, queue, value } = measured();
    metrics.gauge('informer_queued_items', 'x').labels({ name: 'copies' }).set(7);
    queue.add('a');
    await queue.get();
    queue.shutDown();
    expect(value('workqueue_depth')).toBe(0);
    queue.done('a');
    expect(metrics.text()).not.toContain('workqueue_');
    expect(value('informer_queued_items')).toBe(7);
  });

  it('do not exist for a queue without a name', () => {
    const metrics = new Metrics();
    const queue = new WorkQueue({ metrics });
    queue.add('a');
    expect(metrics.text()).toBe('');
  });
});
