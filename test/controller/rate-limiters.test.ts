import {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  WithMaxWaitRateLimiter,
  WorkQueue,
} from 'kubeflect/controller';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../support/time/virtual-clock.js';

const waits = (limiter: RateLimiter<string>, item: string, times: number): number[] =>
  Array.from({ length: times }, () => limiter.when(item));

describe('ItemExponentialFailureRateLimiter', () => {
  it('doubles the delay of each item with each failure, up to the maximum, until it is forgotten', () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>(1, 1000);
    expect(waits(limiter, 'one', 5)).toEqual([1, 2, 4, 8, 16]);
    expect(limiter.numRequeues('one')).toBe(5);
    expect(waits(limiter, 'two', 2)).toEqual([1, 2]);
    expect(limiter.numRequeues('two')).toBe(2);
    limiter.forget('one');
    expect(limiter.numRequeues('one')).toBe(0);
    expect(limiter.when('one')).toBe(1);
  });

  it('returns the maximum for any number of failures', () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>(1, 1000);
    const all = waits(limiter, 'one', 5000);
    expect(all[9]).toBe(512);
    expect(all.slice(10).every((wait) => wait === 1000)).toBe(true);
  });
});

describe('ItemFastSlowRateLimiter', () => {
  it('allows some fast retries per item, then slow ones, until it is forgotten', () => {
    const limiter = new ItemFastSlowRateLimiter<string>(5, 10_000, 3);
    expect(waits(limiter, 'one', 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    expect(limiter.numRequeues('one')).toBe(5);
    expect(limiter.when('two')).toBe(5);
    limiter.forget('one');
    expect(limiter.when('one')).toBe(5);
  });
});

describe('MaxOfRateLimiter', () => {
  it('returns the longest delay and the most failures of its members, and forgets in all of them', () => {
    const limiter = new MaxOfRateLimiter<string>(
      new ItemFastSlowRateLimiter(5, 3000, 3),
      new ItemExponentialFailureRateLimiter(1, 1000),
    );
    expect(waits(limiter, 'one', 5)).toEqual([5, 5, 5, 3000, 3000]);
    expect(limiter.numRequeues('one')).toBe(5);
    limiter.forget('one');
    expect(limiter.numRequeues('one')).toBe(0);
    expect(limiter.when('one')).toBe(5);
  });
});

describe('WithMaxWaitRateLimiter', () => {
  it('caps longer delays', () => {
    const limiter = new WithMaxWaitRateLimiter<string>(new ItemExponentialFailureRateLimiter(1, 1000), 5);
    expect(waits(limiter, 'one', 5)).toEqual([1, 2, 4, 5, 5]);
    expect(limiter.numRequeues('one')).toBe(5);
    limiter.forget('one');
    expect(limiter.when('one')).toBe(1);
  });
});

describe('BucketRateLimiter', () => {
  it('lets a burst pass immediately, then delays each item until its token', () => {
    const clock = new VirtualClock();
    const limiter = new BucketRateLimiter<string>({ perSecond: 10, burst: 3, clock });
    expect(waits(limiter, 'any', 5)).toEqual([0, 0, 0, 100, 200]);
    expect(limiter.numRequeues('any')).toBe(0);
  });

  it('refills up to its burst', async () => {
    const clock = new VirtualClock();
    const limiter = new BucketRateLimiter<string>({ perSecond: 10, burst: 3, clock });
    waits(limiter, 'any', 5);
    await clock.advance(300);
    expect(waits(limiter, 'any', 2)).toEqual([0, 100]);
    await clock.advance(3_600_000);
    expect(waits(limiter, 'any', 4)).toEqual([0, 0, 0, 100]);
  });
});

describe('defaultControllerRateLimiter', () => {
  it('is 5 ms doubling to 1000 s per item, and 10 per second after a burst of 100 for all', async () => {
    const clock = new VirtualClock();
    const limiter = defaultControllerRateLimiter<string>(clock);
    expect(waits(limiter, 'one', 4)).toEqual([5, 10, 20, 40]);
    expect(waits(limiter, 'two', 1)).toEqual([5]);
    waits(limiter, 'many', 95);
    expect(limiter.when('three')).toBeCloseTo(100);
    expect(limiter.when('many')).toBe(1_000_000);
  });
});

describe('WorkQueue.addRateLimited', () => {
  it('adds with the delay of its limiter, until the item is forgotten', async () => {
    const clock = new VirtualClock();
    const rateLimiter = new ItemExponentialFailureRateLimiter<string>(1, 1000);
    const queue = new WorkQueue({ clock, rateLimiter });
    queue.addRateLimited('one');
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    await queue.get();
    queue.addRateLimited('one');
    queue.done('one');
    await clock.advance(1);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    expect(queue.numRequeues('one')).toBe(2);
    queue.forget('one');
    expect(queue.numRequeues('one')).toBe(0);
    expect(queue.length).toBe(1);
  });

  it('counts no failure after a shutdown', () => {
    const queue = new WorkQueue();
    queue.shutDown();
    queue.addRateLimited('one');
    expect(queue.numRequeues('one')).toBe(0);
  });
});
