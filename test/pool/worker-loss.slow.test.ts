import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture, Fold, PODS } from '../support/engine/engine-fixture.js';
import { SeededRandom } from '../support/time/seeded-random.js';

const NO_WAIT = { reflector: { minReconnectIntervalMs: 10 } };

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  await world.server.populate({ kind: 'Pod', count: 3000, sizeBytes: 4000 });
  for (let i = 0; i < 20; i++) await world.configMap(`c${i}`);
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

describe('an engine that loses a worker', () => {
  it.each([1, 2])(
    'with %i workers, reopens watches without a relist and without a missed event',
    async (workers) => {
      const random = new SeededRandom(workers).next;
      const engine = world.engine({ workers });
      const informer = engine.informer({ ...CONFIG_MAPS, advanced: NO_WAIT });
      const fold = new Fold();
      informer.addEventHandler(fold);
      informer.start();
      await informer.synced;
      const lists = (await world.lists()).length;
      for (let round = 0; round < 10; round++) {
        const killed = engine.threads[engine.stats().workers.findIndex(({ streams }) => streams > 0)];
        for (let i = 0; i < 8; i++) {
          await world.patchConfigMap(`c${Math.floor(random() * 20)}`, { round: `${round}.${i}` });
          if (i === round % 8) void killed?.terminate();
        }
        await world.configMap(`r${workers}.${round}`);
        await world.deleteConfigMap(`r${workers}.${round}`);
        // Workers are killed in every phase of their restart.
        await sleep(random() * 150);
      }
      await world.converged(informer, CONFIG_MAPS);
      await expect.poll(() => fold.equals(informer)).toBe(true);
      expect(await world.lists()).toHaveLength(lists);
      expect(engine.stats().workers.reduce((sum, { restarts }) => sum + restarts, 0)).toBeGreaterThan(3);
      expect(new Set(world.errors.map(({ code }) => code))).toEqual(new Set(['KUBEFLECT_WORKER_LOST']));
    },
  );

  it('requests only the lost pages of a list again', async () => {
    await world.server.faults.add({ match: { verb: 'list' }, fault: { type: 'delay', ms: 30 } });
    for (const killAfterMs of [20, 60, 100, 150]) {
      const engine = world.engine({ workers: 1 });
      const before = (await world.server.requests()).length;
      const pods = engine.informer({ ...PODS, pageSize: 300 });
      pods.start();
      // In several phases of the list.
      await sleep(killAfterMs);
      void engine.threads[0]?.terminate();
      await pods.synced;
      await world.converged(pods, PODS);
      const lists = (await world.server.requests()).slice(before).filter(({ verb }) => verb === 'list');
      // Ten pages, and at most those again that were on their way.
      expect(lists.length).toBeLessThanOrEqual(12);
      await engine.close();
    }
  });

  it('replaces a worker whose hook never returns, while other informers continue', async () => {
    const hooks = new URL('../support/workers/hooks/infinite-loop.mjs', import.meta.url);
    const engine = world.engine({ workers: 2, advanced: { heartbeatTimeoutMs: 400 } });
    const fine = engine.informer({ ...PODS, advanced: NO_WAIT });
    const spinning = engine.informer({ ...CONFIG_MAPS, hooks, advanced: NO_WAIT });
    fine.start();
    spinning.start();
    await fine.synced;
    await expect
      .poll(() => world.errors.map(({ code }) => code), { timeout: 25_000 })
      .toContain('KUBEFLECT_WORKER_LOST');
    expect(spinning.hasSynced).toBe(false);
    await world.converged(fine, PODS);
  });
});

describe('an object on which workers die', () => {
  const hooks = new URL('../support/workers/hooks/exit-on-one.mjs', import.meta.url);
  const label = (exits: string) => ({ metadata: { labels: { exits } } });
  const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'c7' };

  it.each(['in a list', 'in a watch'])(
    '%s is quarantined and reported by key, and everything else continues',
    async (where) => {
      await world.server.patch(target, label('no'));
      if (where === 'in a list') await world.server.patch(target, label('yes'));
      const engine = world.engine({ workers: 2 });
      const informer = engine.informer({ ...CONFIG_MAPS, hooks, advanced: NO_WAIT });
      informer.start();
      if (where === 'in a watch') {
        await informer.synced;
        await world.server.patch(target, label('yes'));
      }
      await expect
        .poll(() => world.errors.find(({ code }) => code === 'KUBEFLECT_QUARANTINED'), { timeout: 10_000 })
        .toMatchObject({ key: 'default/c7' });
      await world.patchConfigMap('c8', { where });
      await expect
        .poll(() => informer.lister.get('default/c8'), { timeout: 10_000 })
        .toMatchObject({ data: { where } });
      expect(informer.indexer.has('default/c7')).toBe(where === 'in a watch');
      // As an event and as an item of a list it is two documents.
      const deaths = engine.stats().workers.reduce((sum, { restarts }) => sum + restarts, 0);
      expect(deaths, world.errors.map(({ message, cause }) => `${message} ${String(cause)}`).join('\n')).toBe(
        where === 'in a list' ? 3 : 6,
      );
      // A version that is fine is taken again.
      await world.server.patch(target, label('no'));
      await world.converged(informer, CONFIG_MAPS);
    },
  );
});

describe('an engine whose workers cannot be started', () => {
  const workerFile = new URL('../support/no-such-worker.mjs', import.meta.url);

  it('rejects start with KUBEFLECT_WORKER_START_FAILED', async () => {
    const engine = world.engine({ advanced: { workerFile } });
    await expect(engine.start()).rejects.toMatchObject({
      code: 'KUBEFLECT_WORKER_START_FAILED',
      message: expect.stringMatching(/no-such-worker\.mjs.*workers: 0/s),
    });
  });

  it('reports it once for each informer, and retries', async () => {
    const engine = world.engine({ workers: 2, advanced: { workerFile } });
    const informer = engine.informer(CONFIG_MAPS);
    informer.start();
    await expect
      .poll(() => world.errors.map(({ code }) => code), { timeout: 5000 })
      .toContain('KUBEFLECT_LIST_FAILED');
    // Long enough for many attempts without backoff: that there are few cannot be polled for.
    await sleep(500);
    expect(informer.hasSynced).toBe(false);
    const codes = world.errors.map(({ code }) => code);
    expect(codes.filter((code) => code === 'KUBEFLECT_LIST_FAILED').length).toBeLessThanOrEqual(2);
    expect(codes.length).toBeLessThan(10);
    expect(world.errors.find(({ code }) => code === 'KUBEFLECT_LIST_FAILED')?.cause).toMatchObject({
      code: 'KUBEFLECT_WORKER_START_FAILED',
    });
  });
});
