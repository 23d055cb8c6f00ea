import { describe, expect, test } from 'vitest';
import { BUILT_IN_RESOURCES } from '#dist/workers/apiserver/resources/built-in-resources.js';
import {
  fieldLabelValue,
  isFieldLabel,
  unsupportedFieldLabel,
} from '#dist/workers/apiserver/resources/field-label.js';
import { groupResourceOf, type Resource } from '#dist/workers/apiserver/resources/resource.js';

const named = (name: string): Resource => BUILT_IN_RESOURCES.find((each) => groupResourceOf(each) === name)!;
const having = (flag: keyof Resource): string[] =>
  BUILT_IN_RESOURCES.filter((resource) => resource[flag] === true)
    .map(groupResourceOf)
    .sort();

describe('the built-in resources', () => {
  test('are the fourteen promised kinds', () => {
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
  test('answer like the real server where kinds differ', () => {
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

  test('name each plural and each kind once', () => {
    expect(new Set(BUILT_IN_RESOURCES.map(groupResourceOf)).size).toBe(BUILT_IN_RESOURCES.length);
  });
});

describe('a field label', () => {
  test('leads to the value as text, and to the zero value where the wire leaves it out', () => {
    const pod = {
      metadata: { name: 'p', namespace: 'n' },
      spec: { nodeName: 'node-1' },
      status: { podIPs: [{ ip: '10.0.0.1' }] },
    };
    expect(fieldLabelValue(named('pods'), 'metadata.name', pod)).toBe('p');
    expect(fieldLabelValue(named('pods'), 'metadata.namespace', pod)).toBe('n');
    expect(fieldLabelValue(named('pods'), 'spec.nodeName', pod)).toBe('node-1');
    expect(fieldLabelValue(named('pods'), 'spec.host', pod)).toBe('node-1');
    expect(fieldLabelValue(named('pods'), 'spec.hostNetwork', pod)).toBe('false');
    expect(fieldLabelValue(named('pods'), 'status.phase', pod)).toBe('');
    expect(fieldLabelValue(named('pods'), 'status.podIPs', pod)).toBe('');
    expect(fieldLabelValue(named('nodes'), 'spec.unschedulable', { spec: { unschedulable: true } })).toBe(
      'true',
    );
    expect(fieldLabelValue(named('jobs.batch'), 'status.successful', { status: { succeeded: 3 } })).toBe('3');
    expect(fieldLabelValue(named('jobs.batch'), 'status.successful', {})).toBe('0');
    expect(fieldLabelValue(named('events'), 'source', { reportingComponent: 'kubelet' })).toBe('kubelet');
    expect(fieldLabelValue(named('pods'), 'spec.nope', pod)).toBeUndefined();
  });

  test('that is not known is refused in the words of its kind', () => {
    expect(unsupportedFieldLabel(named('pods'), 'foo')).toBe('field label not supported: foo');
    expect(unsupportedFieldLabel(named('jobs.batch'), 'foo')).toBe('field label "foo" not supported for Job');
    expect(unsupportedFieldLabel(named('replicasets.apps'), 'status.replicas')).toBe(
      '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    expect(isFieldLabel(named('nodes'), 'metadata.namespace')).toBe(false);
    expect(isFieldLabel(named('customresourcedefinitions.apiextensions.k8s.io'), 'metadata.namespace')).toBe(
      true,
    );
  });
});
