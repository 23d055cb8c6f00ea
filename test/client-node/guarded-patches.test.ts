import * as k8s from '@kubernetes/client-node';
import { Engine } from 'kubeflect';
import {
  addControllerReference,
  addFinalizer,
  controllerOf,
  hasFinalizer,
  isControlledBy,
  removeControllerReference,
  removeFinalizer,
  setControllerReference,
} from 'kubeflect/controller';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const FINALIZER = 'shop.example/cleanup';
const MERGE_PATCH = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch);

let server: ApiServerHandle;
let core: k8s.CoreV1Api;
let objects: k8s.KubernetesObjectApi;
let name: string;
let number = 0;

beforeAll(async () => {
  server = await startApiServer();
  const kubeConfig = new k8s.KubeConfig();
  kubeConfig.loadFromString(server.kubeConfig);
  core = kubeConfig.makeApiClient(k8s.CoreV1Api);
  objects = k8s.KubernetesObjectApi.makeApiClient(kubeConfig);
});
afterAll(() => server.close());
beforeEach(() => {
  name = `object-${++number}`;
});

const namespace = 'default';

function create(metadata: k8s.V1ObjectMeta = {}): Promise<k8s.V1ConfigMap> {
  return core.createNamespacedConfigMap({ namespace, body: { metadata: { name, ...metadata } } });
}

const read = (): Promise<k8s.V1ConfigMap> => core.readNamespacedConfigMap({ name, namespace });

function patch(body: object | undefined): Promise<k8s.V1ConfigMap> {
  expect(body).toBeDefined();
  return core.patchNamespacedConfigMap({ name, namespace, body }, MERGE_PATCH);
}

describe('a patch of addFinalizer', () => {
  it('adds the finalizer to the others, and is undefined when there is nothing to do', async () => {
    const created = await create({ finalizers: ['other.example/first'] });
    const patched = await patch(addFinalizer(created, FINALIZER));
    expect(patched.metadata?.finalizers).toEqual(['other.example/first', FINALIZER]);
    expect(hasFinalizer(patched, FINALIZER)).toBe(true);
    expect(addFinalizer(patched, FINALIZER)).toBeUndefined();
  });

  it('is rejected with 409 if the object has changed since, and changes nothing', async () => {
    const stale = await create();
    await patch({ metadata: { finalizers: ['other.example/first'] } });
    await expect(patch(addFinalizer(stale, FINALIZER))).rejects.toMatchObject({ code: 409 });
    expect((await read()).metadata?.finalizers).toEqual(['other.example/first']);
  });

  it('is rejected with 409 for a new object of the same name', async () => {
    const former = await create();
    await core.deleteNamespacedConfigMap({ name, namespace });
    await create();
    await expect(patch(addFinalizer(former, FINALIZER))).rejects.toMatchObject({ code: 409 });
    expect((await read()).metadata?.finalizers).toBeUndefined();
  });

  it('is undefined for an object that is being deleted, which takes no new finalizers', async () => {
    await create({ finalizers: ['other.example/first'] });
    await core.deleteNamespacedConfigMap({ name, namespace });
    expect(addFinalizer(await read(), FINALIZER)).toBeUndefined();
    await patch({ metadata: { finalizers: [] } });
  });

  it('names its object, so that the client for any kind can send it', async () => {
    const body = addFinalizer(await create(), FINALIZER);
    const patched = await objects.patch(
      body as k8s.KubernetesObject,
      undefined,
      undefined,
      undefined,
      undefined,
      k8s.PatchStrategy.MergePatch,
    );
    expect(patched.metadata?.finalizers).toEqual([FINALIZER]);
  });

  it.each(['', 'shop.example/', '/cleanup', 'a b', 'Shop.example/x'])(
    'rejects the name %j',
    async (invalid) => {
      expect(() => addFinalizer({ metadata: { name } }, invalid)).toThrow(/must be a qualified name/);
    },
  );

  it('rejects an object that was not read from an API server', () => {
    expect(() => addFinalizer({ metadata: { name, namespace } }, FINALIZER)).toThrow(
      `expected default/${name} as it was read from the API server`,
    );
  });
});

it('a patch of removeFinalizer lets a deleted object go, and is undefined without the finalizer', async () => {
  const created = await create({ finalizers: [FINALIZER] });
  expect(removeFinalizer(created, 'other.example/first')).toBeUndefined();
  await core.deleteNamespacedConfigMap({ name, namespace });
  expect(removeFinalizer(created, FINALIZER)).toBeDefined();
  await expect(patch(removeFinalizer(created, FINALIZER))).rejects.toMatchObject({ code: 409 });
  await patch(removeFinalizer(await read(), FINALIZER));
  await expect(read()).rejects.toMatchObject({ code: 404 });
});

