import { describe, expect, test } from 'vitest';
import { parseRequestInfo, type RequestInfo } from '#dist/apiserver/requests/request-info.js';

function resourceOf(method: string, url: string): Partial<RequestInfo> {
  const { verb, group, version, plural, namespace, name, subresource } = parseRequestInfo(method, url);
  return { verb, group, version, plural, namespace, name, subresource };
}

describe('the path of a resource', () => {
  test.each([
    ['GET', '/api/v1/pods', 'list', '', 'v1', 'pods', undefined, undefined, undefined],
    ['GET', '/api/v1/pods/', 'list', '', 'v1', 'pods', undefined, undefined, undefined],
    ['GET', '/api/v1/namespaces/a/pods', 'list', '', 'v1', 'pods', 'a', undefined, undefined],
    ['GET', '/api/v1/namespaces/a/pods/p', 'get', '', 'v1', 'pods', 'a', 'p', undefined],
    ['HEAD', '/api/v1/namespaces/a/pods/p', 'get', '', 'v1', 'pods', 'a', 'p', undefined],
    ['PUT', '/api/v1/namespaces/a/pods/p/status', 'update', '', 'v1', 'pods', 'a', 'p', 'status'],
    ['GET', '/api/v1/namespaces/a/pods/p/status/x', 'get', '', 'v1', 'pods', 'a', 'p', 'status/x'],
    ['GET', '/api/v1/nodes/n', 'get', '', 'v1', 'nodes', undefined, 'n', undefined],
    ['GET', '/api/v1/namespaces', 'list', '', 'v1', 'namespaces', undefined, undefined, undefined],
    ['DELETE', '/api/v1/namespaces/a', 'delete', '', 'v1', 'namespaces', undefined, 'a', undefined],
    ['PUT', '/api/v1/namespaces/a/status', 'update', '', 'v1', 'namespaces', undefined, 'a', 'status'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update', '', 'v1', 'namespaces', undefined, 'a', 'finalize'],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', 'create', 'apps', 'v1', 'deployments', 'a'],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/a/deployments',
      'deletecollection',
      'apps',
      'v1',
      'deployments',
      'a',
    ],
    ['PATCH', '/apis/g.dev/v1beta1/ws/w', 'patch', 'g.dev', 'v1beta1', 'ws', undefined, 'w'],
    ['OPTIONS', '/api/v1/pods', 'other', '', 'v1', 'pods'],
    ['GET', '/api/v1/namespaces/a/configmaps/a%2Eb', 'get', '', 'v1', 'configmaps', 'a', 'a.b'],
  ])('is parsed: %s %s', (method, url, verb, group, version, plural, namespace?, name?, subresource?) => {
    expect(resourceOf(method, url)).toEqual({ verb, group, version, plural, namespace, name, subresource });
    expect(parseRequestInfo(method, url).isResourceRequest).toBe(true);
  });
});

test.each([
  '/',
  '/api',
  '/api/v1',
  '/api/v1/',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/healthz',
  '/foo/v1/a/b',
])('the path %s is no resource request', (url) => {
  expect(parseRequestInfo('GET', url)).toMatchObject({ isResourceRequest: false, verb: 'other', path: url });
});

describe('the watch verb', () => {
  test.each(['1', 'true', 'TRUE', 'no', ''])('is requested by watch=%s', (value) => {
    expect(parseRequestInfo('GET', `/api/v1/pods?watch=${value}`).verb).toBe('watch');
  });

  test.each(['watch=0', 'watch=false', 'watch=False', 'other=1'])('is not requested by %s', (query) => {
    expect(parseRequestInfo('GET', `/api/v1/pods?${query}`).verb).toBe('list');
  });

  test('is not requested on the path of an object, which is a plain get', () => {
    expect(parseRequestInfo('GET', '/api/v1/namespaces/a/pods/p?watch=1').verb).toBe('get');
  });

  test('is also requested by the deprecated prefix', () => {
    expect(parseRequestInfo('GET', '/api/v1/watch/namespaces/a/pods/p?x=1')).toMatchObject({
      verb: 'watch',
      isWatchPath: true,
      plural: 'pods',
      namespace: 'a',
      name: 'p',
    });
    expect(parseRequestInfo('GET', '/apis/apps/v1/watch/deployments')).toMatchObject({
      verb: 'watch',
      isWatchPath: true,
      group: 'apps',
      plural: 'deployments',
      namespace: undefined,
    });
  });
});

test('the query is decoded', () => {
  const { query } = parseRequestInfo('GET', '/api/v1/pods?labelSelector=a%3Db+c&limit=5');
  expect(query.get('labelSelector')).toBe('a=b c');
  expect(query.get('limit')).toBe('5');
});
