import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EngineWorld, PODS } from '../support/engine-world.js';
import { heldBytes } from '../support/garbage.js';

const KEYS = 10_000;
const EVENTS_PER_SECOND = 1000;
const STUCK_MS = 60_000;

it('a handler that is stuck for a minute costs no more than twice what is alive, and no more in the end than in the middle', async () => {
  const world = await EngineWorld.start({ run: 'process' });
  try {
    await world.server.populate({ kind: 'Pod', count: KEYS, sizeBytes: 1000, namespaces: 5 });
    // The server is a process of its own.
    const before = await heldBytes();
    const engine = world.engine({ workers: 1 });
    const informer = engine.informer(PODS);
    let release = (): void => {};
    let calls = 0;
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const registration = informer.addEventHandler({
      onAdd: () => undefined,
      onUpdate: () => {
        calls++;
        return stuck;
      },
    });
    informer.start();
    await informer.synced;
    await expect.poll(() => registration.hasSynced, { timeout: 30_000 }).toBe(true);
    const live = (await heldBytes()) - before;
    const end = performance.now() + STUCK_MS;
    const samples: number[] = [];
    const churning = (async () => {
      while (performance.now() < end) {
        await world.server.updateEach({ apiVersion: 'v1', kind: 'Pod' }, { perSecond: EVENTS_PER_SECOND });
      }
    })();
    while (performance.now() < end) {
      await sleep(5000);
      samples.push((await heldBytes()) - before);
      if (samples.length * 5000 >= STUCK_MS) break;
    }
    await world.server.stopChurn();
    await churning;
    const { events } = engine.stats().informers[0] ?? { events: 0 };
    const pending = informer.health().handlers[0]?.pending ?? 0;
    console.log(JSON.stringify({ live, samples, events, pending }));
    expect(events).toBeGreaterThan(KEYS);
    expect(calls).toBe(1);
    // A state for each key, and one that was there before merging began.
    expect(pending).toBeLessThanOrEqual(KEYS * 2);
    const most = Math.max(...samples);
    // At most twice the live set on top of it, and a little for the test itself.
    expect(most).toBeLessThan(live * 3 + 1024 * 1024);
    const [middle = 0] = samples.slice(samples.length >> 1);
    expect(samples.at(-1)).toBeLessThan(middle * 1.1);
    release();
  } finally {
    await world.close();
  }
}, 180_000);
