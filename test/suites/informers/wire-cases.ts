import { describe, expect, test, vi } from 'vitest';
import { configMap } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import { hasStreamingLists, minorOfServer } from '../../conformance/harness/versions.js';
import type { InformerFixture } from './informer-fixture.js';
import type { RecordingProxy } from './recording-proxy.js';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

/** The requests of informers, and how they handle the responses. */
export function describeWire(fixture: () => InformerFixture): void {
  describe('an informer', () => {
    test('lists in pages, and watches from the version of the list', () =>
      withConfigMaps(25, async (ns, proxy) => {
        const observed = fixture().start(
          { ...CONFIG_MAPS, namespace: ns.name, encoding: 'json', pageSize: 10 },
          proxy,
        );
        await observed.informer.synced;
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
        await fixture().expectExact(observed);
      }));

    test('lists without pages from the watch cache with list mode full', () =>
      withConfigMaps(25, async (ns, proxy) => {
        const options = { ...CONFIG_MAPS, namespace: ns.name, list: 'full', pageSize: 10 } as const;
        const observed = fixture().start(options, proxy);
        await observed.informer.synced;
        expect(proxy.of('list').map(({ query }) => query)).toEqual([{ resourceVersion: '0' }]);
        await fixture().expectExact(observed);
      }));

    test('streams a list up to its end bookmark, and continues to watch on the same stream, but for 1.33', () =>
      withConfigMaps(25, async (ns, proxy) => {
        const observed = fixture().start(
          { ...CONFIG_MAPS, namespace: ns.name, encoding: 'json', list: 'stream' },
          proxy,
        );
        await observed.informer.synced;
        const { metadata } = await ns.create('configmaps', configMap('later'));
        await fixture().caughtUp(observed, metadata.resourceVersion);
        if (!hasStreamingLists(await minorOfServer(fixture().target.api))) {
          // The streaming list is rejected, and a list takes its place.
          expect(proxy.of('watch').map(({ status }) => status)).toEqual([422, 200]);
          expect(proxy.of('list')).toHaveLength(1);
          await fixture().expectExact(observed);
          return;
        }
        const [watch, ...others] = proxy.of('watch');
        expect(others).toEqual([]);
        expect(watch?.query).toMatchObject({
          sendInitialEvents: 'true',
          resourceVersionMatch: 'NotOlderThan',
          allowWatchBookmarks: 'true',
        });
        // A server may send plain bookmarks at any time.
        const events = eventsOf(watch?.body() ?? '').filter(
          ({ type, object }) => type !== 'BOOKMARK' || object.metadata.annotations !== undefined,
        );
        expect(events.map(({ type }) => type)).toEqual([...Array(25).fill('ADDED'), 'BOOKMARK', 'ADDED']);
        expect(events[25]?.object.metadata.annotations).toMatchObject({
          'k8s.io/initial-events-end': 'true',
        });
        // The only list is that of the consistency detector.
        expect(proxy.of('list').map(({ query }) => query['resourceVersionMatch'])).toEqual(['Exact']);
        await fixture().expectExact(observed);
      }));

    test('resumes a watch that was cut, without a list', () =>
      withConfigMaps(5, async (ns, proxy) => {
        const observed = fixture().start({ ...CONFIG_MAPS, namespace: ns.name }, proxy);
        await observed.informer.synced;
        const seen = await ns.change(ns.path('configmaps', 'object-1'), { data: { seen: 'yes' } });
        await fixture().caughtUp(observed, seen.metadata.resourceVersion);
        proxy.hold();
        await ns.change(ns.path('configmaps', 'object-1'), { data: { missed: 'yes' } });
        await ns.delete(ns.path('configmaps', 'object-2'));
        const { metadata } = await ns.create('configmaps', configMap('missed'));
        proxy.cut();
        await fixture().caughtUp(observed, metadata.resourceVersion);
        expect(proxy.of('list')).toHaveLength(1);
        expect(proxy.of('watch').at(-1)?.query['resourceVersion']).toBe(seen.metadata.resourceVersion);
        expect(await fixture().expectExact(observed)).toBe(5);
      }));
  });

  async function withConfigMaps(
    count: number,
    run: (ns: Sandbox, proxy: RecordingProxy) => Promise<void>,
  ): Promise<void> {
    const ns = await Sandbox.open(fixture().target.api);
    try {
      for (let i = 0; i < count; i++) await ns.create('configmaps', configMap(`object-${i}`));
      await run(ns, await fixture().proxy());
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
