import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#dist/apiserver/control/kube-object.js';
import { encodeJson, equalJson } from '#dist/apiserver/json.js';
import { trackManagedFields, withoutTimes } from '#dist/apiserver/objects/managed-fields.js';

const TIME = '2026-11-17T16:47:25Z';
const LATER = '2026-11-17T16:47:26Z';
const pods = { group: '', version: 'v1', kind: 'Pod', hasStatus: true, isCustom: false, schema: undefined };
const services = { ...pods, kind: 'Service' };
const configMaps = { ...pods, kind: 'ConfigMap', hasStatus: false };

interface Write {
  readonly resource: typeof pods | typeof widgets;
  readonly previous?: KubeObject;
  readonly next: KubeObject;
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
}

function track(write: Write): ReturnType<typeof trackManagedFields> {
  return trackManagedFields({ manager: 'sampler', time: TIME, ...write });
}

/** The object as it is stored after the write. */
function written(write: Write): KubeObject {
  return { ...write.next, metadata: { ...write.next.metadata, managedFields: track(write) } };
}

function owners(object: KubeObject): Record<string, unknown> {
  const entries = object.metadata?.['managedFields'] as { manager: string; fieldsV1: unknown }[];
  return Object.fromEntries(entries.map((entry) => [entry.manager, entry.fieldsV1]));
}

const widgets = {
  group: 'x.io',
  version: 'v1',
  kind: 'Widget',
  hasStatus: true,
  isCustom: true,
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
          list: { type: 'array', items: { type: 'string' } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          keyed: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name', 'n'],
            items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer' } } },
          },
          any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      status: { type: 'object', properties: { ready: { type: 'boolean' } } },
    },
  },
};

// All expectations are what kube-apiserver 1.36.3 answered.
describe('the managedFields of a create', () => {
  it('contain every field of a pod, items by their keys, empty structs and atomic lists as one', () => {
    const next = {
      metadata: { name: 'p', labels: { app: 'x' }, finalizers: ['b.io/x', 'a.io/x'] },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'nginx',
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            env: [{ name: 'A', value: 'b' }],
            resources: {},
          },
        ],
        tolerations: [{ operator: 'Exists' }],
        volumes: [{ name: 'v', emptyDir: {} }],
        securityContext: {},
        nodeSelector: { a: 'b' },
      },
      status: { phase: 'Running' },
    };
    expect(encodeJson(track({ resource: pods, next }))).toBe(
      `[{"manager":"sampler","operation":"Update","apiVersion":"v1","time":"${TIME}","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:finalizers":{".":{},"v:\\"a.io/x\\"":{},"v:\\"b.io/x\\"":{}},"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:env":{".":{},"k:{\\"name\\":\\"A\\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},"f:ports":{".":{},"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"f:resources":{}}},"f:nodeSelector":{},"f:securityContext":{},"f:tolerations":{},"f:volumes":{".":{},"k:{\\"name\\":\\"v\\"}":{".":{},"f:emptyDir":{},"f:name":{}}}}}}]`,
    );
  });

  it('contain every field of a service', () => {
    const next = {
      metadata: { name: 'svc' },
      spec: {
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        selector: { app: 'x' },
        type: 'ClusterIP',
      },
    };
    expect(track({ resource: services, next })?.[0]?.fieldsV1).toEqual({
      'f:spec': {
        'f:ports': {
          '.': {},
          'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} },
        },
        'f:selector': {},
        'f:type': {},
      },
    });
  });

  it("follow the list types of a custom resource's schema", () => {
    const next = {
      metadata: { name: 'w', labels: { a: '1' } },
      spec: {
        atomic: { x: '1' },
        list: ['x'],
        set: ['b', 'a'],
        keyed: [
          { name: 'z', n: 10 },
          { name: 'z', n: 2 },
          { name: 'b', n: 2 },
        ],
        any: { deep: { er: [1], s: 'x' } },
      },
      status: { ready: true },
    };
    const fields = encodeJson(track({ resource: widgets, next })?.[0]?.fieldsV1);
    expect(fields).toBe(
      '{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{".":{},"f:any":{".":{},"f:deep":{".":{},"f:er":{},"f:s":{}}},"f:atomic":{},"f:keyed":{".":{},"k:{\\"n\\":2,\\"name\\":\\"b\\"}":{".":{},"f:n":{},"f:name":{}},"k:{\\"n\\":2,\\"name\\":\\"z\\"}":{".":{},"f:n":{},"f:name":{}},"k:{\\"n\\":10,\\"name\\":\\"z\\"}":{".":{},"f:n":{},"f:name":{}}},"f:list":{},"f:set":{".":{},"v:\\"a\\"":{},"v:\\"b\\"":{}}}}',
    );
  });

  it('are missing when no field is owned', () => {
    expect(track({ resource: configMaps, next: { metadata: { name: 'x' }, data: {} } })).toBeUndefined();
  });
});

