import { describe, expect, it } from 'vitest';
import type {
  ExpectedObject,
  ListChunk,
  WatchChunk,
  WatchEntry,
} from '#dist/src/reflector/lister-watcher.js';
import {
  ListerWatcherFuncs,
  type PlainList,
  type PlainWatchEvent,
} from '#dist/src/reflector/lister-watcher-funcs.js';
import { added, bookmark, list, type Pod, pod } from '../support/servers/scripted-server.js';

const { signal } = new AbortController();
const POD: ExpectedObject = { apiVersion: 'v1', kind: 'Pod' };

async function chunksOf(answer: PlainList<Pod>, expected?: ExpectedObject): Promise<ListChunk<Pod>[]> {
  const source = new ListerWatcherFuncs<Pod>({
    list: async () => answer,
    watch: async () => (async function* () {})(),
  });
  const chunks: ListChunk<Pod>[] = [];
  for await (const chunk of source.list({ resourceVersion: '' }, signal, expected)) chunks.push(chunk);
  return chunks;
}

async function eventOf(
  event: PlainWatchEvent,
  expected?: ExpectedObject,
): Promise<WatchEntry<Pod> | undefined> {
  const source = new ListerWatcherFuncs<Pod>({
    list: async () => list('1'),
    watch: () =>
      (async function* () {
        yield event;
      })(),
  });
  const request = { resourceVersion: '', allowWatchBookmarks: true, timeoutSeconds: 300 };
  const chunks: WatchChunk<Pod>[] = [];
  for await (const chunk of source.watch(request, signal, expected)) chunks.push(chunk);
  return chunks[0]?.type === 'events' ? chunks[0].events[0] : undefined;
}

describe('ListerWatcherFuncs, list', () => {
  it('yields entries and an end', async () => {
    const chunks = await chunksOf(list('10', [pod('a', '1')], 'token'));
    expect(chunks).toMatchObject([
      { type: 'items', entries: [{ key: 'ns/a', uid: 'uid-a', resourceVersion: '1' }], rejected: [] },
      { type: 'end', resourceVersion: '10', continue: 'token' },
    ]);
  });

  it('yields only an end for an empty list', async () => {
    expect(await chunksOf(list('10'))).toEqual([{ type: 'end', resourceVersion: '10', continue: '' }]);
  });

  it('yields a long list in chunks', async () => {
    const items = Array.from({ length: 2500 }, (_, index) => pod(`p${index}`, '1'));
    const chunks = await chunksOf(list('10', items));
    expect(chunks.map((chunk) => (chunk.type === 'items' ? chunk.entries.length : chunk.type))).toEqual([
      1000,
      1000,
      500,
      'end',
    ]);
  });

  it('accepts objects with an empty resource version, as fakes have', async () => {
    const [items] = await chunksOf({ items: [pod('a', '')] }, POD);
    expect(items).toMatchObject({ entries: [{ key: 'ns/a' }], rejected: [] });
  });

  it('adds the type that items of typed lists lack, without mutating them', async () => {
    const bare = { metadata: { name: 'a', resourceVersion: '1' } };
    const [items] = await chunksOf({ kind: 'PodList', apiVersion: 'v1', items: [bare] }, POD);
    expect(items).toMatchObject({ entries: [{ object: { kind: 'Pod', apiVersion: 'v1' } }] });
    expect(bare).not.toHaveProperty('kind');
  });

  it.each([
    ['another kind', { ...pod('a', '1'), kind: 'Node' }, 'wrong-type', 'ns/a'],
    ['another apiVersion', { ...pod('a', '1'), apiVersion: 'v2' }, 'wrong-gvk', 'ns/a'],
    ['no metadata', { kind: 'Pod', apiVersion: 'v1' }, 'no-metadata', undefined],
    [
      'no name',
      { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '1' } },
      'no-metadata',
      undefined,
    ],
    ['no version', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }, 'no-metadata', 'a'],
    ['no object at all', null as unknown as Pod, 'no-metadata', undefined],
  ])('rejects an item with %s', async (_, item, reason, key) => {
    const [items] = await chunksOf({ items: [item as Pod, pod('fine', '2')] }, POD);
    expect(items).toMatchObject({ entries: [{ key: 'ns/fine' }], rejected: [{ reason }] });
    expect(items?.type === 'items' && items.rejected?.[0]?.key).toBe(key);
  });

  it('fails on a list without items', async () => {
    await expect(chunksOf({} as PlainList<Pod>)).rejects.toMatchObject({ code: 'KUBEFLECT_LIST_FAILED' });
  });
});

