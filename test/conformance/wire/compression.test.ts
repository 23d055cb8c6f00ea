/** gzip: when, and for what. */

import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import { configMap } from '../harness/objects.js';
import { isStreamingRejected, STREAMING_LIST } from '../harness/versions.js';

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
    const watch = await ns.watch(ns.path('configmaps'), {}, GZIP);
    expect(watch.headers['content-encoding']).toBeUndefined();
    expect(watch.headers['vary']).toBeUndefined();
    expect((await watch.next()).type).toBe('ADDED');
  });

  test('is applied to a streaming list of any size as of 1.37, in one gzip member per write', async ({
    ns,
    minor,
  }) => {
    await ns.create('configmaps', configMap('a'));
    if (await isStreamingRejected({ ns, minor }, ns.path('configmaps'))) return;
    const watch = await ns.watch(ns.path('configmaps'), STREAMING_LIST, GZIP);
    const isCompressed = minor >= 37;
    expect(watch.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
    expect(watch.headers['vary']).toBe(isCompressed ? 'Accept-Encoding' : undefined);
    expect(await watch.take(2)).toMatchObject([{ type: 'ADDED' }, { type: 'BOOKMARK' }]);
    const membersBefore = watch.gzipMembers;
    await ns.create('configmaps', configMap('b'));
    expect(await watch.nextChange()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    expect(watch.gzipMembers > membersBefore).toBe(isCompressed);
  });

  test('is not applied to a streaming list without bookmarks, nor if it is not accepted', async ({
    ns,
    minor,
  }) => {
    await ns.create('configmaps', configMap('a'));
    if (await isStreamingRejected({ ns, minor }, ns.path('configmaps'))) return;
    const { allowWatchBookmarks: _, ...withoutBookmarks } = STREAMING_LIST;
    for (const [query, headers] of [
      [withoutBookmarks, GZIP],
      [STREAMING_LIST, { 'Accept-Encoding': 'gzip;q=1.0' }],
    ] as const) {
      const watch = await ns.watch(ns.path('configmaps'), query, headers);
      expect(watch.headers['content-encoding']).toBeUndefined();
      expect((await watch.next()).type).toBe('ADDED');
    }
  });

  test('is applied to metadata above 128 KiB', async ({ ns }) => {
    await ns.create('configmaps', configMap('a', { metadata: { annotations: { k: LARGE } } }));
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const response = await ns.api.get(ns.path('configmaps', 'a'), {}, { ...GZIP, Accept: accept });
    expect(response.headers['content-encoding']).toBe('gzip');
  });
});
