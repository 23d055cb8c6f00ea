import { type KubernetesObject, type ObjectMeta, runController, type SharedInformer } from 'kubeflect';
import { controllerUid, setControllerReference } from 'kubeflect/controller';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OwnerKeys } from '#dist/src/controller/owner-keys.js';
import type { Entry } from '#dist/src/store/entry.js';
import { CONFIG_MAPS, type Collection, EngineFixture, PODS } from '../support/engine/engine-fixture.js';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

interface Child extends KubernetesObject {
  metadata?: ObjectMeta & { labels?: Record<string, string> };
}

let world: EngineFixture;
let shops: Collection;
let regions: Collection;
let number = 0;
/** Each test has objects of its own. */
let test: string;

beforeAll(async () => {
  world = await EngineFixture.start();
  shops = await world.define('shop.example', 'Shop');
  regions = await world.define('shop.example', 'Region', { scope: 'Cluster' });
});
afterAll(() => world.close());
afterEach(() => world.closeEngines());
beforeEach(() => {
  test = `test-${++number}`;
});

const labels = (): Record<string, string> => ({ test });

/** Creates an owner, or a child of one. */
async function create(
  { apiVersion, kind }: Pick<Collection, 'apiVersion' | 'kind'>,
  name: string,
  { owner, namespace = 'default' }: { owner?: KubernetesObject; namespace?: string } = {},
): Promise<KubernetesObject> {
  const isPod = kind === 'Pod';
  const isCluster = kind === 'Region';
  const metadata = { name: `${test}-${name}`, labels: labels(), ...(!isCluster && { namespace }) };
  const object = {
    apiVersion,
    kind,
    metadata,
    ...(isPod && { spec: { containers: [{ name: 'c', image: 'i' }] } }),
  };
  return world.server.create(owner === undefined ? object : setControllerReference(owner, object));
}

/** A controller of shops or regions, and what it reconciles. */
async function reconciling(
  primary: Collection,
  children: Collection<Child>,
): Promise<{ calls: string[]; children: SharedInformer<Child> }> {
  const engine = world.engine();
  const calls: string[] = [];
  const selected = { labelSelector: `test=${test}` };
  const owned = engine.informer<Child>({
    ...children,
    ...selected,
    indexers: { controller: controllerUid },
  });
  const controller = runController({
    informer: engine.informer({ ...primary, ...selected }),
    owns: [{ informer: owned }],
    reconcile: (key) => void calls.push(key.replace(`${test}-`, '')),
  });
  await controller.synced;
  return { calls, children: owned };
}

const keyOf = (name: string): string => `default/${name}`;

describe.each([
  ['in protobuf', { ...PODS, encoding: 'protobuf' as const }],
  ['in JSON', { ...PODS, encoding: 'json' as const }],
  ['with hooks, so by the reference decoder', { ...CONFIG_MAPS, advanced: { decoder: 'json' as const } }],
  ['changed on the main thread', { ...PODS, transform: (pod: KubernetesObject) => pod }],
])('owns children %s', (_, kind) => {
  it('and reconciles their controller when they are created, changed and deleted', async () => {
    const owner = await create(shops, 'a');
    await create(shops, 'b');
    const { calls } = await reconciling(shops, kind as Collection<Child>);
    await expect.poll(() => [...calls].sort()).toEqual([keyOf('a'), keyOf('b')]);
    calls.length = 0;
    await create(kind, 'orphan');
    await create(kind, 'child', { owner });
    await expect.poll(() => calls).toEqual([keyOf('a')]);
    const child = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      name: `${test}-child`,
      namespace: 'default',
    };
    await world.server.patch(child, { metadata: { labels: { colour: 'blue' } } });
    await expect.poll(() => calls).toEqual([keyOf('a'), keyOf('a')]);
    await world.server.delete(child, { gracePeriodSeconds: 0 });
    // A pod is marked for deletion first.
    await expect.poll(() => calls.length).toBeGreaterThan(2);
    expect(new Set(calls)).toEqual(new Set([keyOf('a')]));
  });
});

it('reconciles the old and the new controller when a child moves', async () => {
  const [from, to] = [await create(shops, 'from'), await create(shops, 'to')];
  const { calls } = await reconciling(shops, CONFIG_MAPS);
  const child = await create(CONFIG_MAPS, 'child', { owner: from });
  await expect.poll(() => calls.filter((key) => key === keyOf('from')).length).toBe(2);
  calls.length = 0;
  const { metadata } = setControllerReference(to, { metadata: { ...child.metadata, ownerReferences: [] } });
  await world.server.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', name: `${test}-child`, namespace: 'default' },
    { metadata: { ownerReferences: metadata.ownerReferences } },
  );
  await expect.poll(() => [...calls].sort()).toEqual([keyOf('from'), keyOf('to')]);
});

it('reconciles a cluster-scoped controller of children in any namespace', async () => {
  const owner = await create(regions, 'north');
  const { calls, children } = await reconciling(regions, CONFIG_MAPS);
  await expect.poll(() => calls).toEqual(['north']);
  await create(CONFIG_MAPS, 'child', { owner });
  await expect.poll(() => calls).toEqual(['north', 'north']);
  await create(CONFIG_MAPS, 'child', { owner, namespace: 'kube-system' });
  await expect.poll(() => calls).toEqual(['north', 'north', 'north']);
  await expect.poll(() => children.lister.controlledBy(owner).length).toBe(2);
});

