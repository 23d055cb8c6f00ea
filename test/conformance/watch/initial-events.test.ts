/** WATCH with sendInitialEvents: the state, the bookmark that ends it, then live. */

import { describe, expect } from 'vitest';
import { test } from '../harness/case.js';
import type { Query } from '../harness/client.js';
import {
  expectStatus,
  forbidden,
  invalidOptions,
  type StatusCause,
  statusText,
} from '../harness/expect-status.js';
import { goJson } from '../harness/json-text.js';
import { configMap, kindNamed } from '../harness/objects.js';
import type { Sandbox } from '../harness/sandbox.js';
import {
  emptyTypedList,
  endAnnotations,
  hasStreamingLists,
  isStreamingRejected,
  NO_STREAMING_LISTS,
  noCreationTime,
  STREAMING_LIST,
} from '../harness/versions.js';
import type { WatchEvent } from '../harness/watch-stream.js';

const SILENCE_MS = 250;

async function seed(ns: Sandbox): Promise<{ path: string; version: string }> {
  for (const name of ['b', 'a']) await ns.create('configmaps', configMap(name, { data: { k: 'v' } }));
  const path = ns.path('configmaps');
  return { path, version: (await ns.api.get(path)).json.metadata.resourceVersion };
}

function brief(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trimEnd());
}

function isEnd(event: WatchEvent): boolean {
  return event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}

