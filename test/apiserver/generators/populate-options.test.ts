import { describe, expect, test } from 'vitest';
import type { PopulateSpec } from '#dist/apiserver/control/populate-spec.js';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';

describe('populate options', () => {
  test('only kind and count are required', () => {
    expect(resolvePopulateSpec({ kind: 'Pod', count: 10_000 })).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
      count: 10_000,
      seed: 1,
      namespaces: 100,
      namePrefix: 'app',
      sizeBytes: 9800,
      managedFieldsShare: 0.3,
      containers: 2,
      nodes: 334,
      churnPerSecond: 0,
    });
  });

  test('cluster-scoped kinds have no namespaces, leases have one', () => {
    expect(resolvePopulateSpec({ kind: 'Node', count: 5000 }).namespaces).toBe(0);
    expect(resolvePopulateSpec({ kind: 'Lease', count: 5000 }).namespaces).toBe(1);
  });

  test('smaller objects have fewer labels, annotations and containers by default', () => {
    const small = resolvePopulateSpec({ kind: 'Pod', count: 1, sizeBytes: 4000 });
    expect(small).toMatchObject({ containers: 1, labels: 3, annotations: 2 });
    expect(resolvePopulateSpec({ kind: 'Pod', count: 1, sizeBytes: 4000, labels: 12 }).labels).toBe(12);
  });

  test('an apiVersion other than the built-in one makes a custom resource', () => {
    expect(resolvePopulateSpec({ kind: 'Service', count: 1 }).profile.origin).toBe('typed');
    const knative = resolvePopulateSpec({ kind: 'Service', apiVersion: 'serving.knative.dev/v1', count: 1 });
    expect(knative.profile.origin).toBe('custom');
  });

  test('the input is not changed and the result is frozen', () => {
    const input: PopulateSpec = Object.freeze({ kind: 'Pod', count: 1 });
    expect(Object.isFrozen(resolvePopulateSpec(input))).toBe(true);
  });

  const invalid: [option: string, spec: object][] = [
    ['count', { kind: 'Pod' }],
    ['count', { kind: 'Pod', count: -1 }],
    ['count', { kind: 'Pod', count: 1.5 }],
    ['count', { kind: 'Pod', count: Number.NaN }],
    ['count', { kind: 'Pod', count: '7' }],
    ['kind', { count: 1 }],
    ['kind', { kind: 'pods', count: 1 }],
    ['apiVersion', { kind: 'Widget', count: 1 }],
    ['apiVersion', { kind: 'Widget', apiVersion: 'Example/V1', count: 1 }],
    ['namePrefix', { kind: 'Pod', count: 1, namePrefix: 'App_' }],
    ['namePrefix', { kind: 'Pod', count: 1, namePrefix: 'a'.repeat(41) }],
    ['seed', { kind: 'Pod', count: 1, seed: -1 }],
    ['namespaces', { kind: 'Pod', count: 1, namespaces: 0 }],
    ['namespaces', { kind: 'Node', count: 1, namespaces: 2 }],
    ['sizeBytes', { kind: 'Pod', count: 1, sizeBytes: 99 }],
    ['managedFieldsShare', { kind: 'Pod', count: 1, managedFieldsShare: 0.61 }],
    ['labels', { kind: 'Pod', count: 1, labels: 101 }],
    ['annotations', { kind: 'Pod', count: 1, annotations: -1 }],
    ['containers', { kind: 'Pod', count: 1, containers: 0 }],
    ['nodes', { kind: 'Pod', count: 1, nodes: 0 }],
    ['churnPerSecond', { kind: 'Pod', count: 1, churnPerSecond: Number.POSITIVE_INFINITY }],
    ['size', { kind: 'Pod', count: 1, size: 5 }],
  ];
  test.each(invalid)('an invalid %s is named in the error: %j', (option, spec) => {
    expect(() => resolvePopulateSpec(spec as PopulateSpec)).toThrow(
      `populate: ${option === 'size' ? 'unknown ' : ''}option ${option}`,
    );
  });
});
