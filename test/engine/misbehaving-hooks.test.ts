import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';

const hooksOf = (name: string): URL => new URL(`../support/workers/hooks/${name}.mjs`, import.meta.url);
const NO_WAIT = { reflector: { minReconnectIntervalMs: 10 } };
const FAILING = ['is-cyclic', 'throws-by-proxy', 'throws-in-getter', 'throws-null'];

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  for (const name of ['a', 'm', 'z', ...FAILING]) await world.configMap(name, { name });
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

async function label(name: string, labels: Record<string, string | null>): Promise<void> {
  await world.server.patch({ ...CONFIG_MAPS, name, namespace: 'default' }, { metadata: { labels } });
}

describe.each([1, 0])('with %i workers, a hook', (workers) => {
  it('that throws any value rejects only the objects on which it throws, by key', async () => {
    const engine = world.engine({ workers });
    const informer = engine.informer({ ...CONFIG_MAPS, hooks: hooksOf('throwing'), advanced: NO_WAIT });
    informer.start();
    await informer.synced;
    expect(informer.indexer.listKeys().sort()).toEqual(['default/a', 'default/m', 'default/z']);
    for (const name of ['a', 'm', 'z']) {
      expect(informer.lister.get(`default/${name}`)).toEqual(
        withoutManagedFields(await world.server.get({ ...CONFIG_MAPS, name, namespace: 'default' })),
      );
    }
    const rejected = world.errors.filter(({ code }) => code === 'KUBEFLECT_REJECTED');
    expect(rejected.map((error) => 'key' in error && error.key).sort()).toEqual(
      FAILING.map((name) => `default/${name}`),
    );
    // The watch goes on.
    await world.patchConfigMap('m', { workers: `${workers}` });
    await world.patchConfigMap('throws-null', { workers: `${workers}` });
    await world.patchConfigMap('z', { workers: `${workers}` });
    const data = { workers: `${workers}` };
    await expect.poll(() => informer.lister.get('default/z')).toMatchObject({ data });
    expect(informer.lister.get('default/m')).toMatchObject({ data });
  });
});

describe('a hook', () => {
  it.each([
    ['exhausts the memory', 'out-of-memory', { allocates: 'yes' }, { workerHeapMb: 16 }],
    ['never returns', 'infinite-loop-on-one', { endless: 'yes' }, { advanced: { heartbeatTimeoutMs: 1000 } }],
  ] as const)(
    'that %s on one object causes its quarantine by key, and the rest arrives',
    async (_, hooks, labels, options) => {
      await label('m', labels);
      const informer = world
        .engine(options)
        .informer({ ...CONFIG_MAPS, hooks: hooksOf(hooks), advanced: NO_WAIT });
      informer.start();
      await informer.synced;
      expect(informer.indexer.has('default/m')).toBe(false);
      expect(informer.indexer.has('default/a')).toBe(true);
      expect(informer.indexer.has('default/z')).toBe(true);
      const codes = world.errors.map(({ code }) => code);
      expect(codes.filter((code) => code === 'KUBEFLECT_WORKER_LOST')).toHaveLength(3);
      expect(world.errors.at(-1)).toMatchObject({ code: 'KUBEFLECT_QUARANTINED', key: 'default/m' });
      await label('m', Object.fromEntries(Object.keys(labels).map((name) => [name, null])));
      await world.converged(informer, CONFIG_MAPS);
    },
  );

  it('with an unhandled rejection ends its worker, which is reported, and no event is lost', async () => {
    const informer = world
      .engine()
      .informer({ ...CONFIG_MAPS, hooks: hooksOf('unhandled-rejection'), advanced: NO_WAIT });
    informer.start();
    await informer.synced;
    await label('m', { rejects: 'yes' });
    await world.patchConfigMap('z', { after: 'the worker' });
    await world.converged(informer, CONFIG_MAPS);
    await expect
      .poll(() => world.faults)
      .toMatchObject([{ code: 'KUBEFLECT_WORKER_LOST', message: expect.stringContaining('not handled') }]);
    await label('m', { rejects: null });
  });

  it('whose module ends the thread is retried with exponential backoff, and reported each time', async () => {
    const engine = world.engine({ advanced: { restartBackoff: { initialMs: 50, maxMs: 10_000 } } });
    const informer = engine.informer({ ...CONFIG_MAPS, hooks: hooksOf('exiting') });
    informer.start();
    await expect
      .poll(() => world.errors.map(({ code }) => code), { timeout: 10_000 })
      .toContain('KUBEFLECT_LIST_FAILED');
    expect(informer.hasSynced).toBe(false);
    // At once, then after 50, 100, 200 ms: the list gives up before it becomes a storm.
    expect(engine.stats().workers[0]?.restarts).toBe(5);
    expect(world.errors.filter(({ code }) => code === 'KUBEFLECT_WORKER_LOST')).toHaveLength(5);
  });
});

function withoutManagedFields(object: unknown): unknown {
  const { metadata, ...rest } = object as { metadata: { managedFields?: unknown } };
  const { managedFields: _, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
