import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  type Collection,
  digestOf,
  EngineFixture,
  Fold,
  PODS,
} from '../support/engine/engine-fixture.js';

const KINDS = 200;
const OBJECTS = 100;
/** Of each kind: four hundred in all. */
const EVENTS_PER_SECOND = 2;

let world: EngineFixture;
const kinds: Collection[] = [];

beforeAll(async () => {
  world = await EngineFixture.start();
  for (let i = 0; i < KINDS; i++) kinds.push(await world.define('many.example.com', `Kind${i}`));
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

describe('two hundred informers on two workers', () => {
  it('all sync, share the workers evenly, and receive their events while all collections change', async () => {
    // Small and plain ones, which the server makes soon.
    const shape = { count: OBJECTS, sizeBytes: 300, managedFieldsShare: 0, labels: 1, annotations: 0 };
    for (const { apiVersion, kind } of kinds) {
      await world.server.populate({ kind, apiVersion, ...shape, churnPerSecond: EVENTS_PER_SECOND });
    }
    const engine = world.engine({ workers: 2 });
    const mirrors = kinds.map((kind) => {
      const informer = engine.informer(kind);
      const fold = new Fold();
      informer.addEventHandler(fold);
      informer.start();
      return { informer, fold, kind };
    });
    await Promise.all(mirrors.map(({ informer }) => informer.synced));
    const streams = (): number[] => engine.stats().workers.map((worker) => worker.streams);
    await expect.poll(() => streams().reduce((sum, count) => sum + count, 0)).toBe(KINDS);
    const [first = 0, second = 0] = streams();
    expect(Math.abs(first - second)).toBeLessThan(KINDS / 4);

    const events = (): number[] => engine.stats().informers.map((informer) => informer.events);
    const before = events();
    const news = (): number[] => events().map((count, i) => count - (before[i] ?? 0));
    await expect.poll(() => Math.min(...news()), { timeout: 20_000 }).toBeGreaterThan(3);
    // Each changes every half a second.
    const ages = engine.stats().informers.map(({ lastAppliedAgeMs = 0 }) => lastAppliedAgeMs);
    expect(Math.max(...ages)).toBeLessThan(5000);

    await world.server.stopChurn();
    for (const { informer, fold, kind } of mirrors) {
      const { digest, count } = await world.server.digest(kind);
      expect(count).toBeGreaterThanOrEqual(OBJECTS);
      await expect.poll(() => digestOf(informer).digest, { timeout: 10_000 }).toBe(digest);
      await expect.poll(() => fold.equals(informer)).toBe(true);
    }
    expect(engine.stats().informers.reduce((sum, { relists }) => sum + relists, 0)).toBe(0);
    expect(world.faults).toEqual([]);
  }, 60_000);
});

describe('a watch beside a list on the same worker', () => {
  it('receives its events while the list is read', async () => {
    // Each takes 20 ms.
    const hooks = new URL('../support/workers/hooks/slow.mjs', import.meta.url);
    await world.server.populate({ kind: 'Pod', count: 100, sizeBytes: 3000 });
    await world.configMap('small');
    const engine = world.engine({ workers: 1 });
    const small = engine.informer(CONFIG_MAPS);
    small.start();
    await small.synced;
    let updates = 0;
    let updatesInList = 0;
    const pods = engine.informer({ ...PODS, hooks });
    small.addEventHandler({
      onUpdate() {
        updates++;
        if (!pods.hasSynced) updatesInList++;
      },
    });
    pods.start();
    for (let i = 0; !pods.hasSynced; i++) {
      await world.patchConfigMap('small', { i: `${i}` });
      // Until it is told of, so that all are told one by one.
      await expect.poll(() => updates, { interval: 1, timeout: 10_000 }).toBeGreaterThan(i);
    }
    await pods.synced;
    expect(updatesInList).toBeGreaterThan(5);
    await world.converged(pods, PODS);
  });
});
