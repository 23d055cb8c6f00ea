import { describe, expect, it } from 'vitest';
import { ResyncPlan } from '#dist/src/informer/resync-plan.js';
import { InformerHarness, RecordingHandler } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

const HOUR = 3_600_000;

describe('ResyncPlan', () => {
  it('checks as often as the shortest period requested before the start; zero stays zero', () => {
    const plan = new ResyncPlan<string>(new VirtualClock(), 12 * HOUR);
    plan.add('never', 0, false);
    expect([plan.checkPeriodMs, plan.periodMs('never')]).toEqual([12 * HOUR, 0]);
    plan.add('minute', 60_000, false);
    expect([plan.checkPeriodMs, plan.periodMs('minute')]).toEqual([60_000, 60_000]);
    plan.add('hour', HOUR, false);
    expect([plan.checkPeriodMs, plan.periodMs('hour')]).toEqual([60_000, HOUR]);
    plan.add('seconds', 5000, false);
    expect(['never', 'minute', 'hour', 'seconds'].map((name) => plan.periodMs(name))).toEqual([
      0,
      60_000,
      HOUR,
      5000,
    ]);
    expect(plan.checkPeriodMs).toBe(5000);
  });

  it('raises a period requested after the start to the check period', () => {
    const plan = new ResyncPlan<string>(new VirtualClock(), 60_000);
    plan.add('late', 5000, true);
    plan.add('slow', 90_000, true);
    expect([plan.checkPeriodMs, plan.periodMs('late'), plan.periodMs('slow')]).toEqual([
      60_000, 60_000, 90_000,
    ]);
  });

  it('has no resync if the informer has none', () => {
    const plan = new ResyncPlan<string>(new VirtualClock(), 0);
    plan.add('wants', 5000, false);
    expect(plan.periodMs('wants')).toBe(0);
  });

  it('raises every period to at least a second', () => {
    const plan = new ResyncPlan<string>(new VirtualClock(), HOUR);
    plan.add('eager', 1, false);
    expect([plan.checkPeriodMs, plan.periodMs('eager')]).toEqual([1000, 1000]);
  });
});

describe('Resync', () => {
  it('notifies only handlers that are due, with updates marked isResync', async () => {
    const h = new InformerHarness({ resyncPeriodMs: 1000 });
    const handlers = [1000, 2000, 0].map((resyncPeriodMs) => {
      const handler = new RecordingHandler();
      h.informer.addEventHandler(handler, { resyncPeriodMs });
      return handler;
    });
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    expect(h.context.resyncPeriodMs).toBe(1000);
    const told: number[][] = [];
    for (let second = 1; second <= 4; second++) {
      for (const handler of handlers) handler.take();
      await h.clock.advance(1000);
      if (h.context.shouldResync()) h.store.resync();
      await h.clock.drain();
      told.push(handlers.map((handler) => handler.told.filter((line) => line.startsWith('resync')).length));
    }
    expect(told).toEqual([
      [2, 0, 0],
      [2, 2, 0],
      [2, 0, 0],
      [2, 2, 0],
    ]);
    await h.informer.stop();
  });

  it('is never delivered before a pending change, nor after a newer one', async () => {
    const h = new InformerHarness({ resyncPeriodMs: 1000 });
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1)], '1']);
    handler.take();
    await h.clock.advance(1000);
    h.store.update(entry('a', 2));
    if (h.context.shouldResync()) h.store.resync();
    h.store.update(entry('a', 3));
    await h.clock.drain();
    expect(handler.take()).toEqual(['update a@1→2', 'resync a@2', 'update a@2→3']);
    await h.informer.stop();
  });

  it('skips a handler whose list or previous resync is still pending', async () => {
    const h = new InformerHarness({ resyncPeriodMs: 1000 });
    let release: () => void = () => {};
    const told: string[] = [];
    h.informer.addEventHandler({
      onAdd(e) {
        told.push(`add ${e.name}`);
        return e.name === 'a' ? new Promise<void>((resolve) => (release = resolve)) : undefined;
      },
      onUpdate: (_before, e) => void told.push(`resync ${e.name}`),
    });
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    for (let i = 0; i < 100; i++) {
      await h.clock.advance(1000);
      if (h.context.shouldResync()) h.store.resync();
      await h.clock.drain();
    }
    release();
    await h.clock.drain();
    expect(told).toEqual(['add a', 'add b']);
    await h.informer.stop();
  });

  it('does not happen if no handler has a period', async () => {
    const h = new InformerHarness();
    h.informer.addEventHandler({});
    await h.start([[entry('a', 1)], '1']);
    await h.clock.advance(HOUR);
    expect(h.context.resyncPeriodMs).toBe(0);
    expect(h.context.shouldResync()).toBe(false);
    await h.informer.stop();
  });

  it('is not delivered to a removed handler', async () => {
    const h = new InformerHarness({ resyncPeriodMs: 1000 });
    const handler = new RecordingHandler();
    const registration = h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1)], '1']);
    handler.take();
    await h.clock.advance(1000);
    h.context.shouldResync();
    h.store.resync();
    void registration.remove();
    await h.clock.drain();
    expect(handler.take()).toEqual([]);
    await h.informer.stop();
  });
});
