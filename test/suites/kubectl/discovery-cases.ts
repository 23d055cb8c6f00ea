/** What kubectl learns about a server before it does anything. */

import { describe, expect, test } from 'vitest';
import type { KubeList } from './kube-item.js';
import type { KubectlScene } from './kubectl-suite.js';
import { outputLines } from './output-lines.js';

export function describeDiscovery(scene: KubectlScene): void {
  describe('discovery', () => {
    test('version reports client and server', async () => {
      const { clientVersion, serverVersion } = await scene.kubectl.json<
        Record<string, { gitVersion: string }>
      >(['version']);
      expect(clientVersion?.gitVersion).toMatch(/^v1\.\d+\.\d+/);
      expect(serverVersion?.gitVersion).toMatch(/^v1\.\d+\.\d+/);
    });

    test('version warns about a skew of more than one minor version, and else has no warning', async () => {
      const { clientVersion, serverVersion } = await scene.kubectl.json<Record<string, { minor: string }>>([
        'version',
      ]);
      const skew = Math.abs(Number(clientVersion?.minor) - Number(serverVersion?.minor));
      const { code, stderr } = await scene.kubectl.attempt(['version']);
      expect(code).toBe(0);
      if (skew > 1) expect(stderr).toMatch(/^WARNING: version difference/);
      else expect(stderr).toBe('');
    });

    test('api-versions lists groups and versions', async () => {
      const versions = outputLines(await scene.kubectl.run(['api-versions']));
      expect(versions).toEqual(
        expect.arrayContaining([
          'v1',
          'apps/v1',
          'batch/v1',
          'coordination.k8s.io/v1',
          'discovery.k8s.io/v1',
        ]),
      );
    });

    test('api-resources lists kinds with short names and scope', async () => {
      const rows = outputLines(await scene.kubectl.run(['api-resources', '--no-headers'])).map((row) =>
        row.split(/\s+/),
      );
      expect(rows).toContainEqual(['pods', 'po', 'v1', 'true', 'Pod']);
      expect(rows).toContainEqual(['nodes', 'no', 'v1', 'false', 'Node']);
      expect(rows).toContainEqual(['configmaps', 'cm', 'v1', 'true', 'ConfigMap']);
      expect(rows).toContainEqual(['deployments', 'deploy', 'apps/v1', 'true', 'Deployment']);
      expect(rows).toContainEqual(['endpointslices', 'discovery.k8s.io/v1', 'true', 'EndpointSlice']);
    });

    test('get --raw prints what the server sent', async () => {
      expect(await scene.kubectl.run(['get', '--raw', '/readyz'])).toBe('ok');
      const version = JSON.parse(await scene.kubectl.run(['get', '--raw', '/version'])) as Record<
        string,
        string
      >;
      expect(version).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\./) });
      const list = JSON.parse(
        await scene.kubectl.run(['get', '--raw', '/api/v1/namespaces?limit=1']),
      ) as KubeList & {
        metadata: { continue?: string };
      };
      expect(list).toMatchObject({ kind: 'NamespaceList', metadata: { continue: expect.any(String) } });
      expect(list.items).toHaveLength(1);
    });

    test('get --raw of an unknown path is an error', async () => {
      const { code, stderr } = await scene.kubectl.attempt(['get', '--raw', '/apis/none.example/v1/things']);
      expect(code).toBe(1);
      expect(stderr).toMatch(/NotFound|could not find the requested resource|404/);
    });

    test('a kind the server does not have is an error', async () => {
      const { code, stderr } = await scene.kubectl.attempt(['get', 'gadgets']);
      expect(code).toBe(1);
      expect(stderr).toContain(`the server doesn't have a resource type "gadgets"`);
    });

    test.runIf(scene.expectations.explain === 'works')('explain describes a field', async () => {
      expect(await scene.kubectl.run(['explain', 'pods.spec.nodeName'])).toMatch(/FIELD: nodeName <string>/);
    });
  });
}
