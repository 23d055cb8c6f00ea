import type * as ClientNode from '@kubernetes/client-node';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** client-node 2.x needs a newer Node than we do: its undici does not load below this. */
const NODE_OF_2 = [22, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canLoad2 = major > NODE_OF_2[0] || (major === NODE_OF_2[0] && minor >= NODE_OF_2[1]);

clientSuite('client-node 1.4', () => import('@kubernetes/client-node'));

if (canLoad2) {
  // The names used here are the same in both; the suite is written against the types of 1.4.
  clientSuite('client-node 2', async () => (await import('client-node-2')) as unknown as typeof ClientNode);
} else {
  it(`client-node 2 is left to Node ${NODE_OF_2.join('.')}: npm run test:node -- 22`, () => {
    expect(canLoad2).toBe(false);
  });
}

function clientSuite(name: string, load: () => Promise<typeof ClientNode>): void {
  describe.each(['http', 'https'] as const)(`${name} over %s`, (scheme) => {
    let k8s: typeof ClientNode;
    let server: ApiServerHandle;
    let core: ClientNode.CoreV1Api;
    let kubeConfig: ClientNode.KubeConfig;

    beforeAll(async () => {
      k8s = await load();
      server = await startApiServer({ tls: scheme === 'https', token: 'a-token' });
      kubeConfig = new k8s.KubeConfig();
      kubeConfig.loadFromString(server.kubeConfig);
      core = kubeConfig.makeApiClient(k8s.CoreV1Api);
    });
    afterAll(() => server.close());

    const configMap = (name: string, data: Record<string, string>): ClientNode.V1ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data,
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

    it('a replace with a stale resourceVersion is a 409', async () => {
      const namespace = 'default';
      const stale = await core.createNamespacedConfigMap({ namespace, body: configMap('two', { a: '1' }) });
      await core.replaceNamespacedConfigMap({ namespace, name: 'two', body: { ...stale, data: { a: '2' } } });
      await expect(
        core.replaceNamespacedConfigMap({ namespace, name: 'two', body: { ...stale, data: { a: '3' } } }),
      ).rejects.toMatchObject({ code: 409 });
    });

    it('without its token it is turned away', async () => {
      const anonymous = new k8s.KubeConfig();
      anonymous.loadFromString(server.kubeConfig.replace('a-token', 'another'));
      await expect(anonymous.makeApiClient(k8s.CoreV1Api).listNamespace()).rejects.toMatchObject({
        code: 401,
      });
    });

    it('makeInformer sees adds, updates and deletes', async () => {
      const seen: string[] = [];
      const informer = k8s.makeInformer(kubeConfig, '/api/v1/namespaces/kube-public/configmaps', () =>
        core.listNamespacedConfigMap({ namespace: 'kube-public' }),
      );
      const note = (what: string) => (object: ClientNode.V1ConfigMap) => {
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
}
