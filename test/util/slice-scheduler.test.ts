import { describe, expect, it } from 'vitest';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

describe('SliceScheduler', () => {
  it('ends a slice after its time, however few items it had', async () => {
    const clock = new VirtualClock();
    let now = 0;
    clock.now = () => now;
    const slice = new SliceScheduler({ clock, sliceMs: 5 }).open();
    expect(slice.take()).toBe(false);
    const renewed = slice.renew();
    await clock.drain();
    await renewed;
    now = 4;
    expect(slice.take()).toBe(true);
    now = 5;
    expect(slice.take()).toBe(false);
  });

  it('begins a slice at once for a loop that has just waited for its input', async () => {
    const clock = new VirtualClock();
    let now = 100;
    clock.now = () => now;
    const slice = new SliceScheduler({ clock, sliceMs: 5 }).openNow();
    expect(slice.take()).toBe(true);
    now = 105;
    expect(slice.take()).toBe(false);
  });

  it('grants one slice per turn, first come, first served, so that no loop starves', async () => {
    const clock = new VirtualClock();
    const scheduler = new SliceScheduler({ clock, itemsPerSlice: 10 });
    const log: string[] = [];
    const work = async (name: string, items: number): Promise<void> => {
      const slice = scheduler.open();
      for (let i = 0; i < items; i++) {
        if (!slice.take()) {
          await slice.renew();
          log.push(`${clock.turns}${name}`);
        }
      }
    };
    const all = Promise.all([work('a', 30), work('b', 20), work('c', 5)]);
    await clock.drain();
    await all;
    expect(log).toEqual(['1a', '2b', '3c', '4a', '5b', '6a']);
  });

  it('lets timers run between the slices of streams that share one', async () => {
    const slice = new SliceScheduler({ sliceMs: 3, itemsPerSlice: Number.POSITIVE_INFINITY }).open();
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await slice.renew();
        order.push(name);
        const endMs = performance.now() + 12;
        while (performance.now() < endMs);
        expect(slice.take()).toBe(false);
      }
    };
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await Promise.all([work('a'), work('b'), work('c')]);
    clearInterval(timer);
    expect(order.join('')).toBe('abcabcabc');
    expect(ticks).toBeGreaterThan(3);
  });

  it('does not interrupt a loop that has worked for a short time', async () => {
    const slice = new SliceScheduler({ sliceMs: 1000 }).open();
    await slice.renew();
    expect(slice.take()).toBe(true);
  });
});
