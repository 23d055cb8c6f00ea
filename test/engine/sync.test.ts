import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, EngineFixture, Fold, PODS, type Pod } from '../support/engine/engine-fixture.js';

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  await world.server.populate({ kind: 'Pod', count: 1200, nodes: 10, namespaces: 4 });
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

describe('Engine', () => {
  it.each([
    ['one worker', { workers: 1 }],
    ['two workers', { workers: 2 }],
    ['no workers', { workers: 0 }],
  ])('with %s caches a collection in pages, and then its changes', async (_, options) => {
    const pods = world.engine(options).informer(PODS);
    const fold = new Fold();
    const registration = pods.addEventHandler(fold);
    pods.start();
    await pods.synced;
    await registration.synced;
    await world.converged(pods, PODS);
    expect(fold.notifications).toBe(pods.indexer.size);
    const [first, second] = pods.lister.list();
    const reference = (pod: Pod | undefined) => ({
      ...PODS,
      name: pod?.metadata?.name ?? '',
      namespace: pod?.metadata?.namespace ?? '',
    });
    await world.server.patch(reference(first), { metadata: { labels: { changed: 'yes' } } });
    await world.server.delete(reference(second), { gracePeriodSeconds: 0 });
    await world.converged(pods, PODS);
    await expect.poll(() => fold.equals(pods)).toBe(true);
    expect(pods.lister.list({ matchLabels: { changed: 'yes' } }).length).toBeGreaterThan(0);
  });

  it.each(['paged', 'full', 'stream'] as const)('lists a collection in the mode %s', async (list) => {
    const before = (await world.server.requests()).length;
    const engine = world.engine({ workers: 2 });
    const pods = engine.informer({ ...PODS, list, pageSize: 250 });
    pods.start();
    await pods.synced;
    expect(engine.stats().informers).toMatchObject([{ listed: pods.indexer.size, relists: 0 }]);
    await world.converged(pods, PODS);
    const requests = (await world.server.requests()).slice(before);
    const lists = requests.filter(({ verb }) => verb === 'list');
    const count = { paged: Math.ceil(pods.indexer.size / 250), full: 1, stream: 0 }[list];
    expect(lists).toHaveLength(count);
    expect(requests.some(({ query }) => query['sendInitialEvents'] === 'true')).toBe(list === 'stream');
  });

  it('prefetches pages, and requests none twice', async () => {
    const before = (await world.server.requests()).length;
    await world.server.faults.add({ match: { verb: 'list' }, fault: { type: 'delay', ms: 100 } });
    const pods = world.engine({ workers: 2 }).informer({ ...PODS, list: 'paged', pageSize: 200 });
    pods.start();
    await pods.synced;
    const lists = (await world.server.requests()).slice(before).filter(({ verb }) => verb === 'list');
    const tokens = lists.map(({ query }) => query['continue']);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(lists.length).toBe(Math.ceil(pods.indexer.size / 200));
  });

  it('returns plain objects with their type and without dropped paths, and finds them by index', async () => {
    const pods = world.engine().informer<Pod>({ ...PODS, indexers: { byNode: 'spec.nodeName' } });
    pods.start();
    await pods.synced;
    const [entry] = pods.lister.entries();
    const pod = pods.lister.get(entry?.key ?? '');
    expect(pod).toMatchObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: entry?.name } });
    expect(pod?.metadata).not.toHaveProperty('managedFields');
    const node = pod?.spec?.nodeName ?? '';
    expect(entry?.indexValues('byNode')).toEqual([node]);
    const onNode = pods.lister.byIndex('byNode', node);
    expect(onNode.length).toBeGreaterThan(10);
    expect(onNode.every(({ spec }) => spec?.nodeName === node)).toBe(true);
  });

  it('returns the same informer for equal options only', () => {
    const engine = world.engine();
    const transform = (pod: Pod): Pod => pod;
    expect(engine.informer(PODS)).toBe(engine.informer({ ...PODS, pageSize: 2000 }));
    expect(engine.informer(PODS)).not.toBe(engine.informer({ ...PODS, labelSelector: 'a=b' }));
    expect(engine.informer({ ...PODS, transform })).toBe(engine.informer({ transform, ...PODS }));
    expect(engine.informer({ ...PODS, transform })).not.toBe(
      engine.informer({ ...PODS, transform: (pod) => pod }),
    );
    expect(engine.informer({ ...PODS, namespace: ['b', 'a'] })).toBe(
      engine.informer({ ...PODS, namespace: ['a', 'b', 'a'] }),
    );
  });

  it('makes a new informer after a stop, and none when it is closed', async () => {
    const engine = world.engine();
    const pods = engine.informer(PODS);
    await pods.stop();
    expect(engine.informer(PODS)).not.toBe(pods);
    await engine.close();
    expect(() => engine.informer(PODS)).toThrow(expect.objectContaining({ code: 'KUBEFLECT_ENGINE_CLOSED' }));
    await engine.close();
  });

  it('selects by label, by field and by namespace', async () => {
    await world.configMap('chosen');
    await world.server.patch(
      { ...CONFIG_MAPS, namespace: 'default', name: 'chosen' },
      { metadata: { labels: { tier: 'backend' } } },
    );
    const engine = world.engine();
    const informers = [
      engine.informer({ ...CONFIG_MAPS, labelSelector: 'tier=backend' }),
      engine.informer({ ...CONFIG_MAPS, fieldSelector: 'metadata.name=chosen' }),
      engine.informer({ ...CONFIG_MAPS, namespace: 'default', labelSelector: 'tier in (backend)' }),
    ];
    for (const informer of informers) informer.start();
    await Promise.all(informers.map(({ synced }) => synced));
    for (const informer of informers) expect(informer.indexer.listKeys()).toEqual(['default/chosen']);
  });

  it('reports stats of its workers and informers', async () => {
    const engine = world.engine({ workers: 2 });
    const pods = engine.informer(PODS);
    pods.start();
    await pods.synced;
    const stats = engine.stats();
    expect(stats.workers).toHaveLength(2);
    expect(stats.workers.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0)).toBeGreaterThan(100_000);
    expect(stats.informers).toMatchObject([
      { name: 'pods', state: 'synced', objects: pods.indexer.size, relists: 0, rejected: 0 },
    ]);
    expect(stats.informers[0]?.bytes).toBeGreaterThan(100_000);
    expect(engine.metrics.text()).toContain('kubeflect_informer_objects{name="pods"');
  });
});

