/** The scale subresource of workloads and of custom resources. */

import { describe, expect } from 'vitest';
import { accepted, apply, conflict, owners } from '../harness/apply.js';
import { test } from '../harness/case.js';
import type { ApiResponse, Query } from '../harness/client.js';
import { type ExpectedStatus, expectStatus, invalid } from '../harness/expect-status.js';
import { deployment, type KubeObject, kindNamed, type Manifest } from '../harness/objects.js';
import { JSON_PATCH, MERGE_PATCH, type Sandbox, STRATEGIC_PATCH } from '../harness/sandbox.js';

const scale = (replicas: number, metadata: Manifest = {}): Manifest => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a', ...metadata },
  spec: { replicas },
});

async function seed(ns: Sandbox, spec: Manifest = {}): Promise<string> {
  await ns.create('deployments', deployment('a', { spec: { replicas: 2, ...spec } }));
  return `${ns.path('deployments', 'a', 'apps/v1')}/scale`;
}

function put(ns: Sandbox, path: string, body: unknown, query: Query = {}): Promise<ApiResponse> {
  return ns.api.request('PUT', path, { body, query });
}

function workload(ns: Sandbox): Promise<KubeObject> {
  return ns.api.get(ns.path('deployments', 'a', 'apps/v1')).then(({ json }) => json);
}

/** Who owns the replicas, with what it does to own them. */
function replicaOwners(object: KubeObject): string[] {
  return owners(object)
    .filter(([, fields]) => JSON.stringify(fields).includes('"f:replicas"'))
    .map(([owner]) => owner);
}

