/** PUT: optimistic locking, what is kept, what is refused. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import type { ApiResponse } from '../harness/client.js';
import { type ExpectedStatus, expectStatus, invalid } from '../harness/expect-status.js';
import { configMap, deployment, type KubeObject, kindNamed, type Manifest, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';
import { missingVersion, podGeneration } from '../harness/versions.js';

function put(ns: Sandbox, path: string, body: unknown, query = {}): Promise<ApiResponse> {
  return ns.api.request('PUT', path, { body, query });
}

describe('a PUT with the current resourceVersion', () => {
  test('replaces the object, with a new resourceVersion', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', { data: { k: '1', l: '1' } }));
    const response = await put(ns, ns.path('configmaps', 'a'), { ...created, data: { k: '2' } });
    expect(response.status).toBe(200);
    expect(response.json.data).toEqual({ k: '2' });
    expect(BigInt(response.json.metadata.resourceVersion)).toBeGreaterThan(
      BigInt(created.metadata.resourceVersion),
    );
    expect(response.text).toBe((await ns.api.get(ns.path('configmaps', 'a'))).text);
  });

  test('keeps creationTimestamp and ignores the one of the client', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a'));
    const metadata = { ...created.metadata, creationTimestamp: '2001-01-01T00:00:00Z', labels: { l: '1' } };
    const { json } = await put(ns, ns.path('configmaps', 'a'), { ...created, metadata });
    expect(json.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
  });

  test('that changes nothing keeps the resourceVersion', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const response = await put(ns, ns.path('configmaps', 'a'), created);
    expect(response.status).toBe(200);
    expect(response.json).toEqual(created);
  });

  test('that only omits managedFields changes nothing', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const { managedFields: _, ...metadata } = created.metadata;
    const response = await put(ns, ns.path('configmaps', 'a'), { ...created, metadata });
    expect(response.json).toEqual(created);
  });

  test('with dryRun=All returns the change and does not store it', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const response = await put(
      ns,
      ns.path('configmaps', 'a'),
      { ...created, data: { k: '2' } },
      { dryRun: 'All' },
    );
    expect(response.status).toBe(200);
    expect(response.json.data).toEqual({ k: '2' });
    expect(response.json.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
    expect((await ns.api.get(ns.path('configmaps', 'a'))).json).toEqual(created);
  });
});

describe('a PUT with another resourceVersion', () => {
  test('is a 409 Conflict', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a'));
    await ns.change(ns.path('configmaps', 'a'), { data: { k: '1' } });
    expectStatus(await put(ns, ns.path('configmaps', 'a'), created), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('of a named group has the group in message and details', async ({ ns }) => {
    const created = await ns.create('deployments', deployment('a'));
    await ns.change(ns.path('deployments', 'a', 'apps/v1'), { metadata: { labels: { l: '1' } } });
    expectStatus(await put(ns, ns.path('deployments', 'a', 'apps/v1'), created), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on deployments.apps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', group: 'apps', kind: 'deployments' },
    });
  });

  test('that is not a number is a 500 without reason', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const body = configMap('a', { metadata: { resourceVersion: 'abc' } });
    expectStatus(await put(ns, ns.path('configmaps', 'a'), body), {
      code: 500,
      message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });
});

describe('a PUT without resourceVersion', () => {
  const unconditional = [
    'Pod',
    'Node',
    'Namespace',
    'Service',
    'Endpoints',
    'EndpointSlice',
    'ConfigMap',
    'Secret',
    'Event',
    'Deployment',
    'ReplicaSet',
    'Job',
  ];

  function withoutVersion(object: KubeObject): Manifest {
    const { resourceVersion: _, uid: __, ...metadata } = object.metadata;
    return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, l: '1' } } };
  }

  test.for(unconditional)('replaces the current object: %s', async (name, { ns }) => {
    const kind = kindNamed(name);
    const created = await ns.createKind(kind, `${ns.name}-x`);
    const response = await put(ns, ns.pathOf(kind, `${ns.name}-x`), withoutVersion(created));
    expect(response.status).toBe(200);
    expect(response.json.metadata.labels).toMatchObject({ l: '1' });
    expect(response.json.metadata.uid).toBe(created.metadata.uid);
  });

  test('is rejected for a Lease', async ({ ns, minor }) => {
    const kind = kindNamed('Lease');
    const created = await ns.createKind(kind, 'a');
    const expected = invalid('leases', 'coordination.k8s.io', 'a', [
      {
        reason: 'FieldValueInvalid',
        message: missingVersion(minor),
        field: 'metadata.resourceVersion',
      },
    ]);
    expectStatus(await put(ns, ns.pathOf(kind, 'a'), withoutVersion(created)), expected);
  });
});

describe('a PUT of an object that does not exist', () => {
  test.for(['Service', 'Endpoints', 'Event', 'Lease'])('creates it for the kind %s', async (name, { ns }) => {
    const kind = kindNamed(name);
    const path = ns.pathOf(kind, 'a');
    const response = await put(ns, path, kind.minimal('a', ns.name));
    expect(response.status).toBe(201);
    expect((await ns.api.get(path)).text).toBe(response.text);
  });

  test.for([
    ['Pod', 'pods', ''],
    ['Node', 'nodes', ''],
    ['Namespace', 'namespaces', ''],
    ['EndpointSlice', 'endpointslices', 'discovery.k8s.io'],
    ['ConfigMap', 'configmaps', ''],
    ['Secret', 'secrets', ''],
    ['Deployment', 'deployments', 'apps'],
    ['ReplicaSet', 'replicasets', 'apps'],
    ['Job', 'jobs', 'batch'],
  ] satisfies [string, string, string][])(
    'is a 404 for the kind %s',
    async ([name, plural, group], { ns }) => {
      const kind = kindNamed(name);
      const objectName = `${ns.name}-x`;
      const response = await put(ns, ns.pathOf(kind, objectName), kind.minimal(objectName, ns.name));
      expectStatus(response, {
        code: 404,
        reason: 'NotFound',
        message: `${group === '' ? plural : `${plural}.${group}`} "${objectName}" not found`,
        details: { name: objectName, ...(group === '' ? {} : { group }), kind: plural },
      });
    },
  );
});

describe('an invalid PUT', () => {
  const bad = (message: string): ExpectedStatus => ({ code: 400, reason: 'BadRequest', message });
  const rows: [title: string, body: Manifest, expected: ExpectedStatus][] = [
    [
      'another name than the URL',
      configMap('b'),
      bad('the name of the object (b) does not match the name on the URL (a)'),
    ],
    [
      'no name',
      { metadata: {} },
      bad('the name of the object (a based on URL) was undeterminable: name must be provided'),
    ],
    [
      'another namespace than the URL',
      configMap('a', { metadata: { namespace: 'elsewhere' } }),
      bad('the namespace of the provided object does not match the namespace sent on the request'),
    ],
  ];
  test.for(rows)('is rejected: %s', async ([, body, expected], { ns }) => {
    await ns.create('configmaps', configMap('a'));
    expectStatus(await put(ns, ns.path('configmaps', 'a'), body), expected);
  });

  test('is a 409 with the message of the store for another uid', async ({ ns }) => {
    const { metadata } = await ns.create('configmaps', configMap('a'));
    const uid = 'aaaaaaaa-0000-4000-8000-000000000000';
    expectStatus(await put(ns, ns.path('configmaps', 'a'), configMap('a', { metadata: { uid } })), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/${ns.name}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('is rejected for immutable fields of a Pod', async ({ ns }) => {
    const created = await ns.create('pods', pod('a'));
    const response = await put(ns, ns.path('pods', 'a'), {
      ...created,
      spec: { ...created.spec, restartPolicy: 'Never' },
    });
    expect(response.status).toBe(422);
    expect(response.json).toMatchObject({
      reason: 'Invalid',
      message: expect.stringMatching(
        /^Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than /,
      ),
      details: { name: 'a', kind: 'Pod', causes: [{ reason: 'FieldValueForbidden', field: 'spec' }] },
    });
  });
});

describe('generation', () => {
  test('increases with the spec, not with metadata or status', async ({ ns }) => {
    const created = await ns.create('deployments', deployment('a'));
    const path = ns.path('deployments', 'a', 'apps/v1');
    expect(created.metadata.generation).toBe(1);
    expect((await ns.change(path, { metadata: { labels: { l: '1' } } })).metadata.generation).toBe(1);
    expect((await ns.change(`${path}/status`, { status: { replicas: 1 } })).metadata.generation).toBe(1);
    expect((await ns.change(path, { spec: { replicas: 3 } })).metadata.generation).toBe(2);
    expect((await ns.change(path, { spec: { replicas: 3 } })).metadata.generation).toBe(2);
    expect((await ns.change(path, { metadata: { generation: 9 } })).metadata.generation).toBe(2);
  });

  test.for(['Pod', 'EndpointSlice', 'Deployment', 'ReplicaSet', 'Job'])(
    'is 1 in a new %s',
    async (name, { ns, minor }) => {
      const expected = name === 'Pod' ? podGeneration(minor, 1) : 1;
      expect((await ns.createKind(kindNamed(name), 'a')).metadata.generation).toBe(expected);
    },
  );

  test.for(['Node', 'Namespace', 'Service', 'Endpoints', 'ConfigMap', 'Secret', 'Event', 'Lease'])(
    'does not exist in %s',
    async (name, { ns }) => {
      const { metadata } = await ns.createKind(kindNamed(name), `${ns.name}-x`);
      expect(metadata).not.toHaveProperty('generation');
    },
  );
});

describe('generation of a few kinds', () => {
  test('of a Deployment increases with annotations too, but not through its status', async ({ ns }) => {
    await ns.createKind(kindNamed('Deployment'), 'a');
    const path = ns.path('deployments', 'a', 'apps/v1');
    const annotated = await ns.change(path, { metadata: { annotations: { x: '1' } } });
    expect(annotated.metadata.generation).toBe(2);
    const observed = await ns.change(`${path}/status`, { metadata: { annotations: { x: '2' } } });
    expect(observed.metadata).toMatchObject({ annotations: { x: '2' }, generation: 2 });
  });

  test('of an EndpointSlice increases with its labels too', async ({ ns }) => {
    await ns.createKind(kindNamed('EndpointSlice'), 'a');
    const path = ns.path('endpointslices', 'a', 'discovery.k8s.io/v1');
    expect((await ns.change(path, { metadata: { labels: { x: '1' } } })).metadata.generation).toBe(2);
    expect((await ns.change(path, { metadata: { annotations: { x: '1' } } })).metadata.generation).toBe(2);
    expect((await ns.change(path, { ports: [{ port: 80 }] })).metadata.generation).toBe(3);
  });
});

describe('an empty value', () => {
  test('changes nothing, whether list or map', async ({ ns }) => {
    const before = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const empty = { metadata: { finalizers: [], labels: {} }, binaryData: {} };
    expect(await ns.change(ns.path('configmaps', 'a'), empty)).toEqual(before);
  });

  test('of a namespace is removed from cluster-scoped objects', async ({ ns }) => {
    const path = ns.pathOf(kindNamed('Node'), ns.name);
    const body = { metadata: { name: ns.name, namespace: 'x' } };
    const created = await ns.api.request('POST', '/api/v1/nodes', { body });
    expect(created.status).toBe(201);
    expect(created.json.metadata).not.toHaveProperty('namespace');
    expect((await ns.api.request('PUT', path, { body })).status).toBe(200);
  });
});

describe('revisions', () => {
  test('increase with every write, over all kinds', async ({ ns }) => {
    const seen: bigint[] = [];
    for (const name of ['ConfigMap', 'Secret', 'Lease', 'Pod', 'ConfigMap']) {
      const created = await ns.createKind(kindNamed(name), `x${seen.length}`);
      seen.push(BigInt(created.metadata.resourceVersion));
    }
    for (let i = 1; i < seen.length; i += 1) expect(seen[i]).toBeGreaterThan(seen[i - 1]!);
    const list = await ns.api.get(ns.path('configmaps'));
    expect(BigInt(list.json.metadata.resourceVersion)).toBeGreaterThanOrEqual(seen.at(-1)!);
  });
});
