import { describe, expect, it } from 'vitest';
import { parseCollectionPath } from '#dist/src/client-node/collection-path.js';

const none = { namespace: undefined, labelSelector: undefined, fieldSelector: undefined };

describe('parseCollectionPath', () => {
  it.each([
    ['/api/v1/pods', { apiVersion: 'v1', plural: 'pods' }],
    ['/api/v1/namespaces/shop/pods', { apiVersion: 'v1', plural: 'pods', namespace: 'shop' }],
    ['/api/v1/namespaces', { apiVersion: 'v1', plural: 'namespaces' }],
    ['/api/v1/pods/', { apiVersion: 'v1', plural: 'pods' }],
    ['/apis/apps/v1/deployments', { apiVersion: 'apps/v1', plural: 'deployments' }],
    [
      '/apis/a.example.com/v1beta1/namespaces/shop/widgets',
      { apiVersion: 'a.example.com/v1beta1', plural: 'widgets', namespace: 'shop' },
    ],
    [
      '/api/v1/pods?labelSelector=a%3Db&fieldSelector=spec.nodeName%3Dn&timeoutSeconds=5',
      { apiVersion: 'v1', plural: 'pods', labelSelector: 'a=b', fieldSelector: 'spec.nodeName=n' },
    ],
  ])('parses %s', (path, expected) => {
    expect(parseCollectionPath('test', path)).toEqual({ ...none, ...expected });
  });

  it.each([
    'pods',
    '/pods',
    '/api/pods',
    '/apis/apps/deployments',
    '/api/v1/namespaces/shop/pods/one',
    '/api/v1/namespaces/shop',
    '/api/v1/watch/pods',
    '',
  ])('rejects %j', (path) => {
    expect(() => parseCollectionPath('test', path)).toThrow(/path must be that of a collection/);
  });
});