it('ignores a child that claims a controller of another namespace', async () => {
  const owner = await create(shops, 'a');
  const { calls, children } = await reconciling(shops, CONFIG_MAPS);
  await expect.poll(() => calls).toEqual([keyOf('a')]);
  const { uid = '', name = '' } = owner.metadata ?? {};
  const reference = { apiVersion: 'shop.example/v1', kind: 'Shop', name, uid, controller: true };
  await world.server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${test}-x`, namespace: 'kube-system', labels: labels(), ownerReferences: [reference] },
  });
  await create(CONFIG_MAPS, 'child', { owner });
  await expect.poll(() => calls).toEqual([keyOf('a'), keyOf('a')]);
  expect(children.indexer.byIndex('controller', uid).length).toBe(2);
  expect(children.lister.controlledBy(owner).map(({ metadata }) => metadata?.name)).toEqual([
    `${test}-child`,
  ]);
});

it('controlledBy does not find the children of a former owner of the same name', async () => {
  const h = new InformerHarness({ indexers: { controller: controllerUid } });
  const child = entry('child', 1);
  const owned = { ...child.object, metadata: { ...child.object.metadata, ownerReferences: [] } };
  const former = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'owner', namespace: 'default', uid: 'u-1' },
  };
  Object.assign(child.object.metadata, setControllerReference(former, owned).metadata);
  await h.start([[child], '1']);
  expect(h.informer.lister.controlledBy(former).length).toBe(1);
  const next = { ...former, metadata: { ...former.metadata, uid: 'u-2' } };
  expect(h.informer.lister.controlledBy(next)).toEqual([]);
  expect(h.informer.lister.controlledBy({ metadata: { name: 'owner' } })).toEqual([]);
  await h.stop();
});

it('controlledBy and owns need an index of controllers', async () => {
  const h = new InformerHarness();
  const { informer } = h;
  expect(() => informer.lister.controlledBy({ metadata: { name: 'a', uid: 'u' } })).toThrow(
    /expected an index of controllers; create the informer with indexers: \{ controller: controllerUid \}/,
  );
  expect(() => runController({ informer, owns: [{ informer }], reconcile: () => {} })).toThrow(
    /owns: the informer "pods" has no index of controllers/,
  );
});

it.each([
  [{ owns: [{}] }, /owns: informer must be an informer/],
  [{ owns: [undefined] }, /owns: expected objects with an informer/],
  [{ watches: [{ informer: new InformerHarness().informer }] }, /watches: keys must be a function/],
  [{ owns: [{ informer: new InformerHarness().informer, keys: () => [] }] }, /owns: unknown option keys/],
  [
    { watches: [{ informer: new InformerHarness().informer, keys: () => [], priority: 'urgent' }] },
    /watches: priority must be one of high, normal, low/,
  ],
])('rejects sources that are none: %#', (sources, message) => {
  const { informer } = new InformerHarness();
  const options = { informer, reconcile: () => {}, ...sources };
  expect(() => runController(options as never)).toThrow(message);
});

describe('the keys of owners', () => {
  /** An entry of a worker: a header with the uid of its controller. Its object cannot be read. */
  function header(
    name: string,
    uid: string,
    controllers: readonly string[] = [],
    namespace = 'default',
  ): Entry {
    return {
      key: (namespace === '' ? name : `${namespace}/${name}`) as Entry['key'],
      namespace,
      name,
      uid,
      resourceVersion: '1',
      indexValues: () => controllers,
      get object(): KubernetesObject {
        throw new Error('the object was decoded');
      },
    };
  }

  it('are found without decoding an object', () => {
    const owners = new OwnerKeys();
    owners.set(header('a', 'u-a'));
    owners.set(header('node', 'u-node', [], ''));
    expect(owners.of(header('child', 'u-1', ['u-a']), 'controller')).toEqual(['default/a']);
    expect(owners.of(header('child', 'u-1', ['u-node']), 'controller')).toEqual(['node']);
    expect(owners.of(header('child', 'u-1', ['unknown']), 'controller')).toEqual([]);
    expect(owners.of(header('child', 'u-1'), 'controller')).toEqual([]);
  });

  it('follow an owner that is replaced by another one of the same name, or deleted', () => {
    const owners = new OwnerKeys();
    const [former, next] = [header('a', 'u-1'), header('a', 'u-2')];
    owners.set(former);
    owners.set(next, former);
    expect(owners.of(header('child', 'c', ['u-1']), 'controller')).toEqual([]);
    expect(owners.of(header('child', 'c', ['u-2']), 'controller')).toEqual(['default/a']);
    owners.delete(next);
    expect(owners.of(header('child', 'c', ['u-2']), 'controller')).toEqual([]);
  });
});

it('a reconcile has the object of its key, as it is in the cache', async () => {
  const h = new InformerHarness();
  const seen: (string | undefined)[] = [];
  await using _ = runController({
    informer: h.informer,
    clock: h.clock,
    reconcile: (_key, { object }) => void seen.push(object?.metadata.resourceVersion),
  });
  await h.start([[entry('a', 1)], '1']);
  h.store.update(entry('a', 2));
  await h.clock.flush();
  h.store.delete(entry('a', 3));
  await h.clock.flush();
  expect(seen).toEqual(['1', '2', undefined]);
});
