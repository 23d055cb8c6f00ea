import { describe, expect, it } from 'vitest';
import type { Entry } from '#dist/src/store/entry.js';
import { InformerHarness, RecordingHandler } from '../support/informer/informer-harness.js';
import { entry, type Pod } from '../support/objects/entries.js';

/** Counts items that are touched between two turns of the event loop. */
class Meter {
  most = 0;
  total = 0;
  #since = 0;

  count(): void {
    this.total++;
    this.most = Math.max(this.most, ++this.#since);
  }

  turn(): void {
    this.#since = 0;
  }
}

/** Entries made while they are read, so that reading them can be counted. */
function* metered(meter: Meter, count: number, version: number): Generator<Entry<Pod>> {
  for (let i = 0; i < count; i++) {
    meter.count();
    yield entry(`p${i}`, version + i);
  }
}

describe('Main thread slices', () => {
  it('applies a list of 100,000 objects and notifies handlers with at most 1,000 items per turn of the event loop', async () => {
    const h = new InformerHarness();
    const applied = new Meter();
    const told = new Meter();
    h.clock.onTurn = () => {
      applied.turn();
      told.turn();
    };
    const handler = { onAdd: () => told.count(), onUpdate: () => told.count(), onDelete: () => told.count() };
    for (let i = 0; i < 3; i++) h.informer.addEventHandler(handler);
    await h.start();
    h.store.replace(metered(applied, 100_000, 1), '100000');
    await h.clock.drain();
    expect(applied).toMatchObject({ total: 100_000 });
    expect(told.total).toBe(300_000);

    h.store.replace(metered(applied, 50_000, 200_000), '300000');
    await h.clock.drain();
    expect(h.informer.indexer.size).toBe(50_000);
    expect(told.total).toBe(600_000);
    expect(applied.most).toBeLessThanOrEqual(1000);
    expect(told.most).toBeLessThanOrEqual(1000);
    await h.informer.stop();
  });

  it('processes 100,000 events, a replay, a resync and a new index with at most 1,000 items per turn', async () => {
    const h = new InformerHarness({ resyncPeriodMs: 1000 });
    const meter = new Meter();
    const index = new Meter();
    h.clock.onTurn = () => {
      meter.turn();
      index.turn();
    };
    await h.start([metered(new Meter(), 20_000, 1), '20000']);
    const handler = { onAdd: () => meter.count(), onUpdate: () => meter.count() };
    h.informer.addEventHandler(handler);
    await h.clock.drain();
    expect(meter.total).toBe(20_000);

    for (let i = 0; i < 100_000; i++) h.store.update(entry(`p${i % 20_000}`, 30_000 + i));
    await h.clock.drain();
    expect(meter.total).toBeGreaterThan(40_000);

    const before = meter.total;
    await h.clock.advance(1000);
    if (h.context.shouldResync()) h.store.resync();
    await h.clock.drain();
    expect(meter.total - before).toBe(20_000);

    const added = h.informer.addIndexers({
      byName: (e) => {
        index.count();
        return [e.name];
      },
    });
    await h.clock.drain();
    await added;
    expect(index.total).toBe(20_000);
    expect(index.most).toBeLessThanOrEqual(1000);
    expect(meter.most).toBeLessThanOrEqual(1000);
    await h.informer.stop();
  });

  it('applies events and notifies every handler in the turn in which they arrive', async () => {
    const h = new InformerHarness();
    const handlers = [new RecordingHandler(), new RecordingHandler(), new RecordingHandler()];
    for (const handler of handlers) h.informer.addEventHandler(handler);
    const events = h.informer.events();
    await h.start([[entry('a', 1)], '1']);
    for (const handler of handlers) handler.take();
    const states: string[] = [];
    void (async () => {
      for await (const event of events) if (event.type === 'update') states.push(event.entry.resourceVersion);
    })();
    await h.clock.drain();
    const { turns } = h.clock;
    for (let version = 2; version < 100; version++) {
      h.store.update(entry('a', version));
      await h.clock.flush();
      for (const handler of handlers) expect(handler.take()).toEqual([`update a@${version - 1}→${version}`]);
      expect(states.at(-1)).toBe(String(version));
      expect(h.clock.turns).toBe(turns);
    }
    await h.informer.stop();
  });

  it('applies what arrives in one turn together, and waits for another turn beyond 1,000 items', async () => {
    const h = new InformerHarness();
    let calls = 0;
    h.informer.addEventHandler({ onUpdate: () => void calls++ });
    await h.start([[entry('a', 1)], '1']);
    for (let i = 0; i < 900; i++) h.store.update(entry('a', 2 + i));
    await h.clock.flush();
    expect(h.informer.lister.entry('default/a')?.resourceVersion).toBe('901');
    expect(calls).toBeLessThan(900);
    expect(h.clock.turn()).toBe(true);
    await h.clock.flush();
    expect(calls).toBe(900);
    await h.informer.stop();
  });

  it('calls an asynchronous handler that settles at once many times per turn', async () => {
    const h = new InformerHarness();
    let calls = 0;
    h.informer.addEventHandler({
      async onAdd() {
        calls++;
      },
    });
    await h.start([metered(new Meter(), 10_000, 1), '10000']);
    expect(calls).toBe(10_000);
    expect(h.clock.turns).toBeLessThan(60);
    await h.informer.stop();
  });
});
