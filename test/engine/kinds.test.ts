import type { KubernetesObject } from 'kubeflect';
import type { PlainList } from 'kubeflect/cache';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG_MAPS, EngineFixture, PODS, type Pod } from '../support/engine/engine-fixture.js';

const HOOKS = new URL('../support/workers/hooks/labels.mjs', import.meta.url);

let world: EngineFixture;

beforeAll(async () => {
  world = await EngineFixture.start();
  await world.server.populate({ kind: 'Pod', count: 30 });
  await world.define('shop.example.com', 'Gadget');
  await world.server.populate({ kind: 'Gadget', apiVersion: 'shop.example.com/v1', count: 700 });
});
afterEach(() => world.closeEngines());
afterAll(() => world.close());

describe('an informer of custom resources', () => {
  it('lists them in pages, although the continue token follows the items', async () => {
    const gadget = { apiVersion: 'shop.example.com/v1', kind: 'Gadget', plural: 'gadgets' };
    const informer = world.engine({ workers: 2 }).informer({ ...gadget, pageSize: 100 });
    informer.start();
    await informer.synced;
    await world.converged(informer, gadget);
    expect(informer.indexer.size).toBe(700);
    expect(informer.lister.list()[0]).toMatchObject({ apiVersion: gadget.apiVersion, kind: 'Gadget' });
    expect(informer.name).toBe('gadgets.shop.example.com');
  });
});

describe('an informer without a kind', () => {
  it.each([
    ['typed lists', { apiVersion: 'v1', plural: 'pods' }, 'Pod', 30],
    ['lists of custom resources', { apiVersion: 'shop.example.com/v1', plural: 'gadgets' }, 'Gadget', 700],
  ])(
    'caches objects of whatever kind the collection has, from %s and watches',
    async (_, options, kind, count) => {
      const informer = world.engine().informer(options);
      informer.start();
      await informer.synced;
      const { apiVersion } = options;
      await world.converged(informer, { apiVersion, kind });
      expect(informer.indexer.size).toBe(count);
      const [first] = informer.lister.list();
      expect(first).toMatchObject({ apiVersion, kind });
      const { namespace = '', name = '' } = first?.metadata ?? {};
      await world.server.patch(
        { apiVersion, kind, namespace, name },
        { metadata: { annotations: { changed: kind } } },
      );
      await expect
        .poll(() => informer.lister.get(`${namespace}/${name}`))
        .toMatchObject({ kind, metadata: { annotations: { changed: kind } } });
      expect(world.errors).toEqual([]);
    },
  );

  it('rejects an object that has no kind either', async () => {
    const wrong = { verb: 'list', path: '/api/v1/configmaps' };
    await world.server.faults.add({ match: wrong, count: 1, fault: { type: 'wrongKind', kind: '' } });
    await world.configMap('without-kind');
    const informer = world.engine().informer({ apiVersion: 'v1', plural: 'configmaps', encoding: 'json' });
    informer.start();
    await informer.synced;
    // A list of which nothing could be taken is asked for once more.
    expect(world.errors.map(({ code }) => code)).toEqual(['KUBEFLECT_REJECTED', 'KUBEFLECT_LIST_FAILED']);
  });
});

describe('an informer with a list function', () => {
  it('lists by the function and continues to watch from its version', async () => {
    await world.configMap('by-function', { n: '1' });
    const list = vi.fn(async () => {
      const answer = await fetch(`${world.server.url}/api/v1/namespaces/default/configmaps`);
      return (await answer.json()) as PlainList<KubernetesObject>;
    });
    const connections = vi.fn();
    const engine = world.engine();
    const informer = engine.informer({ ...CONFIG_MAPS, namespace: 'default', list, onConnect: connections });
    informer.start();
    await informer.synced;
    await world.patchConfigMap('by-function', { n: '2' });
    await expect.poll(() => informer.lister.get('default/by-function')).toMatchObject({ data: { n: '2' } });
    await world.server.faults.add({ match: { verb: 'watch' }, count: 1, fault: { type: 'expireHistory' } });
    await world.server.closeWatches();
    await expect.poll(() => list.mock.calls.length, { timeout: 10_000 }).toBe(2);
    await expect.poll(() => connections.mock.calls.length, { timeout: 10_000 }).toBe(3);
    expect(engine.stats().informers).toMatchObject([{ relists: 1 }]);
    expect(world.errors).toEqual([]);
  });

  it('reports a function that fails and calls it again, and reports an onConnect that throws', async () => {
    const list = vi
      .fn(async () => ({ metadata: { resourceVersion: '1' }, items: [] }))
      .mockRejectedValueOnce(new Error('not now'));
    const onConnect = (): void => {
      throw new Error('no thanks');
    };
    const informer = world.engine().informer({ ...CONFIG_MAPS, list, onConnect });
    informer.start();
    await informer.synced;
    await expect
      .poll(() => world.errors.map(({ code }) => code))
      .toEqual(['KUBEFLECT_LIST_FAILED', 'KUBEFLECT_HANDLER_FAILED']);
  });
});

describe('an informer with metadataOnly', () => {
  it('requests and stores only metadata', async () => {
    const informer = world.engine().informer<Pod>({ ...PODS, metadataOnly: true });
    informer.start();
    await informer.synced;
    await world.converged(informer, PODS);
    const [pod] = informer.lister.list();
    expect(pod).toHaveProperty('metadata.name');
    expect(pod).not.toHaveProperty('spec');
    const askedFor = async (): Promise<string[]> => {
      const requests = await world.server.requests();
      return requests
        .filter(({ accept }) => accept.includes('PartialObjectMetadata'))
        .map(({ verb }) => verb);
    };
    // One that begins with everything.
    await expect.poll(askedFor).toEqual(['watch']);
  });
});

describe('an informer with a hooks module', () => {
  it('transforms, checks and indexes in the worker', async () => {
    await world.configMap('alpha', { a: '1', b: '2' });
    await world.configMap('beta', { c: '3' });
    await world.server.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'broken', namespace: 'default', labels: { bad: 'yes' } },
    });
    const informer = world.engine().informer({
      ...CONFIG_MAPS,
      namespace: 'default',
      hooks: HOOKS,
      indexers: { letter: { hook: 'firstLetter' } },
    });
    informer.start();
    await informer.synced;
    expect(informer.lister.get('default/alpha')).toMatchObject({ kind: 'ConfigMap', keys: ['a', 'b'] });
    expect(informer.lister.get('default/alpha')).not.toHaveProperty('data');
    expect(informer.indexer.indexKeys('letter', 'a')).toEqual(['default/alpha']);
    expect(informer.lister.get('default/broken')).toBeUndefined();
    expect(world.errors).toMatchObject([{ code: 'KUBEFLECT_REJECTED', key: 'default/broken' }]);
    expect(informer.health().rejected).toBe(1);
  });

  it('reports a module that cannot be loaded, and retries', async () => {
    const informer = world.engine().informer({ ...CONFIG_MAPS, hooks: new URL('file:///no/such/hooks.mjs') });
    informer.start();
    await expect.poll(() => world.errors.length).toBeGreaterThan(0);
    const [error] = world.errors;
    expect(error?.cause ?? error).toMatchObject({ code: 'KUBEFLECT_HOOKS_FAILED' });
    expect(informer.hasSynced).toBe(false);
  });
});
