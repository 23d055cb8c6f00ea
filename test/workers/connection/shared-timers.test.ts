import { describe, expect, it } from 'vitest';
import { SharedTimers } from '#dist/workers/connection/shared-timers.js';
import { VirtualClock } from '../../support/time/virtual-clock.js';

describe('SharedTimers', () => {
  it('has one timer for all callbacks with the same interval, and none after the last is cancelled', async () => {
    const clock = new VirtualClock();
    const timers = new SharedTimers(clock);
    const calls: number[] = [];
    const subscriptions = Array.from({ length: 200 }, (_, i) => timers.every(1000, () => calls.push(i)));
    const other = timers.every(400, () => calls.push(-1));
    expect(clock.pendingTimers).toBe(2);
    await clock.advance(1000);
    expect(calls.filter((i) => i >= 0)).toEqual(Array.from({ length: 200 }, (_, i) => i));
    expect(calls.filter((i) => i < 0)).toHaveLength(2);
    for (const subscription of subscriptions) subscription.cancel();
    expect(clock.pendingTimers).toBe(1);
    other.cancel();
    other.cancel();
    expect(clock.pendingTimers).toBe(0);
  });

  it('first calls a callback that joins later when a complete interval has passed', async () => {
    const clock = new VirtualClock();
    const timers = new SharedTimers(clock);
    const calls: number[] = [];
    timers.every(1000, () => {});
    await clock.advance(900);
    timers.every(1000, () => calls.push(clock.read()));
    await clock.advance(3100);
    expect(calls).toEqual([2000, 3000, 4000]);
  });

  it('lets a callback cancel others, and subscribe, in the same tick', async () => {
    const clock = new VirtualClock();
    const timers = new SharedTimers(clock);
    const calls: string[] = [];
    const first = timers.every(1000, () => {
      calls.push('first');
      first.cancel();
      second.cancel();
      timers.every(1000, () => calls.push('third'));
    });
    const second = timers.every(1000, () => calls.push('second'));
    await clock.advance(1000);
    expect(calls).toEqual(['first']);
    await clock.advance(1000);
    expect(calls).toEqual(['first', 'third']);
    expect(clock.pendingTimers).toBe(1);
  });
});
