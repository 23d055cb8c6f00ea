/** gzip: when, and for what. */

import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { configMap } from '../harness/objects.js';

const GZIP = { 'Accept-Encoding': 'gzip' };
/** Just above and well below the 128 KiB from which a server compresses. */
const LARGE = 'x'.repeat(132_000);
const SMALL = 'x'.repeat(100_000);

describe('gzip compression', () => {
  test('is applied to an object above 128 KiB', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: LARGE } }));
    const path = ns.path('configmaps', 'a');
    const response = await ns.api.get(path, {}, GZIP);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
    });
    expect(response.bytes.length).toBeLessThan(20_000);
    expect(gunzipSync(response.bytes).toString()).toBe((await ns.api.get(path)).text);
  });

  test('is applied to a list above 128 KiB, also with several accepted encodings', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: SMALL } }));
    await ns.create('configmaps', configMap('b', { data: { k: SMALL } }));
    const path = ns.path('configmaps');
    const response = await ns.api.get(path, {}, { 'Accept-Encoding': 'deflate, gzip' });
    expect(response.headers['content-encoding']).toBe('gzip');
    const list = JSON.parse(gunzipSync(response.bytes).toString()) as { items: unknown[] };
    expect(list.items).toHaveLength(2);
  });

  test.for([
    ['a small object', SMALL, 'gzip'],
    ['identity', LARGE, 'identity'],
    ['a q-value', LARGE, 'gzip;q=1.0'],
    ['deflate', LARGE, 'deflate'],
    ['nothing', LARGE, null],
  ] satisfies [string, string, string | null][])('not for %s', async ([, data, encoding], { ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: data } }));
    const response = await ns.api.get(ns.path('configmaps', 'a'), {}, { 'Accept-Encoding': encoding });
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.headers['vary']).toBeUndefined();
    expect(response.json.data?.['k']).toBe(data);
  });

  test('is applied to the response of a write above 128 KiB', async ({ ns }) => {
    const response = await ns.api.request('POST', ns.path('configmaps'), {
      body: configMap('a', { data: { k: LARGE } }),
      headers: GZIP,
    });
    expect(response.status).toBe(201);
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(response.bytes).toString()).toBe((await ns.api.get(ns.path('configmaps', 'a'))).text);
  });

  test('is not applied to a watch', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { data: { k: LARGE } }));
    const query = {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    };
    const watch = await ns.watch(ns.path('configmaps'), query, GZIP);
    expect(watch.headers['content-encoding']).toBeUndefined();
    expect((await watch.next()).type).toBe('ADDED');
  });

  test('is applied to metadata above 128 KiB', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { metadata: { annotations: { k: LARGE } } }));
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const response = await ns.api.get(ns.path('configmaps', 'a'), {}, { ...GZIP, Accept: accept });
    expect(response.headers['content-encoding']).toBe('gzip');
  });
});
