/** Errors: paths, methods, credentials; and the headers of every response. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import { type ExpectedStatus, expectStatus } from '../harness/expect-status.js';
import { configMap } from '../harness/objects.js';

const NO_RESOURCE: ExpectedStatus = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};
const NO_METHOD: ExpectedStatus = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};

describe('404', () => {
  test.for([
    ['configmaps', 'v1', ''],
    ['deployments', 'apps/v1', 'apps'],
    ['leases', 'coordination.k8s.io/v1', 'coordination.k8s.io'],
  ] satisfies [string, string, string][])('of an object: %s', async ([plural, apiVersion, group], { ns }) => {
    expectStatus(await ns.api.get(ns.path(plural, 'nope', apiVersion)), {
      code: 404,
      reason: 'NotFound',
      message: `${group === '' ? plural : `${plural}.${group}`} "nope" not found`,
      details: { name: 'nope', ...(group === '' ? {} : { group }), kind: plural },
    });
  });

  test.for([
    '/api/v1/foos',
    '/api/v1/namespaces/default/foos',
    '/api/v1/namespaces/default/foos/a',
    '/apis/apps/v1/foos',
    '/apis/apps/v9/deployments',
    '/apis/apps/v9',
    '/api/v1/namespaces/default/nodes',
  ])('of a resource or version in a built-in group is a Status: %s', async (path, { api }) => {
    expectStatus(await api.get(path), NO_RESOURCE);
  });

  test.for([
    '/apis/nope.kubeflect.dev/v1/foos',
    '/apis/nope.kubeflect.dev/v1',
    '/apis/nope.kubeflect.dev',
    '/nope',
    '/apis/nope.kubeflect.dev/v1/foos?watch=1',
  ])('of an unknown group or path is plain text: %s', async (path, { api }) => {
    const response = await api.get(path);
    expect(response.status).toBe(404);
    expect(response.text).toBe('404 page not found\n');
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, private',
    });
  });

  test('is the response to a watch of an unknown resource', async ({ api }) => {
    expectStatus(await api.get('/api/v1/foos', { watch: 1 }), NO_RESOURCE);
  });
});

describe('405', () => {
  test.for([
    ['POST', '/api/v1/namespaces/default/configmaps/a'],
    ['PUT', '/api/v1/namespaces/default/configmaps'],
    ['PATCH', '/api/v1/namespaces/default/configmaps'],
    ['OPTIONS', '/api/v1/namespaces/default/configmaps'],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/namespaces'],
  ] satisfies [string, string][])('%s %s', async ([method, path], { api }) => {
    const headers = method === 'PATCH' ? { 'Content-Type': 'application/merge-patch+json' } : {};
    const response = await api.request(method, path, method === 'DELETE' ? {} : { body: {}, headers });
    expectStatus(response, NO_METHOD);
    expect(response.headers['allow']).toBeUndefined();
  });

  test('is the response to HEAD of a collection', async ({ api }) => {
    const response = await api.request('HEAD', '/api/v1/namespaces/default/configmaps');
    expect(response.status).toBe(405);
    expect(response.text).toBe('');
  });
});

describe('credentials', () => {
  test('an unknown token is a 401, or there is no authentication', async ({ ns }) => {
    const response = await ns.api.get(
      ns.path('configmaps'),
      {},
      { Authorization: 'Bearer nobody-knows-this' },
    );
    await either(
      'a server on loopback may do without authentication',
      {
        name: '401',
        check: () => expectStatus(response, { code: 401, reason: 'Unauthorized', message: 'Unauthorized' }),
      },
      { name: 'not checked', check: () => expect(response.status).toBe(200) },
    );
  });

  test('no token is a 401, a 403 of system:anonymous, or there is no authentication', async ({ ns }) => {
    const response = await ns.api.get(ns.path('configmaps'), {}, { Authorization: null });
    await either(
      'anonymous requests may be off, on without rights, or all there is',
      {
        name: '401',
        check: () => expectStatus(response, { code: 401, reason: 'Unauthorized', message: 'Unauthorized' }),
      },
      {
        name: '403',
        check: () => {
          expectStatus(response, {
            code: 403,
            reason: 'Forbidden',
            message: `configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "${ns.name}"`,
            details: { kind: 'configmaps' },
          });
          expect(response.headers['x-content-type-options']).toBe('nosniff');
        },
      },
      { name: 'not checked', check: () => expect(response.status).toBe(200) },
    );
  });
});

describe('response headers', () => {
  const common = {
    'audit-id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    'cache-control': 'no-cache, private',
    'content-type': 'application/json',
    date: expect.stringMatching(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/),
  };

  test.for(['GET one', 'GET list', 'POST', 'DELETE', 'error'])('of %s', async (request, { ns }) => {
    const path = ns.path('configmaps');
    if (request !== 'POST') await ns.create('configmaps', configMap('a'));
    const responses = {
      'GET one': () => ns.api.get(`${path}/a`),
      'GET list': () => ns.api.get(path),
      POST: () => ns.api.request('POST', path, { body: configMap('a') }),
      DELETE: () => ns.delete(`${path}/a`),
      error: () => ns.api.get(`${path}/nope`),
    };
    const response = await responses[request as keyof typeof responses]();
    expect(response.headers).toMatchObject(common);
    expect(response.headers['x-content-type-options']).toBeUndefined();
    await either(
      'priority and fairness can be switched off',
      {
        name: 'its headers hold two UIDs',
        check: () =>
          expect(response.headers).toMatchObject({
            'x-kubernetes-pf-flowschema-uid': expect.stringMatching(/^[0-9a-f-]{36}$/),
            'x-kubernetes-pf-prioritylevel-uid': expect.stringMatching(/^[0-9a-f-]{36}$/),
          }),
      },
      {
        name: 'no such headers',
        check: () => expect(response.headers).not.toHaveProperty('x-kubernetes-pf-flowschema-uid'),
      },
    );
  });

  test('have another Audit-Id for each request', async ({ api }) => {
    const first = await api.get('/version');
    const second = await api.get('/version');
    expect(first.headers['audit-id']).not.toBe(second.headers['audit-id']);
  });

  test('repeat the Audit-Id of the client', async ({ api }) => {
    const id = 'ad4b1e07-3a86-4e5b-9b5c-ce6d0e51c4a1';
    const response = await api.get('/version', {}, { 'Audit-ID': id });
    expect(response.headers['audit-id']).toBe(id);
  });

  test('warn that Endpoints are deprecated', async ({ ns, minor }) => {
    const response = await ns.api.get(ns.path('endpoints'));
    const warning = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"';
    expect(response.headers['warning']).toBe(minor < 33 ? undefined : warning);
  });

  test('keep the HTTP/1.1 connection open', async ({ api }) => {
    const response = await api.get('/version');
    expect(response.headers['connection'] ?? 'keep-alive').toBe('keep-alive');
  });
});
