import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EngineFixture, PODS } from '../support/engine/engine-fixture.js';
import { heldBytes } from '../support/engine/garbage.js';

const KEYS = 10_000;
const EVENTS_PER_SECOND = 1000;
const STUCK_MS = 60_000;
const SAMPLE_EVERY_MS = 2000;

it('a handler that is stuck for a minute keeps memory below twice the live set, without growth in the second half', async () => {
  const world = await EngineFixture.start({ run: 'process' });
  try {
    await world.server.populate({ kind: 'Pod', count: KEYS, sizeBytes: 1000, namespaces: 5 });
    // The server runs in a separate process.
    const before = await heldBytes();
    const engine = world.engine({ workers: 1 });
    const informer = engine.informer(PODS);
    let release = (): void => {};
    let callsWhileStuck = 0;
    let stuck: Promise<void> | undefined;
    const registration = informer.addEventHandler({
      onAdd: () => undefined,
      onUpdate: () => {
        if (stuck !== undefined) callsWhileStuck++;
        return stuck;
      },
    });
    informer.start();
    await informer.synced;
    await expect.poll(() => registration.hasSynced, { timeout: 30_000 }).toBe(true);
    const synced = (await heldBytes()) - before;
    let isChurning = true;
    const churning = (async () => {
      while (isChurning) {
        await world.server.updateEach({ apiVersion: 'v1', kind: 'Pod' }, { perSecond: EVENTS_PER_SECOND });
      }
    })();
    const sample = async (ms: number): Promise<number[]> => {
      const end = performance.now() + ms;
      const held: number[] = [];
      while (performance.now() < end) {
        // Between two samples.
        await sleep(SAMPLE_EVERY_MS);
        // Twice, in case a compaction was under way.
        held.push(Math.min(await heldBytes(), await heldBytes()) - before);
      }
      return held;
    };
    // Long enough for every object to have changed.
    const live = await sample((2 * KEYS * 1000) / EVENTS_PER_SECOND);
    const told = engine.stats().informers[0]?.events ?? 0;
    stuck = new Promise((resolve) => {
      release = resolve;
    });
    const held = await sample(STUCK_MS);
    isChurning = false;
    await world.server.stopChurn();
    await churning;
    const events = (engine.stats().informers[0]?.events ?? 0) - told;
    const pending = informer.health().handlers[0]?.pending ?? 0;
    console.log(JSON.stringify({ synced, live, held, events, pending }));
    expect(events).toBeGreaterThan(KEYS);
    expect(callsWhileStuck).toBe(1);
    expect(pending).toBe(KEYS);
    expect(Math.max(...held)).toBeLessThan(Math.max(...live) * 2);
    const [middle = 0] = held.slice(held.length >> 1);
    expect(held.at(-1)).toBeLessThan(middle * 1.1);
    release();
  } finally {
    await world.close();
  }
}, 180_000);
