/** Server-side apply: who owns what, and who wins. */

import { describe, expect } from 'vitest';
import { accepted, apply, applyData, changeAs, conflict, type Data, owners } from '../harness/apply.js';
import { test } from '../harness/case.js';
import { expectStatus, invalid } from '../harness/expect-status.js';
import { configMap, deployment, type KubeObject, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';

describe('an apply that creates the object', () => {
  test('is a 201; the manager owns the applied fields, not their parents', async ({ ns }) => {
    const body = configMap('a', {
      metadata: { labels: { x: '1' }, annotations: { y: '2' }, finalizers: ['kubeflect.dev/x'] },
      data: { k: '1' },
    });
    const response = await apply(ns, ns.path('configmaps', 'a'), body);
    expect(response.status).toBe(201);
    expect(response.json.metadata.managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        time: response.json.metadata.creationTimestamp,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:data': { 'f:k': {} },
          'f:metadata': {
            'f:annotations': { 'f:y': {} },
            'f:finalizers': { 'v:"kubeflect.dev/x"': {} },
            'f:labels': { 'f:x': {} },
          },
        },
      },
    ]);
    expect(response.text).toBe((await ns.api.get(ns.path('configmaps', 'a'))).text);
  });

  test('without fields has no manager; an empty map is owned, an empty list is not', async ({ ns }) => {
    const bare = await apply(ns, ns.path('configmaps', 'a'), configMap('a'));
    expect(bare.status).toBe(201);
    expect(bare.json.metadata).not.toHaveProperty('managedFields');
    const body = configMap('b', { metadata: { finalizers: [] }, data: {} });
    const empty = await apply(ns, ns.path('configmaps', 'b'), body);
    expect(owners(empty.json)).toEqual([['me Apply', { 'f:data': {} }]]);
    expect(empty.json).not.toHaveProperty('data');
  });

  test('owns no defaults, and no status', async ({ ns }) => {
    const body = { ...pod('a'), status: { phase: 'Running' } };
    const { json } = await apply(ns, ns.path('pods', 'a'), body);
    expect(json.status).toMatchObject({ phase: 'Pending' });
    expect(json.spec).toMatchObject({ restartPolicy: 'Always' });
    expect(owners(json)).toEqual([
      [
        'me Apply',
        { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } } } },
      ],
    ]);
  });

  test('identifies items by the default of a missing key', async ({ ns }) => {
    const spec = { ports: [{ port: 80, name: 'web' }] };
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec };
    const { json } = await apply(ns, ns.path('services', 'a'), body);
    const ports = { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } };
    expect(owners(json)).toEqual([['me Apply', { 'f:spec': { 'f:ports': ports } }]]);
  });

  test('with dryRun=All is a 201 and stores nothing', async ({ ns }) => {
    const path = ns.path('configmaps', 'a');
    const response = await apply(ns, path, configMap('a', { data: { k: '1' } }), { dryRun: 'All' });
    expect(response.status).toBe(201);
    expect(response.json.data).toEqual({ k: '1' });
    expect(response.json.metadata).not.toHaveProperty('resourceVersion');
    expect((await ns.api.get(path)).status).toBe(404);
  });

  test('ignores a resourceVersion', async ({ ns }) => {
    const body = configMap('a', { metadata: { resourceVersion: '1' } });
    expect((await apply(ns, ns.path('configmaps', 'a'), body)).status).toBe(201);
  });

  test('with a uid is a conflict', async ({ ns }) => {
    const body = configMap('a', { metadata: { uid: 'x' } });
    expectStatus(await apply(ns, ns.path('configmaps', 'a'), body), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid x, and no existing object was found',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('in a missing namespace is a 404', async ({ ns }) => {
    const path = ns.path('configmaps', 'a').replace(ns.name, 'kubeflect-none');
    expectStatus(await apply(ns, path, configMap('a')), {
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "kubeflect-none" not found',
      details: { name: 'kubeflect-none', kind: 'namespaces' },
    });
  });

  test('must be a valid object', async ({ ns }) => {
    const response = await apply(ns, ns.path('pods', 'a'), { ...pod('a'), spec: { containers: [] } });
    const cause = { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' };
    expectStatus(response, invalid('Pod', '', 'a', [cause]));
  });
});

