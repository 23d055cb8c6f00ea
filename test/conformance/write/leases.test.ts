/** Leases, as a leader election uses them. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import type { ApiResponse } from '../harness/client.js';
import { expectStatus } from '../harness/expect-status.js';
import type { KubeObject, Manifest } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';

const API_VERSION = 'coordination.k8s.io/v1';
const TIME = '2026-11-18T21:00:00.120000Z';

function lease(spec: object = {}): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Lease',
    metadata: { name: 'a' },
    spec: {
      holderIdentity: 'first',
      leaseDurationSeconds: 15,
      acquireTime: TIME,
      renewTime: TIME,
      leaseTransitions: 0,
      ...spec,
    },
  };
}

const pathOf = (ns: Sandbox): string => ns.path('leases', 'a', API_VERSION);

function put(ns: Sandbox, body: unknown): Promise<ApiResponse> {
  return ns.api.request('PUT', pathOf(ns), { body });
}

const held = (created: KubeObject, holderIdentity: string): KubeObject => ({
  ...created,
  spec: { ...(created['spec'] as object), holderIdentity },
});

describe('a Lease', () => {
  test('keeps the record, with six digits of a second', async ({ ns }) => {
    const created = await ns.create('leases', lease());
    expect(created['spec']).toEqual(lease()['spec']);
    expect((await ns.api.get(pathOf(ns))).json['spec']).toEqual(lease()['spec']);
  });

  test('is created once', async ({ ns }) => {
    await ns.create('leases', lease());
    const again = await ns.api.request('POST', ns.path('leases', undefined, API_VERSION), { body: lease() });
    expect(again.status).toBe(409);
    expect(again.json).toMatchObject({ reason: 'AlreadyExists' });
  });

  test('is updated by one of two that have seen the same version', async ({ ns }) => {
    const created = await ns.create('leases', lease());
    const responses = await Promise.all(['second', 'third'].map((holder) => put(ns, held(created, holder))));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [winner] = responses.filter(({ status }) => status === 200);
    expect((await ns.api.get(pathOf(ns))).json).toEqual(winner?.json);
  });

  test('is released without a holder', async ({ ns }) => {
    const created = await ns.create('leases', lease());
    const spec = { ...(created['spec'] as object), holderIdentity: '', leaseDurationSeconds: 1 };
    const response = await put(ns, { ...created, spec });
    expect(response.status).toBe(200);
    expect(response.json['spec']).toEqual(spec);
  });

  test('that was deleted is not written with its old version', async ({ ns }) => {
    const created = await ns.create('leases', lease());
    await ns.delete(pathOf(ns));
    const { uid } = created.metadata;
    expectStatus(await put(ns, held(created, 'second')), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on leases.coordination.k8s.io "a": StorageError: invalid object, Code: 4, Key: /registry/leases/${ns.name}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: `,
      details: { name: 'a', group: 'coordination.k8s.io', kind: 'leases' },
    });
    expect((await ns.api.get(pathOf(ns))).status).toBe(404);
  });

  test('that was created anew is not written with the old uid', async ({ ns }) => {
    const created = await ns.create('leases', lease());
    await ns.delete(pathOf(ns));
    const anew = await ns.create('leases', lease());
    const metadata = { ...created.metadata, resourceVersion: anew.metadata.resourceVersion };
    const response = await put(ns, { ...held(created, 'second'), metadata });
    expect(response.status).toBe(409);
  });

  test('has a duration of at least a second', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('leases', undefined, API_VERSION), {
      body: lease({ leaseDurationSeconds: 0 }),
    });
    expect(response.status).toBe(422);
  });
});
