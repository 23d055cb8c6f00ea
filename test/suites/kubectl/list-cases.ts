/** Cluster-scoped objects as YAML, and lists too long for one response. */

import { loadYaml } from '@kubernetes/client-node';
import { beforeAll, describe, expect, test } from 'vitest';
import type { KubeList } from './kube-item.js';
import type { KubectlScene } from './kubectl-suite.js';
import { outputLines } from './output-lines.js';

/** More than two chunks of a hundred. */
const CONFIG_MAPS = 250;

export function describeLists(scene: KubectlScene): void {
  const { run, node } = scene;
  describe('nodes', () => {
    test('get nodes -o yaml prints cluster-scoped objects as YAML', async () => {
      const made = { apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels: { run } } };
      expect(await scene.kubectl.run(['create', '-f', '-'], JSON.stringify(made))).toBe(
        `node/${node} created\n`,
      );
      const list = loadYaml<KubeList>(
        await scene.kubectl.run(['get', 'nodes', '-o', 'yaml', '-l', `run=${run}`]),
      );
      expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List' });
      expect(list.items).toMatchObject([{ apiVersion: 'v1', kind: 'Node', metadata: { name: node } }]);
      expect(list.items[0]?.metadata).not.toHaveProperty('managedFields');
      expect(list.items[0]?.metadata).not.toHaveProperty('namespace');
    });
  });

  describe('a list in chunks', () => {
    beforeAll(async () => {
      const items = Array.from({ length: CONFIG_MAPS }, (_, index) => chunkedConfigMap(index));
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      expect(outputLines(await scene.kubectl.run(['create', '-f', '-'], list))).toHaveLength(CONFIG_MAPS);
    });

    test('takes several requests and is complete', async () => {
      const args = ['get', 'configmaps', '-l', 'chunked=yes', '-o', 'name', '--chunk-size=100', '-v=6'];
      const { code, stdout, stderr } = await scene.kubectl.attempt(args);
      expect(code).toBe(0);
      expect(outputLines(stdout)).toEqual(
        Array.from({ length: CONFIG_MAPS }, (_, index) => `configmap/${chunkedName(index)}`),
      );
      // The second form is that of kubectl 1.32.
      const logged = /(?:verb="GET" url="|GET )(https?:[^" ]*\/configmaps\?[^" ]*)/g;
      const requests = [...stderr.matchAll(logged)].map(([, url]) => new URL(url!));
      expect(requests.map((url) => url.searchParams.get('limit'))).toEqual(['100', '100', '100']);
      expect(requests.map((url) => url.searchParams.has('continue'))).toEqual([false, true, true]);
    });

    test('is the same as a list in one request', async () => {
      const list = (chunkSize: number): Promise<string> =>
        scene.kubectl.run(['get', 'cm', '-l', 'chunked=yes', '-o', 'name', `--chunk-size=${chunkSize}`]);
      expect(await list(60)).toBe(await list(0));
    });

    test('prints a table of all objects', async () => {
      const rows = outputLines(
        await scene.kubectl.run(['get', 'configmaps', '-l', 'chunked=yes', '--chunk-size=100']),
      );
      expect(rows).toHaveLength(1 + CONFIG_MAPS);
    });
  });
}

function chunkedName(index: number): string {
  return `chunked-${String(index).padStart(3, '0')}`;
}

function chunkedConfigMap(index: number): unknown {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: chunkedName(index), labels: { chunked: 'yes' } },
    data: { index: String(index) },
  };
}