describe('the scale of a Deployment', () => {
  test('has the desired and actual replicas, and the selector as a string', async ({ ns }) => {
    const path = await seed(ns, {
      selector: {
        matchLabels: { b: 'y', app: 'x' },
        matchExpressions: [
          { key: 'c', operator: 'In', values: ['2', '1'] },
          { key: 'd', operator: 'Exists' },
          { key: 'e', operator: 'NotIn', values: ['1'] },
          { key: 'f', operator: 'DoesNotExist' },
        ],
      },
      template: {
        metadata: { labels: { app: 'x', b: 'y', c: '1', d: '' } },
        spec: { containers: [{ name: 'main', image: 'i:1' }] },
      },
    });
    const { uid, resourceVersion, creationTimestamp } = (await workload(ns)).metadata;
    const metadata = { name: 'a', namespace: ns.name, uid, resourceVersion, creationTimestamp };
    expect((await ns.api.get(path)).text).toBe(
      `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":${JSON.stringify(metadata)},"spec":{"replicas":2},"status":{"replicas":0,"selector":"app=x,b=y,c in (1,2),d,e notin (1),!f"}}\n`,
    );
  });

  const patches: [string, string, unknown][] = [
    ['merge', MERGE_PATCH, { spec: { replicas: 3 } }],
    ['strategic', STRATEGIC_PATCH, { spec: { replicas: 3 } }],
    ['JSON', JSON_PATCH, [{ op: 'replace', path: '/spec/replicas', value: 3 }]],
  ];
  test.for(patches)('is changed by a %s patch', async ([, type, patch], { ns }) => {
    const path = await seed(ns);
    const response = await ns.patch(path, patch, { type });
    expect(response.json).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    const { spec, metadata } = await workload(ns);
    expect(spec).toMatchObject({ replicas: 3 });
    expect(metadata.generation).toBe(2);
    expect(metadata.resourceVersion).toBe(response.json.metadata.resourceVersion);
  });

  test('is changed by a PUT, with a type or without', async ({ ns }) => {
    const path = await seed(ns);
    expect((await put(ns, path, scale(4))).json.spec).toEqual({ replicas: 4 });
    expect((await put(ns, path, { metadata: { name: 'a' }, spec: { replicas: 5 } })).status).toBe(200);
    expect((await workload(ns)).spec).toMatchObject({ replicas: 5 });
    expect((await put(ns, path, { metadata: { name: 'a' } })).json.spec).toEqual({});
    expect((await workload(ns)).spec).toMatchObject({ replicas: 0 });
  });

  test('ignores all other fields', async ({ ns }) => {
    const path = await seed(ns);
    const before = await workload(ns);
    const patch = { metadata: { labels: { x: 'y' } }, status: { replicas: 9, selector: 'z' } };
    expect((await ns.patch(path, patch)).json.status).toEqual({ replicas: 0, selector: 'app=x' });
    const { spec, status, metadata } = await workload(ns);
    expect({ spec, status }).toEqual({ spec: before.spec, status: before.status });
    expect(metadata).not.toHaveProperty('labels');
  });

  test('makes the writer the manager of replicas, with the subresource', async ({ ns }) => {
    const path = await seed(ns);
    await ns.patch(path, { spec: { replicas: 3 } }, { query: { fieldManager: 'scaler' } });
    const scaled = await workload(ns);
    expect(replicaOwners(scaled)).toEqual(['scaler Update scale']);
    expect(scaled.metadata.managedFields?.[0]).toEqual({
      manager: 'scaler',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    });
    await put(ns, path, scale(3), { fieldManager: 'other' });
    expect(replicaOwners(await workload(ns))).toEqual(['scaler Update scale']);
    await put(ns, path, scale(4), { fieldManager: 'other' });
    expect(replicaOwners(await workload(ns))).toEqual(['other Update scale']);
  });

  test('can be applied; it conflicts with appliers of the Deployment', async ({ ns }) => {
    const path = await seed(ns);
    const refused = await apply(ns, path, scale(3));
    expectStatus(refused, conflict(['"conformance" using autoscaling/v1', '.spec.replicas']));
    accepted(await apply(ns, path, scale(3), { force: true }));
    expect(replicaOwners(await workload(ns))).toEqual(['me Apply scale']);
    const body = deployment('a', { spec: { replicas: 5 } });
    expectStatus(
      await apply(ns, ns.path('deployments', 'a', 'apps/v1'), body, { fieldManager: 'other' }),
      conflict(['"me" with subresource "scale"', '.spec.replicas']),
    );
  });

  test('that stays the same keeps the resourceVersion', async ({ ns }) => {
    const path = await seed(ns);
    await ns.patch(path, { spec: { replicas: 3 } }, { query: { fieldManager: 'scaler' } });
    const before = await workload(ns);
    expect((await put(ns, path, scale(3))).status).toBe(200);
    expect((await ns.patch(path, {})).status).toBe(200);
    expect(await workload(ns)).toEqual(before);
  });

  test('with dryRun=All is returned and not stored', async ({ ns }) => {
    const path = await seed(ns);
    const response = await ns.patch(path, { spec: { replicas: 8 } }, { query: { dryRun: 'All' } });
    expect(response.json.spec).toEqual({ replicas: 8 });
    expect((await workload(ns)).spec).toMatchObject({ replicas: 2 });
  });

  test('with a stale resourceVersion is a 409 of the Deployment', async ({ ns }) => {
    const path = await seed(ns);
    const stale = {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on deployments.apps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', group: 'apps', kind: 'deployments' },
    };
    expectStatus(await put(ns, path, scale(3, { resourceVersion: '1' })), stale);
    expectStatus(await ns.patch(path, { metadata: { resourceVersion: '1' }, spec: { replicas: 3 } }), stale);
  });

  test('with another uid is a 409, with different messages for PUT and PATCH', async ({ ns }) => {
    const path = await seed(ns);
    const { uid } = (await workload(ns)).metadata;
    expectStatus(await put(ns, path, scale(3, { uid: 'x' })), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on deployments.apps "a": StorageError: invalid object, Code: 4, Key: /registry/deployments/${ns.name}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ${uid}`,
      details: { name: 'a', group: 'apps', kind: 'deployments' },
    });
    expectStatus(await ns.patch(path, { metadata: { uid: 'x' } }), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on deployments/scale.apps "a": Precondition failed: UID in precondition: x, UID in object meta: ${uid}`,
      details: { name: 'a', group: 'apps', kind: 'deployments/scale' },
    });
  });

  test('of negative replicas is a 422', async ({ ns }) => {
    const path = await seed(ns);
    const cause = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: -1: must be greater than or equal to 0',
      field: 'spec.replicas',
    };
    expectStatus(await put(ns, path, scale(-1)), invalid('Scale', 'autoscaling', 'a', [cause]));
  });

  const refused: [string, Manifest, string][] = [
    [
      'without a name',
      { spec: { replicas: 3 } },
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    [
      'of another name',
      scale(3, { name: 'b' }),
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'of another kind',
      deployment('a'),
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    ],
    [
      'that is no number',
      { ...scale(3), spec: { replicas: '3' } },
      'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
    ],
  ];
  test.for(refused)('%s is a 400', async ([, body, message], { ns }) => {
    const path = await seed(ns);
    expectStatus(await put(ns, path, body), { code: 400, reason: 'BadRequest', message });
  });

  test('of a missing Deployment is a 404 of the Deployment, and for a GET up to 1.32 of its scale', async ({
    ns,
    minor,
  }) => {
    const path = `${ns.path('deployments', 'a', 'apps/v1')}/scale`;
    const notFound = (resource: string): ExpectedStatus => ({
      code: 404,
      reason: 'NotFound',
      message: `${resource}.apps "a" not found`,
      details: { name: 'a', group: 'apps', kind: resource },
    });
    const missing = notFound('deployments');
    expectStatus(await ns.api.get(path), minor < 33 ? notFound('deployments/scale') : missing);
    expectStatus(await put(ns, path, scale(3)), missing);
    expectStatus(await ns.patch(path, { spec: { replicas: 3 } }), missing);
    expectStatus(await apply(ns, path, scale(3)), missing);
  });
});

