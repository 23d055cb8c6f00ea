import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from 'kubeflect';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture, Fold } from '../support/engine/engine-fixture.js';
import { heapInUse } from '../support/engine/garbage.js';
import { isFullLoop } from '../support/engine/loops.js';

const INFORMERS = isFullLoop ? 1000 : 300;
const ENGINES = isFullLoop ? 1000 : 20;

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  for (let i = 0; i < 20; i++) await world.configMap(`c${i}`, { i: `${i}` });
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

/** What keeps the process alive, by type. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1;
  // Timers of the test runner come and go.
  const { Timeout: _, Immediate: __, ...others } = counts;
  return others;
}

/** Listeners on the process, which all parts of a program share. */
const processListeners = (): number =>
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

describe('starting and stopping', () => {
  it('many informers leaves no stream, listener or memory behind', async () => {
    const before = { resources: resources(), listeners: processListeners() };
    // So small that a worker which kept twenty kilobytes of each would not live to the end of the full run.
    const engine = world.engine({ workers: 2, workerHeapMb: 24 });
    await engine.start();
    const { signal } = new AbortController();
    const heaps: number[] = [];
    for (let i = 0; i < INFORMERS; i++) {
      if (i % (INFORMERS / 4) === 0) heaps.push(await heapInUse());
      const informer = engine.informer({ ...CONFIG_MAPS, labelSelector: `informer!=${i}` });
      informer.addEventHandler(new Fold(), { signal });
      const following = new Fold().follow(informer.events({ signal }));
      informer.start({ signal });
      if (i % 5 === 0) await informer.synced;
      // Stopped before anything, in the list, and in the watch.
      else if (i % 5 < 3) await sleep(i % 7);
      await informer.stop();
      await following;
    }
    heaps.push(await heapInUse());
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await expect.poll(() => engine.stats().workers.map(({ streams }) => streams)).toEqual([0, 0]);
    await expect.poll(async () => (await world.server.counters()).openWatches).toBe(0);
    expect(engine.stats().workers.map(({ restarts }) => restarts)).toEqual([0, 0]);
    expect(engine.metrics.text()).not.toContain('informer!=');
    // The first quarter warms up.
    expect((heaps.at(-1) ?? 0) - (heaps[1] ?? 0)).toBeLessThan(500_000 + INFORMERS * 500);
    await engine.close();
    await expect.poll(resources).toEqual(before.resources);
    expect(processListeners()).toBe(before.listeners);
    expect(world.faults).toEqual([]);
  }, 120_000);

  it(
    'many engines leaves no thread, handle or memory behind',
    async () => {
      const before = { resources: resources(), listeners: processListeners() };
      const heaps: number[] = [];
      for (let i = 0; i < ENGINES; i++) {
        if (i % Math.ceil(ENGINES / 5) === 0) heaps.push(await heapInUse());
        // Not of the world, which holds its engines.
        const engine = new Engine({
          connection: { server: world.server.url, headers: {} },
          workers: i % 3,
          onError: (error) => void world.errors.push(error),
        });
        const informer = engine.informer(CONFIG_MAPS);
        informer.start();
        // Closed before the threads run, in the list, and in the watch.
        if (i % 3 === 0) await sleep(i % 40);
        else if (i % 3 === 1) await informer.synced;
        await engine.close();
      }
      heaps.push(await heapInUse());
      // The first fifth warms up, not always enough; bare threads of Node leave two hundred bytes each.
      expect((heaps.at(-1) ?? 0) - (heaps[1] ?? 0)).toBeLessThan(1_000_000 + ENGINES * 1000);
      await expect.poll(resources).toEqual(before.resources);
      await expect.poll(async () => (await world.server.counters()).openWatches).toBe(0);
      expect(processListeners()).toBe(before.listeners);
      expect(world.faults).toEqual([]);
    },
    isFullLoop ? 900_000 : 60_000,
  );
});