describe('a repeated apply', () => {
  test('without changes changes nothing, not even the time', async ({ ns }) => {
    const first = await applyData(ns, { k: '1', l: '1' });
    expect(await applyData(ns, { k: '1', l: '1' })).toEqual(first);
  });

  test('removes fields that it no longer applies', async ({ ns }) => {
    await applyData(ns, { k: '1', l: '1' });
    const second = await applyData(ns, { l: '2', m: '3' });
    expect(second.data).toEqual({ l: '2', m: '3' });
    expect(owners(second)).toEqual([['me Apply', { 'f:data': { 'f:l': {}, 'f:m': {} } }]]);
  });

  test('keeps fields of other managers', async ({ ns }) => {
    await applyData(ns, { k: '1', l: '1' });
    await changeAs(ns, 'other', { data: { theirs: 'kept' } });
    const second = await applyData(ns, { l: '1' });
    expect(second.data).toEqual({ l: '1', theirs: 'kept' });
  });

  test('without fields removes all of its fields, and the manager', async ({ ns }) => {
    await applyData(ns, { k: '1' });
    const { json } = await apply(ns, ns.path('configmaps', 'a'), configMap('a'));
    expect(json).not.toHaveProperty('data');
    expect(json.metadata).not.toHaveProperty('managedFields');
  });

  test('that changes only labels keeps the generation', async ({ ns }) => {
    const path = ns.path('deployments', 'a', 'apps/v1');
    accepted(await apply(ns, path, deployment('a', { metadata: { labels: { x: '1' } } })));
    const { json } = await apply(ns, path, deployment('a'));
    expect(json.metadata).not.toHaveProperty('labels');
    expect(json.metadata.generation).toBe(1);
  });

  test('that changes the spec increments the generation', async ({ ns }) => {
    const path = ns.path('deployments', 'a', 'apps/v1');
    accepted(await apply(ns, path, deployment('a', { spec: { replicas: 2 } })));
    const { json } = await apply(ns, path, deployment('a', { spec: { replicas: 3 } }));
    expect(json.metadata.generation).toBe(2);
  });

  test('with dryRun=All returns the change and does not store it', async ({ ns }) => {
    await applyData(ns, { k: '1' });
    expect((await applyData(ns, { k: '2' }, { dryRun: 'All' })).data).toEqual({ k: '2' });
    expect((await ns.api.get(ns.path('configmaps', 'a'))).json.data).toEqual({ k: '1' });
  });
});

describe('two appliers', () => {
  test('share a field of the same value; the second has no time', async ({ ns }) => {
    await applyData(ns, { k: '1', l: '1' });
    const shared = await applyData(ns, { k: '1' }, { fieldManager: 'other' });
    expect(owners(shared)).toEqual([
      ['other Apply', { 'f:data': { 'f:k': {} } }],
      ['me Apply', { 'f:data': { 'f:k': {}, 'f:l': {} } }],
    ]);
    expect(shared.metadata.managedFields?.[0]).not.toHaveProperty('time');
    expect(await applyData(ns, { k: '1' }, { fieldManager: 'other' })).toEqual(shared);
  });

  test('must both stop applying a field before it is removed', async ({ ns }) => {
    await applyData(ns, { k: '1', l: '1' });
    await applyData(ns, { k: '1' }, { fieldManager: 'other' });
    const one = await applyData(ns, { l: '1' });
    expect(one.data).toEqual({ k: '1', l: '1' });
    const none = await applyData(ns, { m: '1' }, { fieldManager: 'other' });
    expect(none.data).toEqual({ l: '1', m: '1' });
  });

  test('conflict where their values differ', async ({ ns }) => {
    await applyData(ns, { k: '1', l: '1', m: '1' });
    const path = ns.path('configmaps', 'a');
    const one = await apply(ns, path, configMap('a', { data: { k: '2', m: '1' } }), {
      fieldManager: 'other',
    });
    expectStatus(one, conflict(['"me"', '.data.k']));
    const two = await apply(ns, path, configMap('a', { data: { l: '2', k: '2' } }), {
      fieldManager: 'other',
    });
    expectStatus(two, conflict(['"me"', '.data.k'], ['"me"', '.data.l']));
    expect((await ns.api.get(path)).json.data).toEqual({ k: '1', l: '1', m: '1' });
  });

  test('take over conflicting fields with force, and no others', async ({ ns }) => {
    await applyData(ns, { k: '1', l: '1' });
    const forced = await applyData(ns, { k: '2' }, { fieldManager: 'other', force: true });
    expect(forced.data).toEqual({ k: '2', l: '1' });
    expect(Object.fromEntries(owners(forced))).toEqual({
      'me Apply': { 'f:data': { 'f:l': {} } },
      'other Apply': { 'f:data': { 'f:k': {} } },
    });
  });
});

