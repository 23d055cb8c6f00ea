/** DELETE that takes time: pods with a grace period, namespaces with content. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import { expectStatus } from '../harness/expect-status.js';
import { configMap, pod } from '../harness/objects.js';
import { Sandbox } from '../harness/sandbox.js';
import { podGeneration } from '../harness/versions.js';

describe('deleted pods', () => {
  test('on a node stay for their grace period', async ({ ns, minor }) => {
    const path = ns.path('pods', 'a');
    await ns.create('pods', pod('a', { spec: { nodeName: 'n1' } }));
    const { metadata } = (await ns.delete(path)).json;
    expect(metadata.deletionGracePeriodSeconds).toBe(30);
    expect(metadata.generation).toBe(podGeneration(minor, 2));
    const graceMs = Date.parse(metadata.deletionTimestamp ?? '') - Date.now();
    expect(graceMs).toBeGreaterThan(20_000);
    expect(graceMs).toBeLessThan(40_000);
    expect((await ns.api.get(path)).status).toBe(200);
  });

  test('have the grace period of their spec, or of the request', async ({ ns }) => {
    await ns.create('pods', pod('a', { spec: { nodeName: 'n1', terminationGracePeriodSeconds: 7 } }));
    await ns.create('pods', pod('b', { spec: { nodeName: 'n1', terminationGracePeriodSeconds: 7 } }));
    const own = await ns.delete(ns.path('pods', 'a'));
    expect(own.json.metadata.deletionGracePeriodSeconds).toBe(7);
    const asked = await ns.delete(ns.path('pods', 'b'), { query: { gracePeriodSeconds: 11 } });
    expect(asked.json.metadata.deletionGracePeriodSeconds).toBe(11);
  });

  test('can be deleted again with a shorter grace period, not a longer one', async ({ ns, minor }) => {
    const path = ns.path('pods', 'a');
    await ns.create('pods', pod('a', { spec: { nodeName: 'n1' } }));
    const first = (await ns.delete(path)).json;
    expect((await ns.delete(path)).json).toEqual(first);
    const shorter = (await ns.delete(path, { query: { gracePeriodSeconds: 5 } })).json;
    expect(shorter.metadata.deletionGracePeriodSeconds).toBe(5);
    expect(shorter.metadata.generation).toBe(podGeneration(minor, 2));
    expect(Date.parse(shorter.metadata.deletionTimestamp ?? '')).toBeLessThan(
      Date.parse(first.metadata.deletionTimestamp ?? ''),
    );
    const longer = (await ns.delete(path, { query: { gracePeriodSeconds: 50 } })).json;
    expect(longer).toEqual(shorter);
  });

  test('are removed immediately with a grace period of 0', async ({ ns }) => {
    const path = ns.path('pods', 'a');
    await ns.create('pods', pod('a', { spec: { nodeName: 'n1' } }));
    const response = await ns.delete(path, { query: { gracePeriodSeconds: 0 } });
    expect(response.status).toBe(200);
    expect((await ns.api.get(path)).status).toBe(404);
  });

  test('without a node are removed immediately', async ({ ns, minor }) => {
    await ns.create('pods', pod('a'));
    const { metadata } = (await ns.delete(ns.path('pods', 'a'))).json;
    expect(metadata.deletionGracePeriodSeconds).toBe(0);
    expect(metadata.generation).toBe(podGeneration(minor, 2));
    expect((await ns.api.get(ns.path('pods', 'a'))).status).toBe(404);
  });
});

describe('a deleted namespace', () => {
  test('turns Terminating, without grace period or generation', async ({ api }) => {
    const ns = await Sandbox.open(api);
    const response = await ns.delete(`/api/v1/namespaces/${ns.name}`);
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({
      kind: 'Namespace',
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    expect(response.json.metadata).toHaveProperty('deletionTimestamp');
    expect(response.json.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    await ns.close();
  });

  test('accepts no new objects', async ({ api }) => {
    const ns = await Sandbox.open(api);
    await ns.delete(`/api/v1/namespaces/${ns.name}`);
    const response = await api.request('POST', ns.path('configmaps'), { body: configMap('a') });
    await either(
      'a namespace controller may have finished the deletion by now',
      {
        name: 'still Terminating',
        check: () =>
          expectStatus(response, {
            code: 403,
            reason: 'Forbidden',
            message: `configmaps "a" is forbidden: unable to create new content in namespace ${ns.name} because it is being terminated`,
            details: {
              name: 'a',
              kind: 'configmaps',
              causes: [
                {
                  reason: 'NamespaceTerminating',
                  message: `namespace ${ns.name} is being terminated`,
                  field: 'metadata.namespace',
                },
              ],
            },
          }),
      },
      {
        name: 'gone',
        check: () =>
          expectStatus(response, {
            code: 404,
            reason: 'NotFound',
            message: `namespaces "${ns.name}" not found`,
            details: { name: ns.name, kind: 'namespaces' },
          }),
      },
    );
    await ns.close();
  });

  test('is removed when its spec has no finalizer left', async ({ api }) => {
    const ns = await Sandbox.open(api);
    const path = `/api/v1/namespaces/${ns.name}`;
    const marked = await ns.delete(path);
    const body = { ...marked.json, spec: { finalizers: [] } };
    const finalized = await api.request('PUT', `${path}/finalize`, { body });
    await either(
      'a namespace controller may have been faster',
      { name: 'by us', check: () => expect(finalized.status).toBe(200) },
      { name: 'by the controller', check: () => expect([404, 409]).toContain(finalized.status) },
    );
    expect((await api.get(path)).status).toBe(404);
  });
});
