import { expect, it } from 'vitest';
import { resolveInformerOptions } from '#dist/src/engine/informer-options.js';
import { collectionPath, groupAndVersion, queryString } from '#dist/src/kube/resource.js';

it.each([
  ['v1', 'pods', undefined, '/api/v1/pods'],
  ['v1', 'pods', 'shop', '/api/v1/namespaces/shop/pods'],
  ['apps/v1', 'deployments', undefined, '/apis/apps/v1/deployments'],
  ['shop.example.com/v1beta1', 'gadgets', 'a', '/apis/shop.example.com/v1beta1/namespaces/a/gadgets'],
])('builds the path of the collection of %s %s in %s: %s', (apiVersion, plural, namespace, path) => {
  expect(collectionPath({ apiVersion, kind: 'K', plural }, namespace)).toBe(path);
});

it('builds a query string without empty values, and escapes the rest', () => {
  expect(queryString({})).toBe('');
  expect(queryString({ limit: 5, continue: undefined, labelSelector: '' })).toBe('?limit=5');
  expect(queryString({ labelSelector: 'a in (b,c)&d', watch: true })).toBe(
    '?labelSelector=a+in+%28b%2Cc%29%26d&watch=true',
  );
});

it.each(['../../secrets', 'a/b', 'a%2fb', 'a?watch=true', 'a#b', 'a\r\nHost: b', 'ä', ''])(
  'a namespace or name of a resource like %j stays within its path segment',
  (text) => {
    const base = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
    for (const options of [
      { ...base, namespace: text },
      { ...base, namespace: ['a', text] },
      { ...base, plural: text },
      { ...base, apiVersion: `${text}/v1` },
    ]) {
      expect(() => resolveInformerOptions(options)).toThrow(
        expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }),
      );
    }
  },
);

it('splits apiVersion into group and version; the core group is empty', () => {
  expect(groupAndVersion('v1')).toEqual({ group: '', version: 'v1' });
  expect(groupAndVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
});
