import { describe, expect, it } from 'vitest';
import { ExponentialBackoffManager, fixedBackoff } from '#dist/src/util/backoff.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

function delays(manager: { backoff(): number }, count: number): number[] {
  return Array.from({ length: count }, () => manager.backoff());
}

describe('ExponentialBackoffManager', () => {
  // TestBackoff_Step, TestBackoffDelayWithResetExponential
  it('doubles from 0.8 s and stays at 30 s', () => {
    const manager = new ExponentialBackoffManager({ clock: new VirtualClock(), random: () => 0 });
    expect(delays(manager, 9)).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  });

  // TestBackoffDelayWithResetJitter
  it('adds a jitter of up to its own length to each delay, also at the maximum', () => {
    const low = new ExponentialBackoffManager({ clock: new VirtualClock(), random: () => 0 });
    const high = new ExponentialBackoffManager({ clock: new VirtualClock(), random: () => 0.999 });
    const lowest = delays(low, 8);
    delays(high, 8).forEach((delay, index) => {
      expect(delay).toBeGreaterThan((lowest[index] ?? 0) * 1.99);
      expect(delay).toBeLessThan((lowest[index] ?? 0) * 2);
    });
  });

  // TestNewReflectorWithCustomBackoff
  it('accepts other numbers: 10, 20, 40, 80, 100', () => {
    const options = { initMs: 10, maxMs: 100, factor: 2, jitter: 0 };
    const manager = new ExponentialBackoffManager({
      ...options,
      clock: new VirtualClock(),
      random: () => 0.5,
    });
    expect(delays(manager, 6)).toEqual([10, 20, 40, 80, 100, 100]);
  });

  // The test that upstream lacks: client-go 1.36 restarts the ladder every two minutes of an outage.
  it('is not reset during an outage, however long', async () => {
    const clock = new VirtualClock();
    const manager = new ExponentialBackoffManager({ clock, random: () => 0 });
    const seen: number[] = [];
    for (let i = 0; i < 40; i++) {
      const delay = manager.backoff();
      seen.push(delay);
      await clock.advance(delay);
    }
    expect(seen.slice(6).every((delay) => delay === 30_000)).toBe(true);
  });

  it('is reset after two minutes without a backoff, and not earlier', async () => {
    const clock = new VirtualClock();
    const manager = new ExponentialBackoffManager({ clock, random: () => 0 });
    await clock.advance(manager.backoff());
    await clock.advance(manager.backoff());
    await clock.advance(120_000);
    const delay = manager.backoff();
    expect(delay).toBe(3200);
    await clock.advance(delay + 120_001);
    expect(manager.backoff()).toBe(800);
  });

  it('is reset when its owner says that the failures have ended', () => {
    const manager = new ExponentialBackoffManager({ clock: new VirtualClock(), random: () => 0 });
    expect(delays(manager, 3)).toEqual([800, 1600, 3200]);
    manager.reset();
    expect(delays(manager, 2)).toEqual([800, 1600]);
  });

  it('counts the reset period from the end of a delay, so that long delays do not reset it', async () => {
    const clock = new VirtualClock();
    const manager = new ExponentialBackoffManager({
      clock,
      random: () => 0,
      initMs: 100_000,
      maxMs: 400_000,
    });
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) {
      seen.push(manager.backoff());
      await clock.advance(seen[i] ?? 0);
    }
    expect(seen).toEqual([100_000, 200_000, 400_000, 400_000]);
  });

  it('stays at 0 if it starts there, however many attempts fail', () => {
    const manager = new ExponentialBackoffManager({ clock: new VirtualClock(), random: () => 0, initMs: 0 });
    expect(new Set(delays(manager, 1100))).toEqual(new Set([0]));
  });

  it('never starts above its maximum', () => {
    const manager = new ExponentialBackoffManager({ clock: new VirtualClock(), random: () => 0, maxMs: 500 });
    expect(delays(manager, 2)).toEqual([500, 500]);
  });
});

describe('fixedBackoff', () => {
  it('returns the same delay every time', () => {
    expect(delays(fixedBackoff(1000), 3)).toEqual([1000, 1000, 1000]);
  });
});
