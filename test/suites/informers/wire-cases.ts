import { describe, expect, test, vi } from 'vitest';
import { configMap } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { InformerScene } from './informer-scene.js';
import type { RecordingProxy } from './recording-proxy.js';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

/** What informers ask for, and what they do with the answers. */
export function describeWire(scene: () => InformerScene): void {
  describe('an informer', () => {
    test('lists by pages, and watches from the version of the list', () =>
      withConfigMaps(25, async (ns, proxy) => {
        const mirror = scene().start(
          { ...CONFIG_MAPS, namespace: ns.name, encoding: 'json', pageSize: 10 },
          proxy,
        );
        await mirror.informer.synced;
        await watching(proxy, 1);
        const lists = proxy.of('list');
        expect(lists.map(({ query }) => query['limit'])).toEqual(['10', '10', '10']);
        const pages = lists.map(({ body }) => JSON.parse(body()) as List);
        expect(pages.map(({ items }) => items.length)).toEqual([10, 10, 5]);
        expect(lists.map(({ query }) => query['continue'])).toEqual([
          undefined,
          pages[0]?.metadata.continue,
          pages[1]?.metadata.continue,
        ]);
        expect(proxy.of('watch').map(({ query }) => query)).toEqual([
          {
            watch: 'true',
            allowWatchBookmarks: 'true',
            resourceVersion: pages[2]?.metadata.resourceVersion,
            timeoutSeconds: expect.stringMatching(/^[3-5]\d\d$|^600$/),
          },
        ]);
        await scene().expectExact(mirror);
      }));

    test('lists in one piece from the cache if asked for', () =>
      withConfigMaps(25, async (ns, proxy) => {
        const options = { ...CONFIG_MAPS, namespace: ns.name, list: 'full', pageSize: 10 } as const;
        const mirror = scene().start(options, proxy);
        await mirror.informer.synced;
        expect(proxy.of('list').map(({ query }) => query)).toEqual([{ resourceVersion: '0' }]);
        await scene().expectExact(mirror);
      }));

    test('streams a list up to its end bookmark, and goes on watching on the same stream', () =>
      withConfigMaps(25, async (ns, proxy) => {
        const mirror = scene().start(
          { ...CONFIG_MAPS, namespace: ns.name, encoding: 'json', list: 'stream' },
          proxy,
        );
        await mirror.informer.synced;
        const { metadata } = await ns.create('configmaps', configMap('later'));
        await scene().caughtUp(mirror, metadata.resourceVersion);
        const [watch, ...others] = proxy.of('watch');
        expect(others).toEqual([]);
        expect(watch?.query).toMatchObject({
          sendInitialEvents: 'true',
          resourceVersionMatch: 'NotOlderThan',
          allowWatchBookmarks: 'true',
        });
        // A server sends plain bookmarks whenever it likes.
        const events = eventsOf(watch?.body() ?? '').filter(
          ({ type, object }) => type !== 'BOOKMARK' || object.metadata.annotations !== undefined,
        );
        expect(events.map(({ type }) => type)).toEqual([...Array(25).fill('ADDED'), 'BOOKMARK', 'ADDED']);
        expect(events[25]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
        // The one list is the consistency detector's.
        expect(proxy.of('list').map(({ query }) => query['resourceVersionMatch'])).toEqual(['Exact']);
        await scene().expectExact(mirror);
      }));

    test('whose watch is cut goes on from where it was, without a list', () =>
      withConfigMaps(5, async (ns, proxy) => {
        const mirror = scene().start({ ...CONFIG_MAPS, namespace: ns.name }, proxy);
        await mirror.informer.synced;
        const seen = await ns.change(ns.path('configmaps', 'object-1'), { data: { seen: 'yes' } });
        await scene().caughtUp(mirror, seen.metadata.resourceVersion);
        proxy.hold();
        await ns.change(ns.path('configmaps', 'object-1'), { data: { missed: 'yes' } });
        await ns.delete(ns.path('configmaps', 'object-2'));
        const { metadata } = await ns.create('configmaps', configMap('missed'));
        proxy.cut();
        await scene().caughtUp(mirror, metadata.resourceVersion);
        expect(proxy.of('list')).toHaveLength(1);
        expect(proxy.of('watch').at(-1)?.query['resourceVersion']).toBe(seen.metadata.resourceVersion);
        expect(await scene().expectExact(mirror)).toBe(5);
      }));
  });

  async function withConfigMaps(
    count: number,
    run: (ns: Sandbox, proxy: RecordingProxy) => Promise<void>,
  ): Promise<void> {
    const ns = await Sandbox.open(scene().target.api);
    try {
      for (let i = 0; i < count; i++) await ns.create('configmaps', configMap(`object-${i}`));
      await run(ns, await scene().proxy());
    } finally {
      await ns.close();
    }
  }
}

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly unknown[];
}

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly annotations?: unknown } };
}

function eventsOf(body: string): WatchEvent[] {
  const lines = body.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as WatchEvent);
}

export async function watching(proxy: RecordingProxy, count: number): Promise<void> {
  await vi.waitFor(() => expect(proxy.of('watch')).toHaveLength(count), 20_000);
}
