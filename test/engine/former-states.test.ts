import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { heapInUse } from '../support/engine/garbage.js';

const NAMES = Array.from({ length: 20 }, (_, i) => `c${i}`);
const ROUNDS = 200;

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  for (const name of NAMES) await world.configMap(name);
});

afterAll(() => world.close());

it('former states are released once handlers have been notified, or each would keep a slab alive', async () => {
  const informer = world.engine().informer(CONFIG_MAPS);
  const former: WeakRef<object>[] = [];
  informer.addEventHandler({ onUpdate: (before) => void former.push(new WeakRef(before)) });
  informer.start();
  await informer.synced;
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(NAMES.map((name) => world.patchConfigMap(name, { round: String(round) })));
  }
  await world.converged(informer, CONFIG_MAPS);
  await expect.poll(() => former.length).toBeGreaterThan(ROUNDS);
  await heapInUse();
  const kept = former.filter((ref) => ref.deref() !== undefined);
  // What the functions that wait for the next event had last.
  expect(kept.length).toBeLessThanOrEqual(3);
});
