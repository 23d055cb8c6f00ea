/** Every way kubectl has to change an object. */

import { describe, expect, test } from 'vitest';
import type { KubeItem } from './kube-item.js';
import type { Kubectl } from './kubectl.js';
import type { KubectlScene } from './kubectl-suite.js';
import { configMap, deploymentYaml } from './manifests.js';

export function describeWriting(scene: KubectlScene): void {
  const { namespace } = scene;
  describe('writing', () => {
    test('create configmap accepts literals', async () => {
      expect(
        await scene.kubectl.run(['create', 'configmap', 'c', '--from-literal=a=1', '--from-literal=b=2']),
      ).toBe('configmap/c created\n');
      expect((await scene.kubectl.json<KubeItem>(['get', 'cm', 'c'])).data).toEqual({ a: '1', b: '2' });
    });

    // All that kubectl creates by a command of its own goes out as protobuf.
    test.each([
      ['secret/s', ['secret', 'generic', 's', '--from-literal=a=1'], { data: { a: 'MQ==' }, type: 'Opaque' }],
      [
        'service/svc',
        ['service', 'clusterip', 'svc', '--tcp=80:http', '--tcp=443:8443'],
        { spec: { ports: [{ targetPort: 'http' }, { port: 443, targetPort: 8443 }], type: 'ClusterIP' } },
      ],
      [
        'deployment.apps/d',
        ['deployment', 'd', '--image=i:1', '--replicas=0'],
        { spec: { replicas: 0, template: { spec: { containers: [{ name: 'i', image: 'i:1' }] } } } },
      ],
      [
        'job.batch/j',
        ['job', 'j', '--image=i:1', '--', 'sh', '-c', 'true'],
        { spec: { template: { spec: { containers: [{ command: ['sh', '-c', 'true'] }] } } } },
      ],
    ])('create %s', async (name, args, expected) => {
      expect(await scene.kubectl.run(['create', ...args])).toBe(`${name} created\n`);
      expect(await scene.kubectl.json<KubeItem>(['get', name])).toMatchObject(expected);
      await scene.kubectl.run(['delete', name]);
    });

    test('create --dry-run=server stores nothing', async () => {
      const made = await scene.kubectl.json<KubeItem>(['create', 'configmap', 'dry', '--dry-run=server']);
      expect(made.metadata.name).toBe('dry');
      expect(await scene.kubectl.run(['get', 'configmap', 'dry', '--ignore-not-found'])).toBe('');
    });

    test('create in a missing namespace is an error', async () => {
      const { code, stderr } = await scene.kubectl.attempt([
        '-n',
        `${namespace}-none`,
        'create',
        'configmap',
        'c',
      ]);
      expect(code).toBe(1);
      expect(stderr).toContain(`namespaces "${namespace}-none" not found`);
    });

    test('patch merges by default, by --type=merge and by --type=json', async () => {
      const data = async (): Promise<unknown> =>
        (await scene.kubectl.json<KubeItem>(['get', 'cm', 'c'])).data;
      expect(await scene.kubectl.run(['patch', 'cm', 'c', '-p', '{"data":{"c":"3"}}'])).toBe(
        'configmap/c patched\n',
      );
      expect(await data()).toEqual({ a: '1', b: '2', c: '3' });
      await scene.kubectl.run(['patch', 'cm', 'c', '--type=merge', '-p', '{"data":{"a":null,"b":"two"}}']);
      expect(await data()).toEqual({ b: 'two', c: '3' });
      const operations = [
        { op: 'test', path: '/data/b', value: 'two' },
        { op: 'add', path: '/data/d', value: '4' },
        { op: 'remove', path: '/data/b' },
      ];
      await scene.kubectl.run(['patch', 'cm', 'c', '--type=json', '-p', JSON.stringify(operations)]);
      expect(await data()).toEqual({ c: '3', d: '4' });
      expect(await scene.kubectl.run(['patch', 'cm', 'c', '-p', '{"data":{"c":"3"}}'])).toBe(
        'configmap/c patched (no change)\n',
      );
    });

    test('patch --type=json whose test fails is an error', async () => {
      const operations = [{ op: 'test', path: '/data/c', value: 'other' }];
      const refused = await scene.kubectl.attempt([
        'patch',
        'cm',
        'c',
        '--type=json',
        '-p',
        JSON.stringify(operations),
      ]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(
        /Invalid|testing value \/data\/c failed|the server rejected our request/,
      );
    });

    test('patch merges the containers of a deployment by name', async () => {
      await scene.kubectl.run(['create', '-f', '-'], deploymentYaml('first:1'));
      const patch = { spec: { template: { spec: { containers: [{ name: 'main', image: 'first:2' }] } } } };
      expect(await scene.kubectl.run(['patch', 'deployment', 'web', '-p', JSON.stringify(patch)])).toBe(
        'deployment.apps/web patched\n',
      );
      expect(await containersOf(scene.kubectl, 'web')).toEqual([
        ['main', 'first:2', 'yes'],
        ['side', 'side:1', undefined],
      ]);
      await scene.kubectl.run(['delete', 'deployment', 'web']);
    });

    test('replace with an old resourceVersion is a conflict, with the current one it works', async () => {
      const stale = await scene.kubectl.run(['get', 'cm', 'c', '-o', 'json']);
      await scene.kubectl.run(['annotate', 'cm', 'c', 'changed=yes']);
      const refused = await scene.kubectl.attempt(['replace', '-f', '-'], stale);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('(Conflict)');
      expect(refused.stderr).toContain(
        'Operation cannot be fulfilled on configmaps "c": the object has been modified',
      );
      const current = await scene.kubectl.json<KubeItem>(['get', 'cm', 'c']);
      current.data = { e: '5' };
      expect(await scene.kubectl.run(['replace', '-f', '-'], JSON.stringify(current))).toBe(
        'configmap/c replaced\n',
      );
      const replaced = await scene.kubectl.json<KubeItem>(['get', 'cm', 'c']);
      expect(replaced.data).toEqual({ e: '5' });
      expect(replaced.metadata.resourceVersion).not.toBe(current.metadata.resourceVersion);
    });

    test('apply creates, changes, removes omitted fields, and reports when nothing changed', async () => {
      const apply = (data: Record<string, string>): Promise<string> =>
        scene.kubectl.run(['apply', '-f', '-'], configMap('applied', data));
      expect(await apply({ a: '1', b: '2' })).toBe('configmap/applied created\n');
      expect(await apply({ a: '1', b: '2' })).toBe('configmap/applied unchanged\n');
      await scene.kubectl.run(['patch', 'cm', 'applied', '-p', '{"data":{"theirs":"kept"}}']);
      expect(await apply({ a: 'one' })).toBe('configmap/applied configured\n');
      const applied = await scene.kubectl.json<KubeItem>(['get', 'cm', 'applied']);
      expect(applied.data).toEqual({ a: 'one', theirs: 'kept' });
      expect(applied.metadata.annotations).toHaveProperty([
        'kubectl.kubernetes.io/last-applied-configuration',
      ]);
    });

    test('apply merges the containers of a deployment by name', async () => {
      expect(await scene.kubectl.run(['apply', '-f', '-'], deploymentYaml('first:1'))).toBe(
        'deployment.apps/web created\n',
      );
      expect(await scene.kubectl.run(['apply', '-f', '-'], deploymentYaml('first:2'))).toBe(
        'deployment.apps/web configured\n',
      );
      expect((await containersOf(scene.kubectl, 'web'))[0]).toEqual(['main', 'first:2', 'yes']);
      expect(await scene.kubectl.run(['apply', '-f', '-'], deploymentYaml('first:2'))).toBe(
        'deployment.apps/web unchanged\n',
      );
      await scene.kubectl.run(['delete', 'deployment', 'web']);
    });

    test('apply --server-side creates, conflicts with others, and takes over with --force-conflicts', async () => {
      const args = ['apply', '--server-side', '-f', '-'];
      expect(await scene.kubectl.run(args, configMap('ssa', { a: '1' }))).toBe(
        'configmap/ssa serverside-applied\n',
      );
      const applied = await scene.kubectl.json<KubeItem>(['get', 'cm', 'ssa', '--show-managed-fields']);
      expect(applied.metadata.managedFields).toMatchObject([{ manager: 'kubectl', operation: 'Apply' }]);
      const conflict = await scene.kubectl.attempt(
        [...args, '--field-manager=other'],
        configMap('ssa', { a: '2' }),
      );
      expect(conflict.stderr).toMatch(/conflict with "kubectl": \.data\.a/);
      await scene.kubectl.run(
        [...args, '--field-manager=other', '--force-conflicts'],
        configMap('ssa', { a: '2' }),
      );
      expect((await scene.kubectl.json<KubeItem>(['get', 'cm', 'ssa'])).data).toEqual({ a: '2' });
    });

    test('apply --server-side continues after client-side apply, and back', async () => {
      const apply = (image: string, ...more: string[]): Promise<string> =>
        scene.kubectl.run(['apply', ...more, '-f', '-'], deploymentYaml(image));
      await apply('first:1');
      expect(await apply('first:2', '--server-side')).toBe('deployment.apps/web serverside-applied\n');
      const { metadata } = await scene.kubectl.json<KubeItem>([
        'get',
        'deployment',
        'web',
        '--show-managed-fields',
      ]);
      const managers = metadata.managedFields?.map(({ manager, operation }) => `${operation} ${manager}`);
      expect(managers?.sort()).toEqual(['Apply kubectl', 'Apply kubectl-last-applied']);
      expect(await apply('first:3')).toBe('deployment.apps/web configured\n');
      expect(await apply('first:4', '--server-side')).toBe('deployment.apps/web serverside-applied\n');
      expect((await containersOf(scene.kubectl, 'web'))[0]).toEqual(['main', 'first:4', 'yes']);
      expect(await scene.kubectl.run(['diff', '--server-side', '-f', '-'], deploymentYaml('first:4'))).toBe(
        '',
      );
      await scene.kubectl.run(['delete', 'deployment', 'web']);
    });

    test('scale changes the count, unless --current-replicas differs', async () => {
      await scene.kubectl.run(['create', '-f', '-'], deploymentYaml('first:1'));
      expect(await scene.kubectl.run(['scale', 'deployment', 'web', '--replicas=5'])).toBe(
        'deployment.apps/web scaled\n',
      );
      const refused = await scene.kubectl.attempt([
        'scale',
        'deployment',
        'web',
        '--current-replicas=2',
        '--replicas=6',
      ]);
      expect(refused).toMatchObject({ code: 1, stderr: 'error: Expected replicas to be 2, was 5\n' });
      expect(await scene.kubectl.run(['get', 'deployment', 'web', '--subresource=scale'])).toMatch(
        /^NAME +DESIRED +AVAILABLE +AGE\nweb +5 +0 +\d+s\n$/,
      );
      await scene.kubectl.run(['delete', 'deployment', 'web']);
    });

    test('delete removes a config map, and fails for a missing one', async () => {
      expect(await scene.kubectl.run(['delete', 'configmap', 'c'])).toMatch(/^configmap "c" deleted/);
      const again = await scene.kubectl.attempt(['delete', 'configmap', 'c']);
      expect(again).toMatchObject({
        code: 1,
        stderr: 'Error from server (NotFound): configmaps "c" not found\n',
      });
      expect(await scene.kubectl.run(['delete', 'configmap', 'c', '--ignore-not-found'])).toBe('');
    });
  });
}

async function containersOf(kubectl: Kubectl, deployment: string): Promise<unknown[]> {
  interface Container {
    name: string;
    image: string;
    env?: { name: string; value: string }[];
  }
  const { spec } = await kubectl.json<{ spec: { template: { spec: { containers: Container[] } } } }>([
    'get',
    'deployment',
    deployment,
  ]);
  return spec.template.spec.containers.map(({ name, image, env }) => [name, image, env?.[0]?.value]);
}
