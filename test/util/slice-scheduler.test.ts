import { describe, expect, it } from 'vitest';
import { type Slice, SliceScheduler, sliceSchedulerOf } from '#dist/src/util/slice-scheduler.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

describe('SliceScheduler', () => {
  function fixture(options: { sliceMs?: number; itemsPerSlice?: number } = {}) {
    const clock = new VirtualClock();
    const scheduler = new SliceScheduler({ clock, sliceMs: 5, ...options });
    const renew = async (slice: Slice): Promise<void> => {
      const renewed = slice.renew();
      await clock.drain();
      await renewed;
    };
    return { clock, scheduler, renew };
  }

  it('ends a slice after its time, however few items it had', async () => {
    const { clock, scheduler, renew } = fixture();
    const slice = scheduler.open();
    expect(slice.take()).toBe(true);
    clock.jump(4);
    expect(slice.take()).toBe(true);
    clock.jump(1);
    expect(slice.take()).toBe(false);
    expect(clock.turns).toBe(0);
    await renew(slice);
    expect(clock.turns).toBe(1);
    clock.jump(4);
    expect(slice.take()).toBe(true);
  });

  it('lets all loops of a thread share the time of one turn', async () => {
    const { clock, scheduler, renew } = fixture();
    const slices = [scheduler.open(), scheduler.open(), scheduler.open()] as const;
    for (const slice of slices) {
      expect(slice.take()).toBe(true);
      clock.jump(2);
      slice.pause();
    }
    expect(slices[0].take()).toBe(false);
    await renew(slices[0]);
    expect(slices[1].take()).toBe(true);
  });

  it('lets all loops of a thread share the items of one turn', () => {
    const { scheduler } = fixture({ itemsPerSlice: 3 });
    const [a, b] = [scheduler.open(), scheduler.open()];
    expect([a.take(), b.take(), a.take(), b.take(), a.take()]).toEqual([true, true, true, false, false]);
  });

  it('does not count the time in which a loop waits for input, so that it begins at once', () => {
    const { clock, scheduler } = fixture();
    const slice = scheduler.open();
    for (let i = 0; i < 4; i++) {
      expect(slice.take()).toBe(true);
      clock.jump(1);
      slice.pause();
      clock.jump(1000);
    }
    expect(slice.take()).toBe(true);
    clock.jump(1);
    expect(slice.take()).toBe(false);
  });

  it('lets only the loop itself wait for a turn after user code that took as long as a slice', async () => {
    const { clock, scheduler, renew } = fixture();
    const [slice, other] = [scheduler.open(), scheduler.open()];
    expect(slice.take()).toBe(true);
    slice.suspend();
    clock.jump(4);
    expect(slice.take()).toBe(true);
    slice.suspend();
    clock.jump(5);
    expect(other.take()).toBe(true);
    other.pause();
    expect(slice.take()).toBe(false);
    await renew(slice);
    expect(slice.take()).toBe(true);
  });

  it('has one scheduler for each clock', () => {
    const clock = new VirtualClock();
    expect(sliceSchedulerOf(clock)).toBe(sliceSchedulerOf(clock));
    expect(sliceSchedulerOf(clock)).not.toBe(sliceSchedulerOf(new VirtualClock()));
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
    expect(log).toEqual(['1a', '2b', '3c', '4a', '5b']);
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