describe('an informer of several namespaces', () => {
  it('syncs when all namespaces have synced, and caches only their objects', async () => {
    const namespaces = ['one', 'two', 'three'];
    for (const name of namespaces) {
      await world.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await world.configMap('a', {}, name);
    }
    const informer = world.engine().informer({ ...CONFIG_MAPS, namespace: ['one', 'two'] });
    const fold = new Fold();
    informer.addEventHandler(fold);
    informer.start();
    await informer.synced;
    const ours = (): string[] =>
      informer.indexer.listKeys().filter((key) => key.endsWith('/a') || key.endsWith('/b'));
    expect(ours().sort()).toEqual(['one/a', 'two/a']);
    await world.configMap('b', {}, 'one');
    await world.deleteConfigMap('a', 'two');
    await expect.poll(() => ours().sort()).toEqual(['one/a', 'one/b']);
    expect(fold.equals(informer)).toBe(true);
    const watched = (await world.server.requests())
      .filter(({ verb }) => verb === 'watch')
      .map(({ path }) => path);
    expect(watched).toContain('/api/v1/namespaces/one/configmaps');
    expect(watched).toContain('/api/v1/namespaces/two/configmaps');
  });

  it('does not sync while one namespace is forbidden, and reports it', async () => {
    await world.server.faults.add({
      match: { path: '/api/v1/namespaces/three/configmaps' },
      fault: { type: 'status', code: 403 },
    });
    const informer = world.engine().informer({ ...CONFIG_MAPS, namespace: ['one', 'three'] });
    informer.start();
    await expect.poll(() => world.errors.length).toBeGreaterThan(0);
    expect(informer.hasSynced).toBe(false);
    expect(informer.indexer.size).toBe(0);
    await world.server.faults.clear();
    await informer.synced;
    expect(informer.indexer.listKeys()).toContain('three/a');
  });
});
