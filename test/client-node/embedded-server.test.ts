import * as k8s from '@kubernetes/client-node';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(['http', 'https'] as const)('client-node over %s', (scheme) => {
  let server: ApiServerHandle;
  let core: k8s.CoreV1Api;
  let kubeConfig: k8s.KubeConfig;

  beforeAll(async () => {
    server = await startApiServer({ tls: scheme === 'https', token: 'a-token' });
    kubeConfig = new k8s.KubeConfig();
    kubeConfig.loadFromString(server.kubeConfig);
    core = kubeConfig.makeApiClient(k8s.CoreV1Api);
  });
  afterAll(() => server.close());

  const configMap = (name: string, data: Record<string, string>): k8s.V1ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  });

  it('is the newest version that this Node can load', () => {
    // Only 2.x has it.
    const isVersion2 = 'requestTimeoutMs' in new k8s.Watch(kubeConfig);
    expect(isVersion2).toBe(process.env['KUBEFLECT_CLIENT_NODE'] === 'client-node-2');
  });

  it('lists what was populated, typed', async () => {
    await server.populate({ kind: 'Pod', count: 25, namespaces: 1 });
    const list = await core.listPodForAllNamespaces();
    expect(list.items).toHaveLength(25);
    expect(list.items[0]?.metadata?.creationTimestamp).toBeInstanceOf(Date);
    expect(list.items[0]?.spec?.containers.length).toBeGreaterThan(0);
  });

  it('pages a list by its continue tokens', async () => {
    const first = await core.listPodForAllNamespaces({ limit: 10 });
    const second = await core.listPodForAllNamespaces({
      limit: 10,
      _continue: first.metadata?._continue ?? '',
    });
    expect([first.items.length, second.items.length]).toEqual([10, 10]);
    expect(second.metadata?.remainingItemCount).toBe(5);
  });

  it('creates, replaces, patches and deletes', async () => {
    const namespace = 'default';
    const created = await core.createNamespacedConfigMap({ namespace, body: configMap('one', { a: '1' }) });
    expect(created.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'one',
      body: { ...created, data: { a: '2' } },
    });
    expect(replaced.data).toEqual({ a: '2' });
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: 'one', body: { data: { b: '3' } } },
      k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch),
    );
    expect(patched.data).toEqual({ a: '2', b: '3' });
    const status = await core.deleteNamespacedConfigMap({ namespace, name: 'one' });
    expect(status.status).toBe('Success');
    await expect(core.readNamespacedConfigMap({ namespace, name: 'one' })).rejects.toMatchObject({
      code: 404,
    });
  });

  it('gets a 409 for a replace with a stale resourceVersion', async () => {
    const namespace = 'default';
    const stale = await core.createNamespacedConfigMap({ namespace, body: configMap('two', { a: '1' }) });
    await core.replaceNamespacedConfigMap({ namespace, name: 'two', body: { ...stale, data: { a: '2' } } });
    await expect(
      core.replaceNamespacedConfigMap({ namespace, name: 'two', body: { ...stale, data: { a: '3' } } }),
    ).rejects.toMatchObject({ code: 409 });
  });

  it('gets a 401 without its token', async () => {
    const anonymous = new k8s.KubeConfig();
    anonymous.loadFromString(server.kubeConfig.replace('a-token', 'another'));
    await expect(anonymous.makeApiClient(k8s.CoreV1Api).listNamespace()).rejects.toMatchObject({
      code: 401,
    });
  });

  it('receives adds, updates and deletes by makeInformer', async () => {
    const seen: string[] = [];
    const informer = k8s.makeInformer(kubeConfig, '/api/v1/namespaces/kube-public/configmaps', () =>
      core.listNamespacedConfigMap({ namespace: 'kube-public' }),
    );
    const note = (what: string) => (object: k8s.V1ConfigMap) => {
      seen.push(`${what} ${object.metadata?.name}`);
    };
    informer.on('add', note('add'));
    informer.on('update', note('update'));
    informer.on('delete', note('delete'));
    await informer.start();
    const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-public', name: 'watched' };
    const { apiVersion, kind, ...metadata } = target;
    await server.create({ apiVersion, kind, metadata });
    await server.patch(target, { data: { a: '1' } });
    await server.delete(target);
    await expect
      .poll(() => seen, { timeout: 10_000 })
      .toEqual(['add watched', 'update watched', 'delete watched']);
    await informer.stop();
  });
});
