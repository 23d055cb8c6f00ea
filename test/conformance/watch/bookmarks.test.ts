/** WATCH with allowWatchBookmarks: when a bookmark comes and what it looks like. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import { goJson } from '../harness/json-text.js';
import { configMap, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';
import {
  emptyTypedList,
  endAnnotations,
  isStreamingRejected,
  noCreationTime,
  STREAMING_LIST,
} from '../harness/versions.js';
import type { WatchEvent, WatchStream } from '../harness/watch-stream.js';

/** A server sends a bookmark about two seconds before it ends a watch, so this is the shortest watch with one. */
const TIMEOUT_SECONDS = 4;

async function versionOf(ns: Sandbox, path: string): Promise<string> {
  return (await ns.api.get(path)).json.metadata.resourceVersion;
}

function plainMetadata(resourceVersion: string, minor: number): object {
  return { resourceVersion, ...noCreationTime(minor) };
}

/** After the first bookmark: nothing but bookmarks without annotation, then a clean end. */
async function expectBookmarksToEnd(watch: WatchStream, minor: number): Promise<void> {
  const rest = await watch.rest();
  for (const { type, object } of rest) {
    expect(type).toBe('BOOKMARK');
    expect(Object.keys(object.metadata)).toEqual(Object.keys(plainMetadata('', minor)));
  }
  await either(
    'how many bookmarks fit in before the deadline is up to the timer of the server',
    { name: 'one', check: () => expect(rest).toHaveLength(0) },
    { name: 'several', check: () => expect(rest.length).toBeGreaterThan(0) },
  );
}

describe.concurrent('a bookmark before the deadline', () => {
  test('has the revision of the collection even when no event matches the selector', async ({
    ns,
    minor,
  }) => {
    const path = ns.path('configmaps');
    const watch = await ns.watch(path, {
      resourceVersion: await versionOf(ns, path),
      allowWatchBookmarks: true,
      timeoutSeconds: TIMEOUT_SECONDS,
      labelSelector: 'fits=nothing',
    });
    const written = await ns.create('configmaps', configMap('a'));
    const reached = (event: WatchEvent) =>
      BigInt(event.object.metadata.resourceVersion) >= BigInt(written.metadata.resourceVersion);
    const { line, object } = (await watch.until(reached)).at(-1)!;
    const metadata = goJson(plainMetadata(object.metadata.resourceVersion, minor));
    expect(line).toBe(
      `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":${metadata}}}`,
    );
    await expectBookmarksToEnd(watch, minor);
  });

  test('of a Pod has the zero fields of the type', async ({ ns, minor }) => {
    const path = ns.path('pods');
    const watch = await ns.watch(path, {
      resourceVersion: await versionOf(ns, path),
      allowWatchBookmarks: true,
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    await ns.create('pods', pod('a'));
    expect((await watch.nextChange()).type).toBe('ADDED');
    const { line, object } = await watch.next();
    const metadata = goJson(plainMetadata(object.metadata.resourceVersion, minor));
    expect(line).toBe(
      `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":${metadata},"spec":{"containers":null},"status":{}}}`,
    );
    await expectBookmarksToEnd(watch, minor);
  });

  test('of a custom resource has sorted keys', async ({ ns, widgets }) => {
    const path = widgets.pathIn(ns);
    const watch = await ns.watch(path, {
      resourceVersion: await versionOf(ns, path),
      allowWatchBookmarks: true,
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    await ns.createAt(path, widgets.widget('a'));
    expect((await watch.nextChange()).type).toBe('ADDED');
    const { line, object } = await watch.next();
    expect(line).toBe(
      `{"type":"BOOKMARK","object":{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"resourceVersion":"${object.metadata.resourceVersion}"}}}`,
    );
  });

  test('can be resumed from', async ({ ns }) => {
    const path = ns.path('configmaps');
    const watch = await ns.watch(path, {
      resourceVersion: await versionOf(ns, path),
      allowWatchBookmarks: true,
      timeoutSeconds: TIMEOUT_SECONDS,
      labelSelector: 'fits=nothing',
    });
    const written = await ns.create('configmaps', configMap('a'));
    const reached = (event: WatchEvent) =>
      BigInt(event.object.metadata.resourceVersion) >= BigInt(written.metadata.resourceVersion);
    const { object } = (await watch.until(reached)).at(-1)!;
    await ns.create('configmaps', configMap('b'));
    const resumed = await ns.watch(path, { resourceVersion: object.metadata.resourceVersion });
    expect((await resumed.next()).object.metadata.name).toBe('b');
  });

  test('after an end bookmark has no annotation', async ({ ns, minor }) => {
    const path = ns.path('configmaps');
    if (await isStreamingRejected({ ns, minor }, path)) return;
    const watch = await ns.watch(path, { ...STREAMING_LIST, timeoutSeconds: TIMEOUT_SECONDS });
    const end = await watch.next();
    expect(end.object.metadata.annotations).toEqual(endAnnotations(minor, emptyTypedList('ConfigMap', 'v1')));
    await ns.create('configmaps', configMap('a'));
    expect((await watch.nextChange()).type).toBe('ADDED');
    const later = await watch.next();
    expect(later.type).toBe('BOOKMARK');
    expect(Object.keys(later.object.metadata)).toEqual(Object.keys(plainMetadata('', minor)));
    await expectBookmarksToEnd(watch, minor);
  });

  test('is not sent without allowWatchBookmarks', async ({ ns }) => {
    const path = ns.path('configmaps');
    const watch = await ns.watch(path, {
      resourceVersion: await versionOf(ns, path),
      timeoutSeconds: TIMEOUT_SECONDS,
      labelSelector: 'fits=nothing',
    });
    await ns.create('configmaps', configMap('a'));
    await watch.expectEnd();
    expect(watch.raw).toBe('');
  });

  test.for(['false', '0'])('is not sent for allowWatchBookmarks=%s', async (value, { ns }) => {
    const watch = await ns.watch(ns.path('configmaps'), {
      resourceVersion: 0,
      allowWatchBookmarks: value,
      timeoutSeconds: 3,
    });
    await watch.expectEnd();
    expect(watch.raw).toBe('');
  });
});