describe.concurrent('sendInitialEvents=true', () => {
  test.for([
    ['without resourceVersion', () => ({})],
    ['at 0', () => ({ resourceVersion: 0 })],
    ['at N', (version) => ({ resourceVersion: version })],
  ] satisfies [string, (version: string) => Query][])(
    '%s sends the state, the end bookmark, then live events',
    async ([, query], { ns, minor }) => {
      const { path, version } = await seed(ns);
      const streaming = { ...STREAMING_LIST, ...query(version) };
      if (await isStreamingRejected({ ns, minor }, path, streaming)) return;
      const watch = await ns.watch(path, streaming);
      const events = await watch.take(3);
      expect(brief(events)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK']);
      const end = events[2]?.object.metadata.resourceVersion ?? '';
      const metadata = goJson({
        resourceVersion: end,
        ...noCreationTime(minor),
        annotations: endAnnotations(minor, emptyTypedList('ConfigMap', 'v1')),
      });
      expect(events[2]?.line).toBe(
        `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":${metadata}}}`,
      );
      expect(BigInt(end)).toBeGreaterThanOrEqual(BigInt(version));
      await ns.create('configmaps', configMap('c'));
      expect(brief([await watch.nextChange()])).toEqual(['ADDED c']);
    },
  );

  test('includes every write that was acknowledged before the request', async ({ ns, minor }) => {
    const path = ns.path('configmaps');
    if (await isStreamingRejected({ ns, minor }, path)) return;
    for (let i = 0; i < 5; i += 1) {
      const written = await ns.create('configmaps', configMap(`c${i}`));
      const watch = await ns.watch(path, STREAMING_LIST);
      const events = await watch.until(isEnd);
      expect(events).toHaveLength(i + 2);
      expect(BigInt(events.at(-1)?.object.metadata.resourceVersion ?? '0')).toBeGreaterThanOrEqual(
        BigInt(written.metadata.resourceVersion),
      );
      watch.close();
    }
  });

  test('for an empty collection sends only the end bookmark', async ({ ns, minor }) => {
    const path = ns.path('configmaps');
    if (await isStreamingRejected({ ns, minor }, path)) return;
    const watch = await ns.watch(path, STREAMING_LIST);
    expect(isEnd(await watch.next())).toBe(true);
    await watch.expectNoChange(SILENCE_MS);
  });

  test('without allowWatchBookmarks sends no bookmark', async ({ ns, minor }) => {
    const { path } = await seed(ns);
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    if (await isStreamingRejected({ ns, minor }, path, query)) return;
    const watch = await ns.watch(path, query);
    expect(brief(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
    await watch.expectSilence(SILENCE_MS);
  });

  test('with selectors sends only matching objects', async ({ ns, minor }) => {
    const { path } = await seed(ns);
    await ns.create('configmaps', configMap('c', { metadata: { labels: { l: '1' } } }));
    if (await isStreamingRejected({ ns, minor }, path, { ...STREAMING_LIST, labelSelector: 'l=1' })) return;
    const byLabel = await ns.watch(path, { ...STREAMING_LIST, labelSelector: 'l=1' });
    expect(brief(await byLabel.until(isEnd))).toEqual(['ADDED c', 'BOOKMARK']);
    const byField = await ns.watch(path, { ...STREAMING_LIST, fieldSelector: 'metadata.name=a' });
    expect(brief(await byField.until(isEnd))).toEqual(['ADDED a', 'BOOKMARK']);
  });

  test('sends the objects as in a GET', async ({ ns, minor }) => {
    const { path } = await seed(ns);
    if (await isStreamingRejected({ ns, minor }, path)) return;
    const watch = await ns.watch(path, STREAMING_LIST);
    const { line } = await watch.next();
    const object = (await ns.api.get(`${path}/a`)).text.trimEnd();
    expect(line).toBe(`{"type":"ADDED","object":${object}}`);
  });

  test('sends an end bookmark that can be resumed from', async ({ ns, minor }) => {
    const { path } = await seed(ns);
    if (await isStreamingRejected({ ns, minor }, path)) return;
    const stream = await ns.watch(path, STREAMING_LIST);
    const end = (await stream.until(isEnd)).at(-1);
    stream.close();
    await ns.create('configmaps', configMap('c'));
    const resumed = await ns.watch(path, { resourceVersion: end?.object.metadata.resourceVersion ?? '' });
    expect(brief([await resumed.next()])).toEqual(['ADDED c']);
  });

  test('is true for any value but 0 and false', async ({ ns, minor }) => {
    const { path } = await seed(ns);
    const query = { ...STREAMING_LIST, sendInitialEvents: 'maybe' };
    if (await isStreamingRejected({ ns, minor }, path, query)) return;
    const watch = await ns.watch(path, query);
    expect(brief(await watch.until(isEnd))).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK']);
  });

  test('works for Events, which have no watch cache', async ({ ns, minor }) => {
    await ns.createKind(kindNamed('Event'), 'e');
    if (await isStreamingRejected({ ns, minor }, ns.path('events'))) return;
    const watch = await ns.watch(ns.path('events'), STREAMING_LIST);
    expect(brief(await watch.until(isEnd))).toEqual(['ADDED e', 'BOOKMARK']);
  });

  test('for a custom resource sends an end bookmark with sorted keys', async ({ ns, widgets, minor }) => {
    const path = widgets.pathIn(ns);
    await ns.createAt(path, widgets.widget('w'));
    if (await isStreamingRejected({ ns, minor }, path)) return;
    const watch = await ns.watch(path, STREAMING_LIST);
    const end = (await watch.until(isEnd)).at(-1);
    const emptyList = { apiVersion: widgets.apiVersion, items: [], kind: 'WidgetList' };
    const annotations = goJson(endAnnotations(minor, emptyList));
    expect(end?.line).toBe(
      `{"type":"BOOKMARK","object":{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"annotations":${annotations},"resourceVersion":"${end?.object.metadata.resourceVersion}"}}}`,
    );
  });

  test('ahead of the store sends an ERROR 504 in a 200, then ends', async ({ ns, minor }) => {
    const { path, version } = await seed(ns);
    const future = String(BigInt(version) + 1_000_000n);
    const query = { ...STREAMING_LIST, resourceVersion: future };
    if (await isStreamingRejected({ ns, minor }, path, query)) return;
    const watch = await ns.watch(path, query);
    const { type, line } = await watch.next();
    expect(type).toBe('ERROR');
    const object = line.slice('{"type":"ERROR","object":'.length, -1);
    expect(object).toBe(
      statusText(object, {
        code: 504,
        reason: 'Timeout',
        message: new RegExp(`^Timeout: Too large resource version: ${future}, current: [1-9][0-9]*$`),
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      }),
    );
    await watch.expectEnd();
  });
});

describe.concurrent('without sendInitialEvents', () => {
  test.for([
    ['resourceVersion 0', { resourceVersion: 0 }],
    ['no resourceVersion', {}],
  ] satisfies [string, Query][])(
    '%s with bookmarks sends an end bookmark too',
    async ([, query], { ns, minor }) => {
      const { path } = await seed(ns);
      const watch = await ns.watch(path, { ...query, allowWatchBookmarks: true });
      expect(brief(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
      if (hasStreamingLists(minor)) expect(isEnd(await watch.next())).toBe(true);
      else await watch.expectNoChange(SILENCE_MS);
    },
  );
});

describe.concurrent('sendInitialEvents=false', () => {
  test('without resourceVersion sends only live events', async ({ ns, minor }) => {
    const { path } = await seed(ns);
    const query = { ...STREAMING_LIST, sendInitialEvents: false };
    if (await isStreamingRejected({ ns, minor }, path, query)) return;
    const watch = await ns.watch(path, query);
    await watch.expectNoChange(SILENCE_MS);
    await ns.create('configmaps', configMap('c'));
    expect(brief([await watch.nextChange()])).toEqual(['ADDED c']);
  });

  test('at N sends the events after N', async ({ ns, minor }) => {
    const { path, version } = await seed(ns);
    await ns.create('configmaps', configMap('c'));
    const query = { ...STREAMING_LIST, sendInitialEvents: false, resourceVersion: version };
    if (await isStreamingRejected({ ns, minor }, path, query)) return;
    const watch = await ns.watch(path, query);
    expect(brief([await watch.nextChange()])).toEqual(['ADDED c']);
  });
});

describe.concurrent('sendInitialEvents is rejected with a 422', () => {
  const needsMatch = forbidden(
    'resourceVersionMatch',
    'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  );
  const unsupported = (value: string): Required<StatusCause> => ({
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: "${value}": supported values: "NotOlderThan"`,
    field: 'resourceVersionMatch',
  });
  const rows: [title: string, query: Query, causes: Required<StatusCause>[]][] = [
    ['true without match', { sendInitialEvents: true }, [needsMatch]],
    ['false without match', { sendInitialEvents: false }, [needsMatch]],
    [
      'a match without sendInitialEvents',
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: 0 },
      [
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      ],
    ],
    [
      'Exact',
      { sendInitialEvents: true, resourceVersionMatch: 'Exact', resourceVersion: 1 },
      [needsMatch, unsupported('Exact')],
    ],
    [
      'an unknown match',
      { sendInitialEvents: true, resourceVersionMatch: 'Foo' },
      [needsMatch, unsupported('Foo')],
    ],
  ];
  test.for(rows)('for %s', async ([, query, causes], { ns, minor }) => {
    const response = await ns.api.get(ns.path('configmaps'), { watch: 1, ...query });
    // Without streaming lists there is one cause more, after the first.
    const isMore = !hasStreamingLists(minor) && 'sendInitialEvents' in query;
    const expected = isMore ? causes.toSpliced(1, 0, NO_STREAMING_LISTS) : causes;
    expectStatus(response, invalidOptions('ListOptions', expected));
  });
});

describe.concurrent('the end bookmark has the zero fields of its kind', () => {
  const nodeInfo = {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  };
  type Template = { readonly metadata: object; readonly spec: object };
  const rows: [kind: string, rest: (template: Template) => Record<string, unknown>][] = [
    ['Pod', () => ({ spec: { containers: null }, status: {} })],
    ['Node', () => ({ spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo } })],
    ['Namespace', () => ({ spec: {}, status: {} })],
    ['Service', () => ({ spec: {}, status: { loadBalancer: {} } })],
    ['Endpoints', () => ({})],
    ['EndpointSlice', () => ({ addressType: '', endpoints: null, ports: null })],
    ['ConfigMap', () => ({})],
    ['Secret', () => ({})],
    [
      'Event',
      () => ({
        involvedObject: {},
        source: {},
        firstTimestamp: null,
        lastTimestamp: null,
        eventTime: null,
        reportingComponent: '',
        reportingInstance: '',
      }),
    ],
    ['Lease', () => ({ spec: {} })],
    [
      'Deployment',
      (template) => ({ spec: { replicas: 0, selector: null, template, strategy: {} }, status: {} }),
    ],
    [
      'ReplicaSet',
      (template) => ({ spec: { replicas: 0, selector: null, template }, status: { replicas: 0 } }),
    ],
    ['Job', (template) => ({ spec: { template }, status: {} })],
  ];
  test.for(rows)('for %s', async ([name, rest], { ns, minor }) => {
    const kind = kindNamed(name);
    const query = { ...STREAMING_LIST, fieldSelector: 'metadata.name=no-such-object' };
    if (await isStreamingRejected({ ns, minor }, ns.pathOf(kind), query)) return;
    const watch = await ns.watch(ns.pathOf(kind), query);
    const { line, object } = await watch.next();
    const metadata = {
      resourceVersion: object.metadata.resourceVersion,
      ...noCreationTime(minor),
      annotations: endAnnotations(minor, emptyTypedList(kind.kind, kind.apiVersion)),
    };
    const template = { metadata: noCreationTime(minor), spec: { containers: null } };
    expect(line).toBe(
      goJson({
        type: 'BOOKMARK',
        object: { kind: kind.kind, apiVersion: kind.apiVersion, metadata, ...rest(template) },
      }),
    );
  });
});
