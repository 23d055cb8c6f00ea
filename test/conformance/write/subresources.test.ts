/** What follows a name in a path: only what is served is written, and never the object itself by accident. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import type { ApiClient } from '../harness/client.js';
import { type ExpectedStatus, expectStatus } from '../harness/expect-status.js';
import { configMap, type Manifest, pod } from '../harness/objects.js';
import { MERGE_PATCH, type Sandbox } from '../harness/sandbox.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const UNKNOWN: ExpectedStatus = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};

const NOT_ALLOWED: ExpectedStatus = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};

function send(api: ApiClient, method: string, path: string, body: Manifest) {
  const headers = method === 'PATCH' ? { 'Content-Type': MERGE_PATCH } : {};
  return api.request(method, path, { headers, ...(['GET', 'DELETE'].includes(method) ? {} : { body }) });
}

/** A pod, and what a careless server would make of it. */
async function seed(ns: Sandbox): Promise<{ path: string; changed: Manifest }> {
  await ns.create('pods', pod('a'));
  return { path: ns.path('pods', 'a'), changed: pod('a', { metadata: { labels: { careless: 'yes' } } }) };
}

describe('a subresource', () => {
  test.for(['nope', 'scale', 'token', 'status/more'])(
    'that a kind does not have is a 404 for every method: %s',
    async (name, { ns }) => {
      const { path, changed } = await seed(ns);
      for (const method of METHODS)
        expectStatus(await send(ns.api, method, `${path}/${name}`, changed), UNKNOWN);
      expect((await ns.api.get(path)).json.metadata).not.toHaveProperty('labels');
    },
  );

  test('of a kind without a status is a 404', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const path = `${ns.path('configmaps', 'a')}/status`;
    for (const method of METHODS) expectStatus(await send(ns.api, method, path, configMap('a')), UNKNOWN);
  });

  test.for([
    ['binding', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['eviction', ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['log', ['POST', 'PUT', 'PATCH', 'DELETE']],
    ['exec', ['PUT', 'PATCH', 'DELETE']],
    ['attach', ['PUT', 'PATCH', 'DELETE']],
    ['portforward', ['PUT', 'PATCH', 'DELETE']],
    ['ephemeralcontainers', ['POST', 'DELETE']],
    ['resize', ['POST', 'DELETE']],
    ['status', ['POST', 'DELETE']],
  ] satisfies [string, string[]][])(
    'takes its own methods only: %s',
    async ([name, methods], { ns, minor }) => {
      const { path, changed } = await seed(ns);
      for (const method of methods) {
        // Pods have a subresource resize as of 1.33.
        const expected = name === 'resize' && minor < 33 ? UNKNOWN : NOT_ALLOWED;
        expectStatus(await send(ns.api, method, `${path}/${name}`, changed), expected);
      }
      expect((await ns.api.get(path)).json.metadata).not.toHaveProperty('labels');
    },
  );

  test('finalize of a namespace supports only PUT', async ({ ns }) => {
    const path = `/api/v1/namespaces/${ns.name}/finalize`;
    const body = { metadata: { name: ns.name }, spec: { finalizers: ['kubernetes'] } };
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      expectStatus(await send(ns.api, method, path, body), NOT_ALLOWED);
    }
    expect((await send(ns.api, 'PUT', path, body)).status).toBe(200);
  });

  test.for([
    ['POST', 'eviction'],
    ['POST', 'binding'],
    ['GET', 'exec'],
    ['POST', 'attach'],
    ['PUT', 'proxy'],
    ['PATCH', 'proxy'],
    ['DELETE', 'proxy'],
  ])('never writes the object itself: %s %s', async ([method, name], { ns }) => {
    const { path, changed } = await seed(ns);
    const before = await ns.api.get(path);
    const response = await send(ns.api, method ?? '', `${path}/${name}`, changed);
    await either(
      'our embedded server has no kubelet, no scheduler and no disruption controller to ask',
      { name: 'not served', check: () => expect(response.json).toMatchObject({ code: 405 }) },
      { name: 'tried', check: () => expect(response.json).toMatchObject({ kind: 'Status', code: 400 }) },
    );
    expect((await ns.api.get(path)).text).toBe(before.text);
  });
});

describe('a subresource of a custom resource', () => {
  test('that it does not have is a 404 of the object', async ({ ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const path = `${widgets.pathIn(ns, 'w')}/nope`;
    for (const method of METHODS) {
      expectStatus(await send(ns.api, method, path, widgets.widget('w')), {
        code: 404,
        reason: 'NotFound',
        message: `widgets.${widgets.group} "w" not found`,
        details: { name: 'w', group: widgets.group, kind: 'widgets' },
      });
    }
  });

  test.for(['status', 'scale'])('is neither created nor deleted: %s', async (name, { ns, widgets }) => {
    await ns.createAt(widgets.pathIn(ns), widgets.widget('w'));
    const path = `${widgets.pathIn(ns, 'w')}/${name}`;
    for (const [method, verb] of [
      ['POST', 'create'],
      ['DELETE', 'delete'],
    ] as const) {
      expectStatus(await send(ns.api, method, path, widgets.widget('w')), {
        code: 405,
        reason: 'MethodNotAllowed',
        message: `${verb} is not supported on resources of kind "widgets.${widgets.group}"`,
        details: { group: widgets.group, kind: 'widgets' },
      });
    }
  });
});