describe('ListerWatcherFuncs, watch', () => {
  it.each(['ADDED', 'MODIFIED', 'DELETED'])('yields %s events', async (type) => {
    expect(await eventOf({ type, object: pod('a', '5') }, POD)).toMatchObject({
      type,
      entry: { key: 'ns/a' },
    });
  });

  it.each([
    [bookmark('9'), false],
    [bookmark('9', 'true'), true],
    [bookmark('9', 'True'), false],
  ])('yields bookmarks', async (event, initialEventsEnd) => {
    expect(await eventOf(event, POD)).toEqual({ type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd });
  });

  // TestFromObject, TestIsUnexpectedObjectError
  it.each([
    [{ kind: 'Status', apiVersion: 'v1', code: 410 }, 410],
    [{ kind: 'Status', apiVersion: 'meta.k8s.io/v1', code: 410 }, 410],
    [{ kind: 'Status', apiVersion: 'v2', code: 410 }, undefined],
    [{ kind: 'Pod', apiVersion: 'v1', code: 410 }, undefined],
    [undefined, undefined],
  ])('reads a Status, and only a Status, from an ERROR event: %j', async (object, code) => {
    const event = await eventOf({ type: 'ERROR', object }, POD);
    expect(event).toMatchObject({ type: 'ERROR' });
    expect(event?.type === 'ERROR' && event.status.code).toBe(code);
  });

  it.each([
    [
      { type: 'ADDED', object: { ...pod('a', '5'), kind: 'Node' } },
      { reason: 'wrong-type', key: 'ns/a', eventType: 'ADDED' },
    ],
    [{ type: 'ADDED', object: { ...pod('a', '5'), apiVersion: 'v2' } }, { reason: 'wrong-gvk' }],
    [
      { type: 'BOOKMARK', object: { kind: 'Node', metadata: { resourceVersion: '5' } } },
      { reason: 'wrong-type' },
    ],
    [
      { type: 'DELETED', object: { kind: 'Pod', apiVersion: 'v1' } },
      { reason: 'no-metadata', eventType: 'DELETED' },
    ],
    [
      { type: 'RENAMED', object: pod('a', '5') },
      { reason: 'unknown-event', key: 'ns/a', resourceVersion: '5' },
    ],
    [{ type: 'HELLO', object: undefined }, { reason: 'no-metadata' }],
  ])('rejects %j', async (event, rejected) => {
    expect(await eventOf(event, POD)).toMatchObject({ type: 'REJECTED', rejected });
  });

  it('rejects Tables when no type is expected', async () => {
    const table = { ...pod('a', '5'), kind: 'Table', apiVersion: 'meta.k8s.io/v1' };
    expect(await eventOf({ type: 'ADDED', object: table })).toMatchObject({ rejected: { reason: 'table' } });
  });

  it('yields open when its promise resolves, before the first event', async () => {
    const source = new ListerWatcherFuncs<Pod>({
      list: async () => list('1'),
      watch: async () =>
        (async function* () {
          yield added('a', '1');
        })(),
    });
    const types: string[] = [];
    const request = { resourceVersion: '', allowWatchBookmarks: true, timeoutSeconds: 300 };
    for await (const chunk of source.watch(request, signal)) types.push(chunk.type);
    expect(types).toEqual(['open', 'events']);
  });
});
