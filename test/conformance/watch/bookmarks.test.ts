/** WATCH with allowWatchBookmarks: when a bookmark comes and what it looks like. */

import { describe, expect } from 'vitest';
import { either, test } from '../harness/case.js';
import { configMap, pod } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';
import type { WatchEvent, WatchStream } from '../harness/watch-stream.js';

/** A server sends a bookmark about two seconds before it ends a watch, so this is the shortest watch with one. */
const TIMEOUT_SECONDS = 4;

async function versionOf(ns: Sandbox, path: string): Promise<string> {
  return (await ns.api.get(path)).json.metadata.resourceVersion;
}

/** After the first bookmark: nothing but bookmarks without annotation, then a clean end. */
async function expectBookmarksToEnd(watch: WatchStream): Promise<void> {
  const rest = await watch.rest();
  for (const { type, object } of rest) {
    expect(type).toBe('BOOKMARK');
    expect(Object.keys(object.metadata)).toEqual(['resourceVersion']);
  }
  await either(
    'how many bookmarks fit in before the deadline is up to the timer of the server',
    { name: 'one', check: () => expect(rest).toHaveLength(0) },
    { name: 'several', check: () => expect(rest.length).toBeGreaterThan(0) },
  );
}

describe.concurrent('a bookmark before the deadline', () => {
  test('has the revision of the collection even when no event matches the selector', async ({ ns }) => {
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
    expect(line).toBe(
      `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"${object.metadata.resourceVersion}"}}}`,
    );
    await expectBookmarksToEnd(watch);
  });

  test('of a Pod has the zero fields of the type', async ({ ns }) => {
    const path = ns.path('pods');
    const watch = await ns.watch(path, {
      resourceVersion: await versionOf(ns, path),
      allowWatchBookmarks: true,
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    await ns.create('pods', pod('a'));
    expect((await watch.nextChange()).type).toBe('ADDED');
    const { line, object } = await watch.next();
    expect(line).toBe(
      `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${object.metadata.resourceVersion}"},"spec":{"containers":null},"status":{}}}`,
    );
    await expectBookmarksToEnd(watch);
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

  test('after an end bookmark has no annotation', async ({ ns }) => {
    const watch = await ns.watch(ns.path('configmaps'), {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    const end = await watch.next();
    expect(end.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    await ns.create('configmaps', configMap('a'));
    expect((await watch.nextChange()).type).toBe('ADDED');
    const later = await watch.next();
    expect(later.type).toBe('BOOKMARK');
    expect(Object.keys(later.object.metadata)).toEqual(['resourceVersion']);
    await expectBookmarksToEnd(watch);
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
