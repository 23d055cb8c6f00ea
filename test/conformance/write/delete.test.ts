/** DELETE: what it answers, what holds it up, what is refused. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import type { RequestOptions } from '../harness/client.js';
import {
  type ExpectedStatus,
  expectStatus,
  forbidden,
  invalid,
  invalidOptions,
  repeatedBefore37,
} from '../harness/expect-status.js';
import { goJson } from '../harness/json-text.js';
import { configMap, kindNamed, pod } from '../harness/objects.js';
import { schemeName, undecodableOptions } from '../harness/versions.js';

const HOLD = { metadata: { finalizers: ['kubeflect.dev/hold'] } };
const STRANGER = 'aaaaaaaa-0000-4000-8000-000000000000';

describe('the response to a DELETE', () => {
  test.for([
    ['Node', ''],
    ['Endpoints', ''],
    ['EndpointSlice', 'discovery.k8s.io'],
    ['ConfigMap', ''],
    ['Secret', ''],
    ['Event', ''],
    ['Lease', 'coordination.k8s.io'],
    ['Deployment', 'apps'],
    ['ReplicaSet', 'apps'],
    ['Job', 'batch'],
  ] satisfies [string, string][])('for %s is a Status', async ([name, group], { ns }) => {
    const kind = kindNamed(name);
    const objectName = `${ns.name}-x`;
    const { metadata } = await ns.createKind(kind, objectName);
    const path = ns.pathOf(kind, objectName);
    const response = await ns.delete(path, { query: { propagationPolicy: 'Background' } });
    expect(response.status).toBe(200);
    expect(response.text).toBe(
      `${goJson({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: {
          name: objectName,
          ...(group === '' ? {} : { group }),
          kind: kind.plural,
          uid: metadata.uid,
        },
      })}\n`,
    );
    expect((await ns.api.get(path)).status).toBe(404);
  });

  test.for(['Pod', 'Service'])(
    'for %s is the object, under the revision of its deletion',
    async (name, { ns }) => {
      const kind = kindNamed(name);
      const created = await ns.createKind(kind, 'a');
      const response = await ns.delete(ns.pathOf(kind, 'a'));
      expect(response.status).toBe(200);
      expect(response.json).toMatchObject({ kind: name, metadata: { name: 'a', uid: created.metadata.uid } });
      expect(BigInt(response.json.metadata.resourceVersion)).toBeGreaterThan(
        BigInt(created.metadata.resourceVersion),
      );
      expect((await ns.api.get(ns.pathOf(kind, 'a'))).status).toBe(404);
    },
  );

  test('for an object with a finalizer is the object with deletionTimestamp', async ({ ns }) => {
    const created = await ns.create('configmaps', configMap('a', HOLD));
    const response = await ns.delete(ns.path('configmaps', 'a'));
    const { deletionTimestamp, resourceVersion } = response.json.metadata;
    expect(response.status).toBe(200);
    expect(response.json).toEqual({
      ...created,
      metadata: { ...created.metadata, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds: 0 },
    });
    expect(response.text).toBe((await ns.api.get(ns.path('configmaps', 'a'))).text);
  });

  test('for an object that does not exist is a 404', async ({ ns }) => {
    expectStatus(await ns.delete(ns.path('deployments', 'nope', 'apps/v1')), {
      code: 404,
      reason: 'NotFound',
      message: 'deployments.apps "nope" not found',
      details: { name: 'nope', group: 'apps', kind: 'deployments' },
    });
  });

  test('for a Job without a policy keeps it for the garbage collector, with a warning', async ({ ns }) => {
    const job = kindNamed('Job');
    await ns.createKind(job, 'a');
    const response = await ns.delete(ns.pathOf(job, 'a'));
    expect(response.headers['warning']).toBe(
      '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"',
    );
    expect(response.json).toMatchObject({ kind: 'Job', metadata: { finalizers: ['orphan'], generation: 2 } });
  });

  test('with dryRun=All is the same, and nothing is deleted', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const response = await ns.delete(ns.path('configmaps', 'a'), { query: { dryRun: 'All' } });
    expect(response.json).toMatchObject({ kind: 'Status', status: 'Success' });
    expect((await ns.api.get(ns.path('configmaps', 'a'))).status).toBe(200);
  });

  test('of a Service deletes its Endpoints, too, up to 1.36', async ({ ns, minor }) => {
    await ns.createKind(kindNamed('Service'), 'a');
    await ns.createKind(kindNamed('Endpoints'), 'a');
    await ns.delete(ns.path('services', 'a'));
    expect((await ns.api.get(ns.path('endpoints', 'a'))).status).toBe(minor < 37 ? 404 : 200);
  });
});

describe('finalizers', () => {
  test('keep the object; a second DELETE changes nothing', async ({ ns }) => {
    const path = ns.path('configmaps', 'a');
    await ns.create('configmaps', configMap('a', HOLD));
    const first = await ns.delete(path);
    const second = await ns.delete(path);
    expect(second.text).toBe(first.text);
  });

  test('remove the object with the last of them', async ({ ns }) => {
    const path = ns.path('configmaps', 'a');
    await ns.create('configmaps', configMap('a', HOLD));
    const marked = (await ns.delete(path)).json;
    const response = await ns.patch(path, { metadata: { finalizers: null } });
    expect(response.status).toBe(200);
    expect(response.json.metadata.resourceVersion).toBe(marked.metadata.resourceVersion);
    expect(response.json.metadata).not.toHaveProperty('finalizers');
    expect((await ns.api.get(path)).status).toBe(404);
  });

  test('keep the object until the last is removed', async ({ ns }) => {
    const path = ns.path('configmaps', 'a');
    await ns.create(
      'configmaps',
      configMap('a', { metadata: { finalizers: ['kubeflect.dev/x', 'kubeflect.dev/y'] } }),
    );
    await ns.delete(path);
    await ns.change(path, { metadata: { finalizers: ['kubeflect.dev/y'] } });
    expect((await ns.api.get(path)).status).toBe(200);
  });

  test('cannot be added during deletion', async ({ ns, minor }) => {
    const path = ns.path('configmaps', 'a');
    await ns.create('configmaps', configMap('a', HOLD));
    await ns.delete(path);
    const finalizers = ['kubeflect.dev/hold', 'kubeflect.dev/more'];
    expectStatus(
      await ns.patch(path, { metadata: { finalizers } }),
      repeatedBefore37(
        minor,
        invalid('ConfigMap', '', 'a', [
          forbidden(
            'metadata.finalizers',
            'no new finalizers can be added if the object is being deleted, found new finalizers []string{"kubeflect.dev/more"}',
          ),
        ]),
      ),
    );
  });

  test('do not prevent other changes', async ({ ns }) => {
    const path = ns.path('configmaps', 'a');
    await ns.create('configmaps', configMap('a', HOLD));
    const marked = (await ns.delete(path)).json;
    const changed = await ns.change(path, { data: { k: '1' }, metadata: { deletionTimestamp: null } });
    expect(changed.data).toEqual({ k: '1' });
    expect(changed.metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
  });

  test.for([
    ['Orphan', 'orphan'],
    ['Foreground', 'foregroundDeletion'],
  ] satisfies [string, string][])(
    'propagationPolicy=%s leaves one for the garbage collector',
    async ([policy, finalizer], { ns }) => {
      await ns.create('configmaps', configMap('a'));
      const response = await ns.delete(ns.path('configmaps', 'a'), { query: { propagationPolicy: policy } });
      expect(response.json.metadata).toMatchObject({
        finalizers: [finalizer],
        deletionTimestamp: expect.any(String),
        deletionGracePeriodSeconds: 0,
      });
    },
  );
});

describe('DeleteOptions', () => {
  test('may have preconditions that hold', async ({ ns }) => {
    const { uid, resourceVersion } = (await ns.create('configmaps', configMap('a'))).metadata;
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid, resourceVersion } };
    expect((await ns.delete(ns.path('configmaps', 'a'), { body })).status).toBe(200);
  });

  test('are a 409 with another uid', async ({ ns }) => {
    const { uid } = (await ns.create('configmaps', configMap('a'))).metadata;
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: STRANGER } };
    expectStatus(await ns.delete(ns.path('configmaps', 'a'), { body }), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (${STRANGER}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      details: { name: 'a', kind: 'ConfigMap' },
    });
  });

  test('are a 409 with another resourceVersion', async ({ ns }) => {
    const { resourceVersion } = (await ns.create('configmaps', configMap('a'))).metadata;
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { resourceVersion: '1' } };
    expectStatus(await ns.delete(ns.path('configmaps', 'a'), { body }), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      details: { name: 'a', kind: 'ConfigMap' },
    });
  });

  test('in the body take precedence over the query', async ({ ns }) => {
    await ns.create('pods', pod('a', { spec: { nodeName: 'n1' } }));
    const response = await ns.delete(ns.path('pods', 'a'), {
      query: { gracePeriodSeconds: 5 },
      body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 20 },
    });
    expect(response.json.metadata.deletionGracePeriodSeconds).toBe(20);
  });

  const bad = (message: string): ExpectedStatus => ({ code: 400, reason: 'BadRequest', message });
  const rows: [title: string, options: RequestOptions, expected: ExpectedStatus][] = [
    [
      'an unknown policy',
      { query: { propagationPolicy: 'Foo' } },
      invalidOptions('DeleteOptions', [
        {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
          field: 'propagationPolicy',
        },
      ]),
    ],
    [
      'policy and orphanDependents',
      { body: { propagationPolicy: 'Orphan', orphanDependents: true } },
      invalidOptions('DeleteOptions', [
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
          field: 'propagationPolicy',
        },
      ]),
    ],
    [
      'gracePeriodSeconds that is no number',
      { query: { gracePeriodSeconds: 'x' } },
      bad('strconv.ParseInt: parsing "x": invalid syntax'),
    ],
  ];
  test('are rejected: a body that is no JSON', async ({ ns, minor }) => {
    await ns.create('configmaps', configMap('a'));
    const message =
      "couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string";
    expectStatus(
      await ns.delete(ns.path('configmaps', 'a'), { body: '{nope' }),
      undecodableOptions(minor, message),
    );
  });

  test('are rejected: a body of another kind', async ({ ns, minor }) => {
    await ns.create('configmaps', configMap('a'));
    const body = { kind: 'Pod', apiVersion: 'v1' };
    const message = `no kind "Pod" is registered for version "v1" in scheme "${schemeName(minor)}"`;
    expectStatus(await ns.delete(ns.path('configmaps', 'a'), { body }), undecodableOptions(minor, message));
  });

  test.for(rows)('are rejected: %s', async ([, options, expected], { ns }) => {
    await ns.create('configmaps', configMap('a'));
    expectStatus(await ns.delete(ns.path('configmaps', 'a'), options), expected);
  });
});

describe('deletecollection', () => {
  test('returns the list of deleted objects, as they were', async ({ ns }) => {
    const created = [];
    for (const name of ['b', 'a']) created.unshift(await ns.create('configmaps', configMap(name)));
    const response = await ns.delete(ns.path('configmaps'));
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(response.json.items).toEqual(created.map(({ kind: _, apiVersion: __, ...item }) => item));
    expect((await ns.api.get(ns.path('configmaps'))).json.items).toEqual([]);
  });

  test('accepts selectors', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { metadata: { labels: { l: '1' } } }));
    await ns.create('configmaps', configMap('b'));
    await ns.create('configmaps', configMap('c'));
    await ns.delete(ns.path('configmaps'), { query: { labelSelector: 'l=1' } });
    await ns.delete(ns.path('configmaps'), { query: { fieldSelector: 'metadata.name=b' } });
    const left = (await ns.api.get(ns.path('configmaps'))).json.items;
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });

  test('returns an empty list if there are no objects', async ({ ns }) => {
    const response = await ns.delete(ns.path('configmaps'));
    expect(response.status).toBe(200);
    expect(response.json.items).toEqual([]);
  });

  test('is a 405 over all namespaces', async ({ api }) => {
    expectStatus(await api.request('DELETE', '/api/v1/configmaps'), {
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
      details: {},
    });
  });
});
