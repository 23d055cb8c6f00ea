import { expect, test } from 'vitest';
import type { Resource } from '#dist/apiserver/resources/resource.js';
import { ResourceRegistry } from '#dist/apiserver/resources/resource-registry.js';

function widget(version: string): Resource {
  const model = new ResourceRegistry().lookup('', 'v1', 'configmaps')!;
  return { ...model, group: 'kubeflect.dev', version, kind: 'Widget', plural: 'widgets', isCustom: true };
}

test('the registry finds a resource by its path and by its kind', () => {
  const registry = new ResourceRegistry();
  expect(registry.lookup('apps', 'v1', 'deployments')?.kind).toBe('Deployment');
  expect(registry.byKind('v1', 'Pod')?.plural).toBe('pods');
  expect(registry.byKind('apps/v1', 'ReplicaSet')?.plural).toBe('replicasets');
  expect(registry.lookup('apps', 'v2', 'deployments')).toBeUndefined();
  expect(registry.lookup('', 'v1', 'deployments')).toBeUndefined();
});

test('a definition replaces what it declared before, and leaves nothing when removed', () => {
  const registry = new ResourceRegistry();
  registry.addCustom([widget('v1'), widget('v1beta1')]);
  expect(registry.lookup('kubeflect.dev', 'v1beta1', 'widgets')?.kind).toBe('Widget');
  expect(registry.hasGroup('kubeflect.dev')).toBe(true);
  expect(registry.isBuiltInGroup('kubeflect.dev')).toBe(false);
  expect(registry.isBuiltInGroup('')).toBe(true);

  registry.addCustom([widget('v1')]);
  expect(registry.hasGroupVersion('kubeflect.dev', 'v1')).toBe(true);
  expect(registry.hasGroupVersion('kubeflect.dev', 'v1beta1')).toBe(false);
  expect(registry.byKind('kubeflect.dev/v1beta1', 'Widget')).toBeUndefined();

  registry.removeCustom('widgets.kubeflect.dev');
  registry.removeCustom('widgets.kubeflect.dev');
  expect(registry.hasGroup('kubeflect.dev')).toBe(false);
  expect(registry.all()).toEqual(new ResourceRegistry().all());
});