describe('an apply and an update', () => {
  test('conflict, which reports the updater with its version', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const response = await apply(ns, ns.path('configmaps', 'a'), configMap('a', { data: { k: '2' } }));
    expectStatus(response, conflict(['"conformance" using v1', '.data.k']));
  });

  test('of the same manager name are two managers', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const same = await applyData(ns, { k: '1' }, { fieldManager: 'conformance' });
    expect(owners(same)).toEqual([
      ['conformance Apply', { 'f:data': { 'f:k': {} } }],
      ['conformance Update', { 'f:data': { '.': {}, 'f:k': {} } }],
    ]);
    const other = await applyData(ns, { l: '1' }, { fieldManager: 'conformance' });
    expect(other.data).toEqual({ k: '1', l: '1' });
  });

  test('do not conflict if the update is last', async ({ ns }) => {
    await applyData(ns, { k: '1', l: '1' });
    const changed = await changeAs(ns, 'updater', { data: { k: '2' } });
    expect(owners(changed)).toEqual([
      ['me Apply', { 'f:data': { 'f:l': {} } }],
      ['updater Update', { 'f:data': { 'f:k': {} } }],
    ]);
    const response = await apply(ns, ns.path('configmaps', 'a'), configMap('a', { data: { k: '1' } }));
    expectStatus(response, conflict(['"updater" using v1', '.data.k']));
    const agreed = await applyData(ns, { k: '2' });
    expect(agreed.data).toEqual({ k: '2' });
  });

  test('are sorted by operation: Apply, then Update', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const applied = await applyData(ns, { z: '1' }, { fieldManager: 'zebra' });
    expect(owners(applied).map(([owner]) => owner)).toEqual(['zebra Apply', 'conformance Update']);
  });

  test('add a manager for the existing fields of an object without managers', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    await ns.change(ns.path('configmaps', 'a'), { metadata: { managedFields: [{}] } });
    const applied = await applyData(ns, { l: '1' });
    expect(owners(applied)).toEqual([
      ['me Apply', { 'f:data': { 'f:l': {} } }],
      ['before-first-apply Update', { 'f:data': { '.': {}, 'f:k': {} } }],
    ]);
    const response = await apply(ns, ns.path('configmaps', 'a'), configMap('a', { data: { k: '2' } }));
    expectStatus(response, conflict(['"before-first-apply" using v1', '.data.k']));
  });

  test('all succeed when sixty run concurrently', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const path = ns.path('configmaps', 'a');
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => [
        apply(ns, path, configMap('a', { data: { [`a${i}`]: '1' } }), { fieldManager: `m${i}` }),
        ns.patch(path, { data: { [`u${i}`]: '1' } }),
        ns.patch(path, { metadata: { labels: { [`l${i}`]: '1' } } }),
      ]).flat(),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Object.keys((await ns.api.get(path)).json.data ?? {})).toHaveLength(40);
  });
});

describe('an apply as kubectl, after client-side apply', () => {
  const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
  const applied = (data: Data): string => `${JSON.stringify(configMap('a', { data }))}\n`;
  const seed = (ns: Sandbox, data: Data): Promise<KubeObject> =>
    ns.create(
      'configmaps',
      configMap('a', { metadata: { annotations: { [LAST_APPLIED]: applied(data) } }, data }),
    );

  test('takes over the fields applied before, and keeps the annotation', async ({ ns }) => {
    await seed(ns, { k: '1' });
    const { data, metadata } = await applyData(ns, { k: '2' }, { fieldManager: 'kubectl' });
    expect(data).toEqual({ k: '2' });
    expect(metadata.annotations?.[LAST_APPLIED]).toBe(
      '{"apiVersion":"v1","data":{"k":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    );
  });

  test('conflicts with fields that were changed since', async ({ ns }) => {
    await seed(ns, { k: '1', l: '1' });
    await changeAs(ns, 'other', { data: { l: '2' } });
    const body = configMap('a', { data: { k: '3', l: '3' } });
    expectStatus(
      await apply(ns, ns.path('configmaps', 'a'), body, { fieldManager: 'kubectl' }),
      conflict(['"other" using v1', '.data.l']),
    );
  });

  test('needs force with any other manager', async ({ ns }) => {
    await seed(ns, { k: '1' });
    expectStatus(
      await apply(ns, ns.path('configmaps', 'a'), configMap('a', { data: { k: '2' } })),
      conflict(['"conformance" using v1', '.data.k']),
    );
  });
});