test('the scale of a ReplicaSet is the same', async ({ ns }) => {
  await ns.createKind(kindNamed('ReplicaSet'), 'a');
  const path = ns.path('replicasets', 'a', 'apps/v1');
  const { json } = await ns.patch(`${path}/scale`, { spec: { replicas: 3 } });
  expect(json).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 0, selector: 'app=x' } });
  expect((await ns.api.get(path)).json.spec).toMatchObject({ replicas: 3 });
});

describe('the scale of a custom resource', () => {
  test('is at the paths of its definition', async ({ ns, widgets }) => {
    const path = widgets.pathIn(ns, 'w');
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w', { spec: { replicas: 2 } }));
    await ns.change(`${path}/status`, { status: { replicas: 1, selector: 'a=b' } });
    expect((await ns.api.get(`${path}/scale`)).json).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    const body = { metadata: { name: 'w' }, spec: { replicas: 4 } };
    expect((await put(ns, `${path}/scale`, body)).json.spec).toEqual({ replicas: 4 });
    expect((await ns.patch(`${path}/scale`, { spec: { replicas: 5 } })).json.spec).toEqual({ replicas: 5 });
    expect((await ns.api.get(path)).json.spec).toEqual({ mode: 'auto', replicas: 5 });
  });

  test('without replicas is an error to read, and can be written', async ({ ns, widgets }) => {
    const path = `${widgets.pathIn(ns, 'w')}/scale`;
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const message = 'the spec replicas field ".spec.replicas" does not exist';
    expectStatus(await ns.api.get(path), {
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    });
    expectStatus(await ns.patch(path, { metadata: { labels: { x: 'y' } } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the spec replicas field ".spec.replicas" cannot be empty',
    });
    expect((await ns.patch(path, { spec: { replicas: 3 } })).json.spec).toEqual({ replicas: 3 });
  });

  test('supports no strategic merge patch, and negative replicas are a 422', async ({ ns, widgets }) => {
    const path = `${widgets.pathIn(ns, 'w')}/scale`;
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w', { spec: { replicas: 2 } }));
    const strategic = await ns.patch(path, { spec: { replicas: 3 } }, { type: STRATEGIC_PATCH });
    expect(strategic.json).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    const cause = {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: -1: should be a non-negative integer',
      field: '.spec.replicas',
    };
    expectStatus(
      await ns.patch(path, { spec: { replicas: -1 } }),
      invalid('Widget', widgets.group, 'w', [cause]),
    );
  });
});