describe('the managedFields of an update', () => {
  const previous = written({
    resource: configMaps,
    next: { metadata: { name: 'c' }, data: { a: '1', b: '1' } },
  });

  it('assign changed fields to the writer', () => {
    const next = { ...previous, data: { a: '2', b: '1', c: '1' } };
    const after = written({ resource: configMaps, previous, next, manager: 'other', time: LATER });
    expect(owners(after)).toEqual({
      sampler: { 'f:data': { '.': {}, 'f:b': {} } },
      other: { 'f:data': { 'f:a': {}, 'f:c': {} } },
    });
  });

  it('stay with a writer that writes again, with a new time', () => {
    const next = { ...previous, data: { a: '2', b: '1' } };
    expect(track({ resource: configMaps, previous, next, time: LATER })).toEqual([
      {
        manager: 'sampler',
        operation: 'Update',
        apiVersion: 'v1',
        time: LATER,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } },
      },
    ]);
  });

  it('lose removed fields', () => {
    const next = { ...previous, data: { b: '1' } };
    const after = written({ resource: configMaps, previous, next, manager: 'other', time: LATER });
    expect(owners(after)).toEqual({ sampler: { 'f:data': { '.': {}, 'f:b': {} } } });
  });

  it('stay unchanged, times too, when nothing changed', () => {
    const after = track({ resource: configMaps, previous, next: previous, manager: 'other', time: LATER });
    expect(after).toEqual(previous.metadata?.['managedFields']);
  });

  it('are sorted by time, then by manager', () => {
    const next = { ...previous, data: { ...(previous['data'] as object), c: '1' } };
    const names = (time: string): unknown =>
      track({ resource: configMaps, previous, next, manager: 'alpha', time })?.map((entry) => entry.manager);
    expect(names(TIME)).toEqual(['alpha', 'sampler']);
    expect(names(LATER)).toEqual(['sampler', 'alpha']);
  });

  it('can be set by the client, are reset by [{}], and do not return once removed', () => {
    const sent = { ...previous, metadata: { name: 'c', managedFields: [{}] } };
    expect(track({ resource: configMaps, previous, next: sent })).toBeUndefined();
    const untracked = { metadata: { name: 'c', uid: 'u' }, data: {} };
    const next = { ...untracked, data: { a: '1' } };
    expect(track({ resource: configMaps, previous: untracked, next })).toBeUndefined();
  });

  it('have at most ten update managers: the oldest are merged', () => {
    let object = previous;
    for (let index = 0; index < 12; index++) {
      const next = { ...object, data: { ...(object['data'] as object), [`k${index}`]: '1' } };
      const time = `2026-11-17T16:48:${String(index).padStart(2, '0')}Z`;
      object = written({ resource: configMaps, previous: object, next, manager: `m${index}`, time });
    }
    const entries = object.metadata?.['managedFields'] as {
      manager: string;
      time: string;
      fieldsV1: unknown;
    }[];
    expect(entries.map((entry) => entry.manager)).toEqual([
      'ancient-changes',
      ...Array.from({ length: 9 }, (_, index) => `m${index + 3}`),
    ]);
    expect(entries[0]).toMatchObject({
      time: '2026-11-17T16:48:02Z',
      fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } },
    });
  });
});

describe('the managedFields of a status update', () => {
  const pod = written({
    resource: pods,
    next: { metadata: { name: 'p', labels: { app: 'x' } }, spec: { nodeName: 'n' } },
  });

  it('contain the subresource and nothing of the spec', () => {
    const next = {
      ...pod,
      spec: { nodeName: 'other' },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    };
    const entries = track({ resource: pods, previous: pod, next, manager: 'kubelet', subresource: 'status' });
    expect(encodeJson(entries?.[0])).toBe(
      `{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"${TIME}","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{".":{},"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:phase":{}}},"subresource":"status"}`,
    );
    expect(entries?.[1]?.fieldsV1).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
      'f:spec': { 'f:nodeName': {} },
    });
  });

  it('do not contain metadata of a custom resource', () => {
    const previous = written({ resource: widgets, next: { metadata: { name: 'w' }, spec: { any: {} } } });
    const next = {
      ...previous,
      metadata: { ...previous.metadata, labels: { no: '1' } },
      status: { ready: true },
    };
    const entries = track({ resource: widgets, previous, next, manager: 's', subresource: 'status' });
    expect(entries?.[0]?.fieldsV1).toEqual({ 'f:status': { '.': {}, 'f:ready': {} } });
  });
});

it('withoutTimes makes two writes equal that differ only in their time', () => {
  const make = (time: string): KubeObject =>
    written({ resource: configMaps, next: { metadata: { name: 'c' }, data: { a: '1' } }, time });
  expect(equalJson(make(TIME), make(LATER))).toBe(false);
  expect(equalJson(withoutTimes(make(TIME)), withoutTimes(make(LATER)))).toBe(true);
  expect(withoutTimes({ metadata: { name: 'x' } })).toEqual({ metadata: { name: 'x' } });
});
