import { describe, expect, test } from 'vitest';
import type { PopulateSpec } from '#dist/apiserver/control/populate-spec.js';
import { goJson } from '#dist/apiserver/generators/go-json.js';
import { typedKinds } from '#dist/apiserver/generators/kind-profile.js';
import { resolvePopulateSpec } from '#dist/apiserver/generators/populate-spec.js';
import { RenderedSet } from '#dist/apiserver/generators/rendered-set.js';

type Plain = Record<string, unknown>;

const OBJECT_META = [
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences'],
  ...['finalizers', 'managedFields'],
];
const MANAGED_FIELDS = [
  'manager',
  'operation',
  'apiVersion',
  'time',
  'fieldsType',
  'fieldsV1',
  'subresource',
];
const TOP_LEVEL = [
  ...['kind', 'apiVersion', 'metadata', 'immutable', 'data', 'type', 'subsets', 'addressType', 'endpoints'],
  ...['ports', 'spec', 'status'],
];

function setOf(spec: Omit<PopulateSpec, 'count'>): RenderedSet {
  return new RenderedSet(resolvePopulateSpec({ ...spec, count: 1280 }), 1);
}

/** Objects of all or half the templates, pods coming in tens. */
function texts(set: RenderedSet): string[] {
  return Array.from({ length: 64 }, (_, k) => set.objectBytes(k * 10, 12_345, k % 3).toString());
}

function expectOrder(object: Plain, order: readonly string[]): void {
  expect(Object.keys(object)).toEqual(order.filter((key) => key in object));
}

function expectSorted(map: unknown): void {
  const keys = Object.keys((map ?? {}) as Plain);
  expect(keys.join('\n')).toBe([...keys].sort().join('\n'));
}

function expectSortedDeep(value: unknown): void {
  if (Array.isArray(value)) value.forEach(expectSortedDeep);
  if (value === null || typeof value !== 'object') return;
  expectSorted(value);
  Object.values(value).forEach(expectSortedDeep);
}

describe('objects of typed kinds', () => {
  test.each(typedKinds())('%s has the field order of its struct and sorted maps', (kind) => {
    for (const text of texts(setOf({ kind }))) {
      const object = JSON.parse(text);
      if (kind !== 'Event') expectOrder(object, TOP_LEVEL);
      expect(Object.keys(object).slice(0, 3)).toEqual(['kind', 'apiVersion', 'metadata']);
      expectOrder(object.metadata, OBJECT_META);
      expectSorted(object.metadata.labels);
      expectSorted(object.metadata.annotations);
      expectSorted(object.data);
      for (const entry of object.metadata.managedFields) {
        expectOrder(entry, MANAGED_FIELDS);
        expectSortedDeep(entry.fieldsV1);
      }
    }
  });

  test.each(typedKinds())('%s as an item is the object without kind and apiVersion', (kind) => {
    const set = setOf({ kind });
    const {
      kind: _kind,
      apiVersion: _apiVersion,
      ...rest
    } = JSON.parse(set.objectBytes(5, 77, 1).toString());
    const item = set.itemBytes(5, 77, 1).toString();
    expect(JSON.parse(item)).toEqual(rest);
    expect(item.startsWith('{"metadata":{"name":"')).toBe(true);
  });

  test.each(typedKinds())('%s is encoded as Go does, byte for byte', (kind) => {
    for (const text of texts(setOf({ kind }))) {
      expect(text).not.toMatch(/[<>&\u2028\u2029\n]/);
      expect(goJson(JSON.parse(text), 'declared')).toBe(text);
    }
  });

  test('pods contain characters that Go escapes, and more than ASCII', () => {
    const all = texts(setOf({ kind: 'Pod' })).join('');
    for (const escaped of ['\\u003c', '\\u003e', '\\u0026', '\\"', 'ö', '≤']) expect(all).toContain(escaped);
  });

  test('pods have the fields of real pods', () => {
    const set = setOf({ kind: 'Pod' });
    const { metadata, spec, status } = JSON.parse(set.itemBytes(3, 1, 0).toString());
    expect(metadata.name.startsWith(metadata.generateName)).toBe(true);
    expect(metadata.ownerReferences[0]).toMatchObject({ kind: 'ReplicaSet', controller: true });
    expect(metadata.managedFields.map((entry: Plain) => entry['manager'])).toEqual([
      'kube-controller-manager',
      'kubelet',
      'kube-scheduler',
    ]);
    const [app] = spec.containers;
    for (const field of ['env', 'resources', 'volumeMounts', 'livenessProbe', 'readinessProbe']) {
      expect(app).toHaveProperty(field);
    }
    expect(status.conditions.map((condition: Plain) => condition['type'])).toContain('Ready');
    expect(status.containerStatuses[0].containerID).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
    expect(status.podIPs).toEqual([{ ip: status.podIP }]);
  });

  test('pods are mostly running, some pending or failed', () => {
    const phases = new Map<string, number>();
    const set = setOf({ kind: 'Pod' });
    for (let index = 0; index < set.count; index++) {
      const phase = set.fieldAt(index, 'status.phase') as string;
      phases.set(phase, (phases.get(phase) ?? 0) + 1);
    }
    expect([...phases.keys()].sort()).toEqual(['Failed', 'Pending', 'Running']);
    expect(phases.get('Running')).toBeGreaterThan(1000);
  });

  test('managedFields contain only fields of the object', () => {
    const { metadata, spec } = JSON.parse(setOf({ kind: 'Pod' }).itemBytes(0, 1, 0).toString());
    const [creator] = metadata.managedFields;
    for (const field of Object.keys(creator.fieldsV1['f:spec'])) expect(spec).toHaveProperty(field.slice(2));
    const owned = Object.keys(creator.fieldsV1['f:metadata']['f:labels']).filter((key) => key !== '.');
    expect(owned.map((key) => key.slice(2))).toEqual(Object.keys(metadata.labels));
  });

  test('secrets are base64, leases have microseconds', () => {
    for (const text of texts(setOf({ kind: 'Secret' }))) {
      for (const value of Object.values<string>(JSON.parse(text).data)) {
        expect(Buffer.from(value, 'base64').toString('base64')).toBe(value);
      }
    }
    const lease = JSON.parse(setOf({ kind: 'Lease' }).itemBytes(0, 1, 0).toString());
    expect(lease.spec.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(lease.metadata.namespace).toBe('kube-node-lease');
  });
});

describe('objects of custom kinds', () => {
  const widget = { kind: 'Widget', apiVersion: 'example.com/v1' };

  test('have kind and apiVersion in lists, too, and sorted keys at all levels', () => {
    const set = setOf(widget);
    expect(set.itemBytes(5, 9, 2)).toEqual(set.objectBytes(5, 9, 2));
    for (const text of texts(set)) {
      const object = JSON.parse(text);
      expect(object).toMatchObject(widget);
      expectSortedDeep(object);
      expect(goJson(object, 'sorted')).toBe(text);
      expect(text).not.toMatch(/[<>&]/);
    }
  });

  test('have no namespace when cluster-scoped', () => {
    const set = setOf({ ...widget, namespaces: 0 });
    expect(JSON.parse(set.itemBytes(5, 9, 2).toString()).metadata).not.toHaveProperty('namespace');
    expect(set.keyAt(5)).toBe('widget-00005');
  });
});
