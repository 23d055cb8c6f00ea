/** WATCH: the events of one object's life, their types, their order, their bytes. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import type { Query } from '../harness/client.js';
import { goJson } from '../harness/json-text.js';
import { configMap, type KubeObject, pod } from '../harness/objects.js';
import { JSON_PATCH, type Sandbox } from '../harness/sandbox.js';
import {
  emptyTypedList,
  endAnnotations,
  hasStreamingLists,
  noCreationTime,
  podGeneration,
} from '../harness/versions.js';
import type { WatchEvent, WatchStream } from '../harness/watch-stream.js';

const SILENCE_MS = 250;

/** A watch of a collection from now on. */
async function live(ns: Sandbox, path: string, query: Record<string, string> = {}): Promise<WatchStream> {
  const { resourceVersion } = (await ns.api.get(path)).json.metadata;
  return ns.watch(path, { resourceVersion, ...query });
}

function brief(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`);
}

function isAfter(later: KubeObject, earlier: KubeObject): boolean {
  return BigInt(later.metadata.resourceVersion) > BigInt(earlier.metadata.resourceVersion);
}

describe('an event', () => {
  test('is one line with type and the object as in a GET', async ({ ns }) => {
    const path = ns.path('configmaps');
    const watch = await live(ns, path);
    await ns.create('configmaps', configMap('a', { data: { text: 'line\nbreak <&>' } }));
    const { line } = await watch.next();
    const object = (await ns.api.get(`${path}/a`)).text.trimEnd();
    expect(line).toBe(`{"type":"ADDED","object":${object}}`);
    expect(watch.raw).toBe(`${line}\n`);
  });

  test('of a large object is still one line', async ({ ns }) => {
    const path = ns.path('configmaps');
    const watch = await live(ns, path);
    await ns.create('configmaps', configMap('a', { data: { k: 'x\n'.repeat(250_000) } }));
    const { object, line } = await watch.next();
    expect(object.data?.['k']).toHaveLength(500_000);
    expect(line.length).toBeGreaterThan(700_000);
  });

  test('is never pretty', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const path = ns.path('configmaps');
    const watch = await ns.watch(path, { pretty: 'true' }, { 'User-Agent': 'curl/8.0' });
    const { line } = await watch.next();
    expect(line).toMatch(/^\{"type":"ADDED","object":\{"kind":"ConfigMap",/);
  });

  test('of PartialObjectMetadata has metadata only', async ({ ns, minor }) => {
    const path = ns.path('configmaps');
    await ns.create('configmaps', configMap('a', { data: { k: 'v' } }));
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const watch = await ns.watch(path, { allowWatchBookmarks: true }, { Accept: accept });
    const added = await watch.next();
    const { metadata } = (await ns.api.get(`${path}/a`)).json;
    expect(added.object).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
    if (!hasStreamingLists(minor)) return;
    const end = await watch.next();
    const endMetadata = goJson({
      resourceVersion: end.object.metadata.resourceVersion,
      ...noCreationTime(minor),
      annotations: endAnnotations(minor, emptyTypedList('PartialObjectMetadata', 'meta.k8s.io/v1')),
    });
    expect(end.line).toBe(
      `{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${endMetadata}}}`,
    );
  });

  test('is never sent as PartialObjectMetadataList: the stream ends', async ({ ns }) => {
    await ns.create('configmaps', configMap('a'));
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const watch = await ns.watch(ns.path('configmaps'), {}, { Accept: accept });
    await watch.expectEnd();
    expect(watch.raw).toBe('');
  });

  test('of a Table has one row, and columns only in the first', async ({ ns, minor }) => {
    await ns.create('configmaps', configMap('a', { data: { k: 'v' } }));
    await ns.create('configmaps', configMap('b'));
    const accept = { Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const path = ns.path('configmaps');
    // 1.32 cannot write its blueprint of a list as a Table.
    if (minor < 33) {
      const rejected = await ns.api.get(path, { watch: 1, allowWatchBookmarks: true }, accept);
      expect(rejected.status).toBe(406);
    }
    const query: Query = minor < 33 ? {} : { allowWatchBookmarks: true };
    const watch = await ns.watch(path, query, accept);
    const [first, second] = await watch.take(2);
    const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1' };
    expect(first?.object).toMatchObject({
      ...table,
      columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }],
      rows: [{ cells: ['a', 1, expect.any(String)], object: { kind: 'PartialObjectMetadata' } }],
    });
    expect(second?.object).toMatchObject({
      ...table,
      columnDefinitions: null,
      rows: [{ cells: ['b', 0, expect.any(String)] }],
    });
    if (minor < 33 || !hasStreamingLists(minor)) return;
    const end = await watch.next();
    const rowMetadata = {
      resourceVersion: end.object.metadata.resourceVersion,
      annotations: { 'k8s.io/initial-events-end': 'true' },
    };
    expect(end.object).toMatchObject({
      ...table,
      metadata: { resourceVersion: end.object.metadata.resourceVersion },
      columnDefinitions: null,
      rows: [{ cells: ['', 0, '<unknown>'], object: { metadata: rowMetadata } }],
    });
  });
});

describe('the life cycle of an object', () => {
  test('is ADDED, MODIFIED, DELETED with growing revisions', async ({ ns }) => {
    const path = ns.path('configmaps');
    const watch = await live(ns, path);
    const created = await ns.create('configmaps', configMap('a'));
    const changed = await ns.change(`${path}/a`, { data: { k: '1' } });
    await ns.delete(`${path}/a`);
    const events = await watch.take(3);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(events[0]?.object).toEqual(created);
    expect(events[1]?.object).toEqual(changed);
    const last = events[2]!.object;
    expect(isAfter(last, changed)).toBe(true);
    expect({ ...last, metadata: { ...last.metadata, resourceVersion: '' } }).toEqual({
      ...changed,
      metadata: { ...changed.metadata, resourceVersion: '' },
    });
  });

  test('is sent in every version, in order', async ({ ns }) => {
    const path = ns.path('configmaps');
    await ns.create('configmaps', configMap('a'));
    const watch = await live(ns, path);
    const written: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      written.push((await ns.change(`${path}/a`, { data: { n: String(i) } })).metadata.resourceVersion);
    }
    const events = await watch.take(20);
    expect(events.map(({ object }) => object.metadata.resourceVersion)).toEqual(written);
    expect(events.map(({ object }) => object.data?.['n'])).toEqual(written.map((_, i) => String(i)));
  });

  test('has no event for writes that change nothing', async ({ ns }) => {
    const path = ns.path('configmaps');
    const created = await ns.create('configmaps', configMap('a', { data: { k: '1' } }));
    const watch = await live(ns, path);
    await ns.change(`${path}/a`, { data: { k: '1' } });
    await ns.change(`${path}/a`, {});
    await ns.api.request('PUT', `${path}/a`, { body: created });
    await ns.patch(`${path}/a`, [{ op: 'test', path: '/data/k', value: '1' }], { type: JSON_PATCH });
    await watch.expectSilence(SILENCE_MS);
  });

  test('has no event for dry runs', async ({ ns }) => {
    const path = ns.path('configmaps');
    await ns.create('configmaps', configMap('a'));
    const watch = await live(ns, path);
    await ns.patch(`${path}/a`, { data: { k: '1' } }, { query: { dryRun: 'All' } });
    await ns.delete(`${path}/a`, { query: { dryRun: 'All' } });
    await ns.api.request('POST', path, { body: configMap('b'), query: { dryRun: 'All' } });
    await watch.expectSilence(SILENCE_MS);
  });

  test('with a finalizer is MODIFIED with deletionTimestamp, then DELETED with the content last stored', async ({
    ns,
  }) => {
    const path = ns.path('configmaps');
    await ns.create('configmaps', configMap('a', { metadata: { finalizers: ['kubeflect.dev/hold'] } }));
    const watch = await live(ns, path);
    await ns.delete(`${path}/a`);
    const marked = await watch.next();
    expect(marked.type).toBe('MODIFIED');
    expect(marked.object.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
      finalizers: ['kubeflect.dev/hold'],
    });
    await ns.change(`${path}/a`, { metadata: { finalizers: null } });
    const gone = await watch.next();
    expect(gone.type).toBe('DELETED');
    expect(isAfter(gone.object, marked.object)).toBe(true);
    expect({ ...gone.object.metadata, resourceVersion: '' }).toEqual({
      ...marked.object.metadata,
      resourceVersion: '',
    });
  });

  test('of a scheduled pod is MODIFIED with the grace period, MODIFIED without one, DELETED', async ({
    ns,
    minor,
  }) => {
    const path = ns.path('pods');
    await ns.create('pods', pod('a', { spec: { nodeName: 'n1' } }));
    const watch = await live(ns, path);
    await ns.delete(`${path}/a`);
    await ns.delete(`${path}/a`, { query: { gracePeriodSeconds: 0 } });
    const events = await watch.take(3);
    const told = events.map(({ type, object }) => {
      const { generation, deletionGracePeriodSeconds } = object.metadata;
      return { type, generation, deletionGracePeriodSeconds };
    });
    const generation = podGeneration(minor, 2);
    expect(told).toEqual([
      { type: 'MODIFIED', generation, deletionGracePeriodSeconds: 30 },
      { type: 'MODIFIED', generation, deletionGracePeriodSeconds: 0 },
      { type: 'DELETED', generation, deletionGracePeriodSeconds: 0 },
    ]);
  });

  test.for(['unscheduled', 'finished'])(
    'of an %s pod: MODIFIED with no grace, then DELETED',
    async (state, { ns, minor }) => {
      const path = ns.path('pods');
      await ns.create('pods', pod('a', state === 'finished' ? { spec: { nodeName: 'n1' } } : {}));
      if (state === 'finished') await ns.change(`${path}/a/status`, { status: { phase: 'Succeeded' } });
      const watch = await live(ns, path);
      const response = await ns.delete(`${path}/a`);
      const [marked, gone] = await watch.take(2);
      expect(brief([marked!, gone!])).toEqual(['MODIFIED a', 'DELETED a']);
      expect(marked?.object.metadata.deletionGracePeriodSeconds).toBe(0);
      expect(marked?.object.metadata.generation).toBe(podGeneration(minor, 2));
      expect(isAfter(gone!.object, marked!.object)).toBe(true);
      expect(response.json.metadata.resourceVersion).toBe(gone?.object.metadata.resourceVersion);
    },
  );

  test('has MODIFIED events for status writes too', async ({ ns, minor }) => {
    const path = ns.path('pods');
    await ns.create('pods', pod('a'));
    const watch = await live(ns, path);
    await ns.change(`${path}/a/status`, { status: { phase: 'Running' } });
    const { type, object } = await watch.next();
    expect(type).toBe('MODIFIED');
    expect(object.metadata.generation).toBe(podGeneration(minor, 1));
    expect(object.status).toMatchObject({ phase: 'Running' });
  });

  test('has a DELETED event for each object of a deletecollection', async ({ ns }) => {
    const path = ns.path('configmaps');
    for (const name of ['a', 'b', 'c']) await ns.create('configmaps', configMap(name));
    const watch = await live(ns, path);
    await ns.delete(path);
    const events = await watch.take(3);
    expect(brief(events).sort()).toEqual(['DELETED a', 'DELETED b', 'DELETED c']);
    expect(new Set(events.map(({ object }) => object.metadata.resourceVersion)).size).toBe(3);
  });

  test('has another uid after the object was recreated', async ({ ns }) => {
    const path = ns.path('configmaps');
    const watch = await live(ns, path);
    await ns.create('configmaps', configMap('a'));
    await ns.delete(`${path}/a`);
    await ns.create('configmaps', configMap('a'));
    const events = await watch.take(3);
    expect(brief(events)).toEqual(['ADDED a', 'DELETED a', 'ADDED a']);
    expect(events[2]?.object.metadata.uid).not.toBe(events[0]?.object.metadata.uid);
  });

  test('is the same for every watcher', async ({ ns }) => {
    const path = ns.path('configmaps');
    const one = await live(ns, path);
    const other = await live(ns, path);
    await ns.create('configmaps', configMap('a'));
    await ns.delete(`${path}/a`);
    await one.take(2);
    await other.take(2);
    expect(one.raw).toBe(other.raw);
  });
});

describe('event types relative to the selector', () => {
  test('are ADDED when a label starts to match, MODIFIED while it does, DELETED when it stops', async ({
    ns,
  }) => {
    const path = ns.path('configmaps');
    await ns.create('configmaps', configMap('a', { data: { n: '0' } }));
    const watch = await live(ns, path, { labelSelector: 'in=yes' });
    await ns.change(`${path}/a`, { data: { n: '1' } });
    await ns.change(`${path}/a`, { metadata: { labels: { in: 'yes' } } });
    const before = await ns.change(`${path}/a`, { data: { n: '2' } });
    const after = await ns.change(`${path}/a`, { metadata: { labels: { in: 'no' } }, data: { n: '3' } });
    await ns.change(`${path}/a`, { data: { n: '4' } });
    await ns.delete(`${path}/a`);
    const events = await watch.take(3);
    expect(events.map(({ type, object }) => `${type} ${object.data?.['n']}`)).toEqual([
      'ADDED 1',
      'MODIFIED 2',
      'DELETED 2',
    ]);
    const left = events[2]!.object;
    expect(left.metadata.resourceVersion).toBe(after.metadata.resourceVersion);
    expect({ ...left.metadata, resourceVersion: '' }).toEqual({ ...before.metadata, resourceVersion: '' });
    await watch.expectSilence(SILENCE_MS);
  });

  test('follow field selectors too, such as status.phase of pods', async ({ ns }) => {
    const path = ns.path('pods');
    await ns.create('pods', pod('a'));
    const watch = await live(ns, path, { fieldSelector: 'status.phase=Running' });
    await ns.change(`${path}/a/status`, { status: { phase: 'Running' } });
    await ns.change(`${path}/a/status`, { status: { phase: 'Succeeded' } });
    const [came, went] = await watch.take(2);
    expect(brief([came!, went!])).toEqual(['ADDED a', 'DELETED a']);
    expect(went?.object.status).toMatchObject({ phase: 'Running' });
  });

  test('are the same when resuming from history', async ({ ns }) => {
    const path = ns.path('configmaps');
    const { resourceVersion } = (await ns.api.get(path)).json.metadata;
    await ns.create('configmaps', configMap('a', { metadata: { labels: { in: 'yes' } } }));
    await ns.change(`${path}/a`, { metadata: { labels: { in: 'no' } } });
    const watch = await ns.watch(path, { resourceVersion, labelSelector: 'in=yes' });
    expect(brief(await watch.take(2))).toEqual(['ADDED a', 'DELETED a']);
  });

  test('are sent only for the name of a field selector', async ({ ns }) => {
    const path = ns.path('configmaps');
    const watch = await live(ns, path, { fieldSelector: 'metadata.name=b' });
    for (const name of ['a', 'b', 'c']) await ns.create('configmaps', configMap(name));
    expect(brief([await watch.next()])).toEqual(['ADDED b']);
    await watch.expectSilence(SILENCE_MS);
  });
});
