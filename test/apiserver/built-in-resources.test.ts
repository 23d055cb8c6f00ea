import { describe, expect, test } from 'vitest';
import { BUILT_IN_RESOURCES } from '#dist/apiserver/resources/built-in-resources.js';
import { groupResourceOf, type Resource } from '#dist/apiserver/resources/resource.js';

const named = (name: string): Resource => BUILT_IN_RESOURCES.find((each) => groupResourceOf(each) === name)!;
const having = (flag: keyof Resource): string[] =>
  BUILT_IN_RESOURCES.filter((resource) => resource[flag] === true)
    .map(groupResourceOf)
    .sort();

describe('the built-in resources', () => {
  test('are the fourteen documented kinds', () => {
    expect(BUILT_IN_RESOURCES.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'CustomResourceDefinition',
      'Deployment',
      'EndpointSlice',
      'Endpoints',
      'Event',
      'Job',
      'Lease',
      'Namespace',
      'Node',
      'Pod',
      'ReplicaSet',
      'Secret',
      'Service',
    ]);
  });

  // Each list was seen on kube-apiserver 1.36.3: PUT to an absent name, PUT without a resourceVersion, DELETE.
  test('behave like the real server where kinds differ', () => {
    expect(having('allowsCreateOnUpdate')).toEqual([
      'endpoints',
      'events',
      'leases.coordination.k8s.io',
      'services',
    ]);
    const conditional = BUILT_IN_RESOURCES.filter((each) => !each.allowsUnconditionalUpdate);
    expect(conditional.map(groupResourceOf)).toEqual([
      'customresourcedefinitions.apiextensions.k8s.io',
      'leases.coordination.k8s.io',
    ]);
    expect(having('deleteReturnsObject')).toEqual([
      'customresourcedefinitions.apiextensions.k8s.io',
      'namespaces',
      'pods',
      'services',
    ]);
    expect(having('hasGeneration')).toEqual([
      'customresourcedefinitions.apiextensions.k8s.io',
      'deployments.apps',
      'endpointslices.discovery.k8s.io',
      'jobs.batch',
      'pods',
      'replicasets.apps',
    ]);
    expect(BUILT_IN_RESOURCES.filter((each) => !each.hasWatchCache).map(groupResourceOf)).toEqual(['events']);
    expect(named('namespaces').verbs).not.toContain('deletecollection');
  });

  test('have each plural and each kind once', () => {
    expect(new Set(BUILT_IN_RESOURCES.map(groupResourceOf)).size).toBe(BUILT_IN_RESOURCES.length);
  });
});
