import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineWorld, PODS } from '../../support/engine-world.js';

let world: EngineWorld;

beforeAll(async () => {
  world = await EngineWorld.start();
  for (let i = 0; i < 50; i++) {
    await world.define('many.example.com', `Kind${i}`);
    await world.server.populate({
      kind: `Kind${i}`,
      apiVersion: 'many.example.com/v1',
      count: 20,
      sizeBytes: 500,
    });
  }
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

describe('an engine', () => {
  it('runs fifty informers on two workers, evenly', async () => {
    const engine = world.engine({ workers: 2 });
    const informers = Array.from({ length: 50 }, (_, i) =>
      engine.informer({ apiVersion: 'many.example.com/v1', kind: `Kind${i}`, plural: `kind${i}s` }),
    );
    for (const informer of informers) informer.start();
    await Promise.all(informers.map(({ synced }) => synced));
    expect(informers.map(({ indexer }) => indexer.size)).toEqual(Array.from({ length: 50 }, () => 20));
    await expect.poll(() => engine.stats().workers.reduce((sum, { streams }) => sum + streams, 0)).toBe(50);
    const streams = engine.stats().workers.map((worker) => worker.streams);
    expect(Math.abs((streams[0] ?? 0) - (streams[1] ?? 0))).toBeLessThan(15);
    expect(world.errors).toEqual([]);
  });

  it('starts nothing before it is needed, and leaves nothing when it is closed', async () => {
    const before = resources();
    for (let i = 0; i < 10; i++) {
      const engine = world.engine({ workers: 1 + (i % 2) });
      await expect.poll(resources).toEqual(before);
      const pods = engine.informer({ ...PODS, pageSize: 100 });
      pods.start();
      // Closed in every phase: before the threads are up, in the list, in the watch.
      if (i > 2) await new Promise((resolve) => setTimeout(resolve, i * 8));
      if (i > 7) await pods.synced;
      await engine.close();
    }
    await expect.poll(resources).toEqual(before);
    await expect.poll(async () => (await world.server.counters()).openWatches).toBe(0);
  });

  it('informers come and go without leaving a stream', async () => {
    const engine = world.engine({ workers: 1 });
    await engine.start();
    for (let i = 0; i < 30; i++) {
      const informer = engine.informer(CONFIG_MAPS);
      informer.start();
      if (i % 3 === 0) await informer.synced;
      await informer.stop();
    }
    await expect.poll(() => engine.stats().workers[0]?.streams).toBe(0);
    await expect.poll(async () => (await world.server.counters()).openWatches).toBe(0);
    expect(engine.stats().workers[0]?.restarts).toBe(0);
    expect(world.errors).toEqual([]);
  });

  it('does not keep the process alive when nothing runs', async () => {
    const before = resources();
    const engine = world.engine();
    const informer = engine.informer(CONFIG_MAPS);
    informer.start();
    await informer.synced;
    await informer.stop();
    await expect.poll(resources).toEqual(before);
  });
});