describe('owner references', () => {
  const owner = (): Promise<k8s.V1ConfigMap> =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: `${name}-owner` } } });

  it('are set on a child that is created, as controller-runtime sets them', async () => {
    const by = await owner();
    const child: k8s.V1ConfigMap = { metadata: { name, namespace }, data: { a: '1' } };
    const created = await core.createNamespacedConfigMap({
      namespace,
      body: setControllerReference(by, child),
    });
    expect(created.data).toEqual({ a: '1' });
    expect(created.metadata?.ownerReferences).toMatchObject([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: `${name}-owner`,
        uid: by.metadata?.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(child.metadata?.ownerReferences).toBeUndefined();
    expect(controllerOf(created)?.uid).toBe(by.metadata?.uid);
    expect(isControlledBy(created, by)).toBe(true);
  });

  it('are added to an orphan and removed again by patches, next to those of others', async () => {
    const by = await owner();
    const other = { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'a-uid' };
    const orphan = await create({ ownerReferences: [other] });
    const adopted = await patch(addControllerReference(by, orphan, { blockOwnerDeletion: false }));
    expect(adopted.metadata?.ownerReferences).toMatchObject([
      other,
      { uid: by.metadata?.uid, controller: true, blockOwnerDeletion: false },
    ]);
    expect(addControllerReference(by, adopted)).toBeUndefined();
    const released = await patch(removeControllerReference(by, adopted));
    expect(released.metadata?.ownerReferences).toMatchObject([other]);
    expect(removeControllerReference(by, released)).toBeUndefined();
    await expect(patch(addControllerReference(by, orphan))).rejects.toMatchObject({ code: 409 });
  });

  it('make the controller of what was an owner only, without a second reference to it', async () => {
    const by = await owner();
    const { uid = '', name: ownerName = '' } = by.metadata ?? {};
    const child = await create({
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: ownerName, uid }],
    });
    const patched = await patch(addControllerReference(by, child));
    expect(patched.metadata?.ownerReferences).toMatchObject([{ uid, controller: true }]);
  });
});

describe('setControllerReference', () => {
  const by = {
    apiVersion: 'shop.example/v1',
    kind: 'Shop',
    metadata: { name: 'shop', namespace: 'default', uid: 'uid-of-the-shop' },
  };

  const thrown = (action: () => unknown): unknown => {
    try {
      return action();
    } catch (error) {
      return error;
    }
  };

  it('rejects a child that another object controls, also a former one of the same name', () => {
    const controller = { ...by.metadata, apiVersion: 'shop.example/v1', kind: 'Shop', uid: 'another-uid' };
    const child = {
      metadata: { name, namespace, ownerReferences: [{ ...controller, controller: true }] },
    };
    for (const set of [setControllerReference, addControllerReference]) {
      expect(thrown(() => set(by, child))).toMatchObject({
        code: 'KUBEFLECT_ALREADY_OWNED',
        message: `default/${name} already has the controller Shop "shop"`,
      });
    }
  });

  it.each([
    ['another namespace', by, { metadata: { name: 'a', namespace: 'elsewhere' } }, /different namespaces/],
    ['no namespace', by, { metadata: { name: 'a' } }, /a needs metadata\.namespace, too/],
    ['no name and no namespace', by, {}, /the child needs metadata\.namespace, too/],
    ['an owner without a type', { metadata: by.metadata }, {}, /the owner lacks apiVersion, kind/],
    ['an owner without a uid', { ...by, metadata: { name: 'a' } }, {}, /the owner lacks uid/],
  ])('rejects %s', (_, anOwner, child, message) => {
    const error = thrown(() => setControllerReference(anOwner, child));
    expect(error).toMatchObject({ code: 'KUBEFLECT_OWNER_INVALID', message: expect.stringMatching(message) });
  });

  it('accepts a cluster-scoped owner of anything', () => {
    const cluster = { ...by, metadata: { name: 'shop', uid: 'a-uid' } };
    expect(controllerOf(setControllerReference(cluster, { metadata: { name, namespace } }))?.name).toBe(
      'shop',
    );
    expect(controllerOf(setControllerReference(cluster, { metadata: { name } }))?.name).toBe('shop');
  });
});

it('patches are made from the objects of an informer as well', async () => {
  const created = await create({ labels: { patched: 'yes' } });
  await using engine = new Engine({ connection: { server: server.url, headers: {} }, workers: 1 });
  const informer = engine.informer<k8s.V1ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    labelSelector: 'patched=yes',
  });
  informer.start();
  await informer.synced;
  const cached = informer.lister.get(`${namespace}/${name}`) ?? {};
  const patched = await patch(addFinalizer(cached, FINALIZER));
  expect(patched.metadata?.uid).toBe(created.metadata?.uid);
  expect(patched.metadata?.finalizers).toEqual([FINALIZER]);
});
