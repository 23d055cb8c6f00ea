/** The status subresource: what goes through it and what does not. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { expectStatus } from '../harness/expect-status.js';
import { deployment, kindNamed, pod } from '../harness/objects.js';

describe('through /status', () => {
  test('a PUT changes the status and leaves the spec', async ({ ns }) => {
    const path = ns.path('deployments', 'a', 'apps/v1');
    const created = await ns.create('deployments', deployment('a'));
    const body = { ...created, spec: { ...created.spec, replicas: 9 }, status: { replicas: 3 } };
    const response = await ns.api.request('PUT', `${path}/status`, { body });
    expect(response.status).toBe(200);
    expect(response.json.spec).toEqual(created.spec);
    expect(response.json.status).toEqual({ replicas: 3 });
    expect(response.json.metadata.generation).toBe(1);
    expect(response.text).toBe((await ns.api.get(path)).text);
  });

  test('a PATCH changes the status and leaves the spec', async ({ ns }) => {
    const created = await ns.create('pods', pod('a'));
    const changed = await ns.change(`${ns.path('pods', 'a')}/status`, {
      spec: { nodeName: 'n1' },
      status: { phase: 'Running' },
    });
    expect(changed.spec).toEqual(created.spec);
    expect(changed.status).toEqual({ phase: 'Running', qosClass: 'BestEffort' });
  });

  test('a GET returns the complete object', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const path = ns.path('pods', 'a');
    expect((await ns.api.get(`${path}/status`)).text).toBe((await ns.api.get(path)).text);
  });

  test('a write with a stale resourceVersion is a 409', async ({ ns }) => {
    const path = ns.path('pods', 'a');
    const created = await ns.create('pods', pod('a'));
    await ns.change(`${path}/status`, { status: { phase: 'Running' } });
    const body = { ...created, status: { phase: 'Failed' } };
    expectStatus(await ns.api.request('PUT', `${path}/status`, { body }), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'pods' },
    });
  });

  test('a write that changes nothing keeps the resourceVersion', async ({ ns }) => {
    const path = ns.path('pods', 'a');
    const created = await ns.create('pods', pod('a'));
    const same = await ns.change(`${path}/status`, { status: { phase: 'Pending' } });
    expect(same).toEqual(created);
  });

  test('the writer is recorded with its subresource', async ({ ns }) => {
    await ns.create('pods', pod('a'));
    const response = await ns.api.request('PATCH', `${ns.path('pods', 'a')}/status`, {
      body: { status: { phase: 'Running' } },
      headers: { 'Content-Type': 'application/merge-patch+json', 'User-Agent': 'kubelet/v1.36' },
    });
    const entry = response.json.metadata.managedFields?.find(({ manager }) => manager === 'kubelet');
    expect(Object.keys(entry ?? {})).toEqual([
      'manager',
      'operation',
      'apiVersion',
      'time',
      'fieldsType',
      'fieldsV1',
      'subresource',
    ]);
    expect(entry).toMatchObject({
      operation: 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:phase': {} } },
    });
  });

  test.for(['Pod', 'Node', 'Namespace', 'Service', 'ReplicaSet', 'Job'])(
    'labels and annotations of %s change too',
    async (name, { ns }) => {
      const kind = kindNamed(name);
      const objectName = `${ns.name}-x`;
      await ns.createKind(kind, objectName);
      const metadata = { labels: { l: '1' }, annotations: { n: '1' } };
      const changed = await ns.change(`${ns.pathOf(kind, objectName)}/status`, { metadata });
      expect(changed.metadata).toMatchObject(metadata);
    },
  );

  test('annotations of a Deployment change, labels do not', async ({ ns }) => {
    await ns.create('deployments', deployment('a'));
    const changed = await ns.change(`${ns.path('deployments', 'a', 'apps/v1')}/status`, {
      metadata: { labels: { l: '1' }, annotations: { n: '1' } },
    });
    expect(changed.metadata.annotations).toEqual({ n: '1' });
    expect(changed.metadata).not.toHaveProperty('labels');
  });

  test('neither metadata nor spec of a custom resource change', async ({ ns, widgets }) => {
    const path = widgets.pathIn(ns, 'w');
    const created = await ns.createAt(widgets.pathIn(ns), widgets.widget('w', { spec: { color: 'red' } }));
    const changed = await ns.change(`${path}/status`, {
      metadata: { labels: { l: '1' } },
      spec: { color: 'blue' },
      status: { ready: true },
    });
    expect(changed.status).toEqual({ ready: true });
    expect(changed.spec).toEqual(created.spec);
    expect(changed.metadata).not.toHaveProperty('labels');
    expect(changed.metadata.generation).toBe(1);
  });
});

describe('on the main endpoint', () => {
  test('a write keeps the status', async ({ ns }) => {
    const path = ns.path('deployments', 'a', 'apps/v1');
    const created = await ns.create('deployments', deployment('a'));
    const body = { ...created, spec: { ...created.spec, replicas: 2 }, status: { replicas: 7 } };
    const response = await ns.api.request('PUT', path, { body });
    expect(response.json.spec).toMatchObject({ replicas: 2 });
    expect(response.json.status).toEqual({});
  });

  test('a write of a custom resource keeps the status', async ({ ns, widgets }) => {
    const path = widgets.pathIn(ns, 'w');
    const created = await ns.createAt(widgets.pathIn(ns), widgets.widget('w', { status: { ready: true } }));
    expect(created).not.toHaveProperty('status');
    await ns.change(`${path}/status`, { status: { ready: true } });
    const changed = await ns.change(path, { spec: { color: 'red' }, status: { ready: false } });
    expect(changed.status).toEqual({ ready: true });
    expect(changed.spec).toMatchObject({ color: 'red' });
  });

  test('a write of only the status changes nothing', async ({ ns }) => {
    const created = await ns.create('pods', pod('a'));
    const same = await ns.change(ns.path('pods', 'a'), { status: { phase: 'Running' } });
    expect(same).toEqual(created);
  });
});

describe('for kinds without /status', () => {
  test.for(['Endpoints', 'EndpointSlice', 'ConfigMap', 'Secret', 'Event', 'Lease'])(
    '%s: 404',
    async (name, { ns }) => {
      const kind = kindNamed(name);
      await ns.createKind(kind, 'a');
      expectStatus(await ns.api.get(`${ns.pathOf(kind, 'a')}/status`), {
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        details: {},
      });
    },
  );
});
