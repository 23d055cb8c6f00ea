import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture, PODS } from '../support/engine/engine-fixture.js';

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  await world.server.populate({ kind: 'Pod', count: 600, sizeBytes: 3000 });
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

/** What keeps the process alive, by type; sockets to the server's thread and timers of the test runner come and go. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1;
  return { ports: counts['MessagePort'] ?? 0, workers: counts['Worker'] ?? 0 };
}

describe('Engine', () => {
  it('starts no thread before it is needed, and leaves none when it is closed', async () => {
    const before = resources();
    for (let i = 0; i < 10; i++) {
      const engine = world.engine({ workers: 1 + (i % 2) });
      await expect.poll(resources).toEqual(before);
      const pods = engine.informer({ ...PODS, pageSize: 100 });
      pods.start();
      // Closed in every phase: before the threads are up, in the list, in the watch.
      if (i > 2) await sleep(i * 8);
      if (i > 7) await pods.synced;
      await engine.close();
    }
    await expect.poll(resources).toEqual(before);
    await expect.poll(async () => (await world.server.counters()).openWatches).toBe(0);
  });

  it('does not keep the process alive when no informer is running', async () => {
    const before = resources();
    const engine = world.engine();
    const informer = engine.informer(CONFIG_MAPS);
    informer.start();
    await informer.synced;
    await informer.stop();
    await expect.poll(resources).toEqual(before);
  });
});
