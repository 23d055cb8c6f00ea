/** WATCH: where it starts, how it is asked for, how it ends. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import type { Query } from '../harness/client.js';
import { expectStatus, forbidden, invalidOptions, statusText } from '../harness/expect-status.js';
import { configMap } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';
import { hasStreamingLists, isStreamingRejected } from '../harness/versions.js';
import type { WatchEvent } from '../harness/watch-stream.js';

/** Long enough for a healthy server to have sent what it should not send. */
const SILENCE_MS = 250;

async function seed(ns: Sandbox): Promise<{ path: string; version: string }> {
  for (const name of ['b', 'a']) await ns.create('configmaps', configMap(name));
  const path = ns.path('configmaps');
  return { path, version: (await ns.api.get(path)).json.metadata.resourceVersion };
}

function brief(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`);
}

describe('the start of a watch', () => {
  test.for([
    ['without resourceVersion', {}],
    ['at an empty resourceVersion', { resourceVersion: '' }],
    ['at resourceVersion 0', { resourceVersion: 0 }],
  ] satisfies [string, Query][])(
    '%s: the state as ADDED in key order, then live',
    async ([, query], { ns }) => {
      const { path } = await seed(ns);
      const watch = await ns.watch(path, query);
      expect(brief(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
      await ns.create('configmaps', configMap('c'));
      expect(brief([await watch.next()])).toEqual(['ADDED c']);
    },
  );

  test('at resourceVersion N sends only later events', async ({ ns }) => {
    const { path, version } = await seed(ns);
    const watch = await ns.watch(path, { resourceVersion: version });
    await watch.expectSilence(SILENCE_MS);
    await ns.create('configmaps', configMap('c'));
    expect(brief([await watch.next()])).toEqual(['ADDED c']);
  });

  test('at an older resourceVersion sends every change since, in order, deletions included', async ({
    ns,
  }) => {
    const { path, version } = await seed(ns);
    await ns.create('configmaps', configMap('c'));
    await ns.change(ns.path('configmaps', 'c'), { data: { k: '1' } });
    await ns.delete(ns.path('configmaps', 'c'));
    await ns.change(ns.path('configmaps', 'a'), { data: { k: '1' } });
    const watch = await ns.watch(path, { resourceVersion: version });
    expect(brief(await watch.take(4))).toEqual(['ADDED c', 'MODIFIED c', 'DELETED c', 'MODIFIED a']);
    await watch.expectSilence(SILENCE_MS);
  });

  test('at the resourceVersion of an object excludes the change that made it', async ({ ns }) => {
    const { path } = await seed(ns);
    const first = await ns.create('configmaps', configMap('c'));
    await ns.create('configmaps', configMap('d'));
    const watch = await ns.watch(path, { resourceVersion: first.metadata.resourceVersion });
    expect(brief([await watch.next()])).toEqual(['ADDED d']);
  });

  test('in the future is a 200 without events, which ends cleanly', async ({ ns }) => {
    const { path, version } = await seed(ns);
    const resourceVersion = String(BigInt(version) + 1_000_000n);
    const watch = await ns.watch(path, { resourceVersion, timeoutSeconds: 1, allowWatchBookmarks: true });
    await ns.create('configmaps', configMap('c'));
    await watch.expectEnd();
    expect(watch.raw).toBe('');
  });

  test('in a namespace that does not exist is a 200 without events', async ({ ns }) => {
    const watch = await ns.watch('/api/v1/namespaces/no-such-namespace/configmaps', { resourceVersion: 0 });
    await watch.expectSilence(SILENCE_MS);
  });

  test('can be on all namespaces with a label selector', async ({ ns }) => {
    const labelled = { metadata: { labels: { run: ns.name } } };
    await ns.create('configmaps', configMap('a', labelled));
    const watch = await ns.watch('/api/v1/configmaps', { labelSelector: `run=${ns.name}` });
    await ns.create('configmaps', configMap('b', labelled));
    const events = await watch.take(2);
    expect(brief(events)).toEqual(['ADDED a', 'ADDED b']);
    expect(events[0]?.object.metadata.namespace).toBe(ns.name);
  });

  test('older than a new resource type is one ERROR 410 in a 200, then the end', async ({ ns, widgets }) => {
    const watch = await ns.watch(widgets.pathIn(ns), { resourceVersion: 1 });
    const { type, line } = await watch.next();
    expect(type).toBe('ERROR');
    const object = line.slice('{"type":"ERROR","object":'.length, -1);
    expect(object).toBe(
      statusText(object, {
        code: 410,
        reason: 'Expired',
        message: /^too old resource version: 1 \([1-9][0-9]*\)$/,
      }),
    );
    await watch.expectEnd();
  });
});

describe('the request of a watch', () => {
  test.for(['1', 'true', 'True', 'yes', 'no', ''])('watch=%s is a watch', async (value, { ns }) => {
    await ns.create('configmaps', configMap('a'));
    const watch = await ns.watch(ns.path('configmaps'), { watch: value });
    expect(brief([await watch.next()])).toEqual(['ADDED a']);
  });

  test('gets its headers immediately, before any event', async ({ ns }) => {
    const { path, version } = await seed(ns);
    const asked = Date.now();
    const watch = await ns.watch(path, { resourceVersion: version });
    expect(Date.now() - asked).toBeLessThan(5_000);
    expect(watch.headers).toMatchObject({
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      'cache-control': 'no-cache, private',
      'audit-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('can select one object by fieldSelector metadata.name', async ({ ns }) => {
    const { path, version } = await seed(ns);
    const watch = await ns.watch(path, { resourceVersion: version, fieldSelector: 'metadata.name=b' });
    await ns.change(ns.path('configmaps', 'a'), { data: { k: '1' } });
    await ns.change(ns.path('configmaps', 'b'), { data: { k: '1' } });
    expect(brief([await watch.next()])).toEqual(['MODIFIED b']);
  });

  test('ignores limit', async ({ ns }) => {
    const { path } = await seed(ns);
    const watch = await ns.watch(path, { limit: 1 });
    expect(brief(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
  });

  test('may use the deprecated /watch path of a collection', async ({ ns }) => {
    const { path } = await seed(ns);
    const watch = await ns.watch(path.replace('/api/v1/', '/api/v1/watch/'), { watch: 0 });
    expect(brief(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
  });

  test('may use the deprecated /watch path of one object', async ({ ns }) => {
    const { path } = await seed(ns);
    const watch = await ns.watch(`${path.replace('/api/v1/', '/api/v1/watch/')}/b`);
    expect(brief([await watch.next()])).toEqual(['ADDED b']);
    await watch.expectSilence(SILENCE_MS);
  });

  test('is a plain GET on the path of an object', async ({ ns }) => {
    const { path } = await seed(ns);
    const plain = await ns.api.get(`${path}/a`);
    const response = await ns.api.get(`${path}/a`, { watch: 1 });
    expect(response.text).toBe(plain.text);
  });

  test('is a 422 with continue and without resourceVersion, because of an internal default', async ({
    ns,
    minor,
  }) => {
    const { path } = await seed(ns);
    const token = (await ns.api.get(path, { limit: 1 })).json.metadata.continue ?? '';
    // That default comes with streaming lists: without them, continue is ignored.
    if (!hasStreamingLists(minor)) {
      const watch = await ns.watch(path, { continue: token });
      expect(brief(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
      return;
    }
    expectStatus(
      await ns.api.get(path, { watch: 1, continue: token }),
      invalidOptions('ListOptions', [
        forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      ]),
    );
  });

  test.for([
    ['watch', { watch: 1, resourceVersion: 'abc' }],
    [
      'watch with initial events',
      { watch: 1, resourceVersion: 'abc', sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
    ],
    ['GET of one object', { resourceVersion: 'abc' }],
  ] satisfies [string, Query][])(
    'a resourceVersion that is no number is a 500 without reason: %s',
    async ([, query], { ns, minor }) => {
      const { path } = await seed(ns);
      if ('sendInitialEvents' in query && (await isStreamingRejected({ ns, minor }, path, query))) return;
      const response = await ns.api.get('watch' in query ? path : `${path}/a`, query);
      expectStatus(response, {
        code: 500,
        message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      });
    },
  );

  test('is a 400 if timeoutSeconds is not a number', async ({ ns }) => {
    expectStatus(await ns.api.get(ns.path('configmaps'), { watch: 1, timeoutSeconds: 'abc' }), {
      code: 400,
      reason: 'BadRequest',
      message: 'strconv.ParseInt: parsing "abc": invalid syntax',
    });
  });
});

describe.concurrent('the end of a watch', () => {
  test('is clean after timeoutSeconds, without an event', async ({ ns }) => {
    const { path, version } = await seed(ns);
    const started = Date.now();
    const watch = await ns.watch(path, { resourceVersion: version, timeoutSeconds: 1 });
    await watch.expectEnd();
    expect(Date.now() - started).toBeGreaterThan(900);
    expect(watch.raw).toBe('');
  });

  test('leaves the connection usable', async ({ ns }) => {
    const { path, version } = await seed(ns);
    const watch = await ns.watch(path, { resourceVersion: version, timeoutSeconds: 1 });
    await watch.expectEnd();
    expect((await ns.api.get(path)).status).toBe(200);
  });

  test('can be resumed from the last event without lost or repeated events', async ({ ns }) => {
    const { path, version } = await seed(ns);
    const first = await ns.watch(path, { resourceVersion: version });
    await ns.create('configmaps', configMap('c'));
    const seen = await first.next();
    first.close();
    await ns.create('configmaps', configMap('d'));
    const second = await ns.watch(path, { resourceVersion: seen.object.metadata.resourceVersion });
    await ns.create('configmaps', configMap('e'));
    expect(brief(await second.take(2))).toEqual(['ADDED d', 'ADDED e']);
  });
});
