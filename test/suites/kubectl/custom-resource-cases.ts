/** Custom resources from their definition to its deletion. */

import { describe, expect, test } from 'vitest';
import type { KubeItem } from './kube-item.js';
import type { KubectlScene } from './kubectl-suite.js';
import { widget, widgetDefinition } from './manifests.js';
import { outputLines } from './output-lines.js';

export function describeCustomResources(scene: KubectlScene): void {
  const { namespace, group } = scene;
  describe('custom resources', () => {
    test('appear when their definition is created and established', async () => {
      const crd = `widgets.${group}`;
      expect(await scene.kubectl.run(['create', '-f', '-'], widgetDefinition(group))).toBe(
        `customresourcedefinition.apiextensions.k8s.io/${crd} created\n`,
      );
      expect(
        await scene.kubectl.run(['wait', '--for', 'condition=established', '--timeout=30s', `crd/${crd}`]),
      ).toBe(`customresourcedefinition.apiextensions.k8s.io/${crd} condition met\n`);
      const rows = outputLines(
        await scene.kubectl.run(['api-resources', '--no-headers', `--api-group=${group}`]),
      );
      expect(rows.map((row) => row.split(/\s+/))).toEqual([
        ['widgets', 'wdg', `${group}/v1`, 'true', 'Widget'],
      ]);
    });

    test('are created, read, patched, applied and deleted like others', async () => {
      expect(await scene.kubectl.run(['create', '-f', '-'], widget(group, 'w', 1))).toBe(
        `widget.${group}/w created\n`,
      );
      expect(await scene.kubectl.json<KubeItem>(['get', 'wdg', 'w'])).toMatchObject({
        apiVersion: `${group}/v1`,
        kind: 'Widget',
        metadata: { name: 'w', namespace },
        spec: { size: 1 },
      });
      const [header, row] = outputLines(await scene.kubectl.run(['get', `widgets.${group}`]));
      expect(header).toMatch(/^NAME +.*AGE/);
      expect(row).toMatch(/^w +/);
      await scene.kubectl.run(['patch', 'widget', 'w', '--type=merge', '-p', '{"spec":{"size":2}}']);
      expect(await scene.kubectl.run(['get', 'widget', 'w', '-o', 'jsonpath={.spec.size}'])).toBe('2');
      expect(await scene.kubectl.run(['apply', '-f', '-'], widget(group, 'v', 3))).toBe(
        `widget.${group}/v created\n`,
      );
      expect(await scene.kubectl.run(['apply', '-f', '-'], widget(group, 'v', 4))).toBe(
        `widget.${group}/v configured\n`,
      );
      expect(await scene.kubectl.run(['get', 'widgets', '-o', 'jsonpath={.items[*].spec.size}'])).toBe('4 2');
      expect(await scene.kubectl.run(['delete', 'widget', 'w'])).toMatch(
        new RegExp(`^widget.${group} "w" deleted`),
      );
      expect(await scene.kubectl.run(['get', 'widgets', '-o', 'name'])).toBe(`widget.${group}/v\n`);
    });

    test('support no strategic merge patch', async () => {
      const { code, stderr } = await scene.kubectl.attempt([
        'patch',
        'widget',
        'v',
        '--type=strategic',
        '-p',
        '{"spec":{}}',
      ]);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /strategic-merge-patch\+json is not supported by .*Kind=Widget: .*application\/merge-patch\+json/,
      );
    });

    test('are deleted with their definition', async () => {
      expect(await scene.kubectl.run(['delete', 'crd', `widgets.${group}`])).toContain('deleted');
      const { code, stderr } = await scene.kubectl.attempt(['get', `widgets.${group}`]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/doesn't have a resource type|could not find the requested resource/);
    });
  });
}
