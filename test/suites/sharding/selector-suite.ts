/**
 * `shardSelector` of an API server whose feature gate ShardedListAndWatch is on, or off, for the real and the embedded
 * one.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fnv1a64 } from '#dist/src/kube/sharding/fnv.js';
import { isInRanges, rangeOfShard } from '#dist/src/kube/sharding/hash-range.js';
import { parseShardSelector, ShardSelectorError } from '#dist/src/kube/sharding/parse-shard-selector.js';
import { formatShardSelector, uidSelector } from '#dist/src/kube/sharding/shard-selector.js';
import type { ApiClient, ApiResponse } from '../../conformance/harness/client.js';
import { CustomResource } from '../../conformance/harness/custom-resource.js';
import { configMap, type KubeObject } from '../../conformance/harness/objects.js';
import { Sandbox } from '../../conformance/harness/sandbox.js';
import type { Target } from '../../conformance/harness/target.js';
import { hasStreamingLists, minorOfServer, STREAMING_LIST } from '../../conformance/harness/versions.js';
import type { WatchStream } from '../../conformance/harness/watch-stream.js';
import { SELECTORS } from './selectors.js';

const OBJECTS = 24;
const SHARDS = 3;
const METADATA_LIST = { Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
const METADATA = { Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
const PROTOBUF = { Accept: 'application/vnd.kubernetes.protobuf' };

/** An answer in few words, so that many of them can be compared at once. */
interface Answer {
  readonly code: number;
  readonly selector?: string;
  readonly message?: string;
}

function selectorOf(shard: number): string {
  return uidSelector([rangeOfShard(shard, SHARDS)]);
}

function isOfShard({ metadata }: KubeObject, shard: number): boolean {
  return isInRanges(fnv1a64(metadata.uid), [rangeOfShard(shard, SHARDS)]);
}

function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}

function echoOf(response: ApiResponse): unknown {
  return (response.json.metadata as { shardInfo?: { selector?: unknown } }).shardInfo?.selector;
}

interface ShardSelectorSuiteOptions {
  readonly isOn: boolean;
  /** As 1.36 does: pages of a shard say how many objects of the whole collection remain. */
  readonly countsRemaining?: boolean;
}

export function shardSelectorSuite(
  open: () => Promise<Target>,
  { isOn, countsRemaining = !isOn }: ShardSelectorSuiteOptions,
): void {
  let target: Target;
  let api: ApiClient;
  let ns: Sandbox;
  let widgets: CustomResource;
  let all: KubeObject[];
  let path: string;
  let isStreaming: boolean;

  /** What a server sends for a shard. */
  const expected = (shard: number, objects: readonly KubeObject[] = all): string[] =>
    namesOf(objects.filter((object) => !isOn || isOfShard(object, shard)));

  /** After its initial events, where it can have some. */
  const watchAll = async (shardSelector: string): Promise<WatchStream> => {
    if (!isStreaming) {
      const { json } = await api.get(path);
      return ns.watch(path, { resourceVersion: json.metadata.resourceVersion ?? '', shardSelector });
    }
    const watch = await ns.watch(path, { ...STREAMING_LIST, shardSelector });
    const initial = await watch.until(({ type }) => type === 'BOOKMARK');
    expect(namesOf(initial.slice(0, -1).map(({ object }) => object))).toEqual(expected(0));
    expect(initial.at(-1)?.line).not.toContain('shardRange');
    return watch;
  };

  beforeAll(async () => {
    target = await open();
    api = target.api;
    ns = await Sandbox.open(api);
    widgets = await CustomResource.define(api);
    path = ns.path('configmaps');
    isStreaming = hasStreamingLists(await minorOfServer(api));
    all = [];
    for (let i = 0; i < OBJECTS; i++) all.push(await ns.create('configmaps', configMap(`c-${i}`)));
  });
  afterAll(async () => {
    await ns.close();
    await widgets.remove();
    await target.close();
  });

  describe(`shardSelector with the feature gate ${isOn ? 'on' : 'off'}`, () => {
    it(
      isOn
        ? 'is accepted or refused, and repeated in canonical form, as our parser does'
        : 'is never looked at, whatever it is',
      async () => {
        const actual: Answer[] = [];
        const wanted: Answer[] = [];
        for (const text of SELECTORS) {
          const response = await api.get(path, { limit: 1, shardSelector: text });
          const selector = echoOf(response) as string | undefined;
          const { message } = response.json as { message?: string };
          const answer: Answer = isOn ? answerTo(text) : { code: 200 };
          wanted.push(answer);
          actual.push({
            code: response.status,
            ...(selector !== undefined && { selector }),
            ...(answer.message !== undefined && message !== undefined && { message }),
          });
        }
        expect(actual).toEqual(wanted);
      },
    );

    it(isOn ? 'filters lists, and is repeated in their metadata' : 'leaves lists complete', async () => {
      for (let shard = 0; shard < SHARDS; shard++) {
        const response = await api.get(path, { shardSelector: selectorOf(shard) });
        expect(namesOf(response.json.items)).toEqual(expected(shard));
        expect(echoOf(response)).toBe(isOn ? selectorOf(shard) : undefined);
      }
    });

    it('is that of the namespace, too', async () => {
      for (let shard = 0; shard < SHARDS; shard++) {
        const selector = formatShardSelector({
          field: 'object.metadata.namespace',
          ranges: [rangeOfShard(shard, SHARDS)],
        });
        const { json } = await api.get(path, { shardSelector: selector });
        const isSent = isInRanges(fnv1a64(ns.name), [rangeOfShard(shard, SHARDS)]);
        expect(json.items).toHaveLength(!isOn || isSent ? OBJECTS : 0);
      }
    });

    it('is not held by continue tokens: each page needs it', async () => {
      const shardSelector = selectorOf(0);
      const names: string[] = [];
      let token = '';
      do {
        const query = { limit: 2, ...(token !== '' && { continue: token }) };
        const page = await api.get(path, { ...query, shardSelector });
        expect(page.status).toBe(200);
        names.push(...namesOf(page.json.items));
        token = page.json.metadata.continue ?? '';
        const isCounted = page.json.metadata.remainingItemCount !== undefined;
        expect(isCounted).toBe(countsRemaining && token !== '');
      } while (token !== '');
      expect(names.sort()).toEqual(expected(0));
      const first = await api.get(path, { limit: 1, shardSelector });
      const next = await api.get(path, { limit: OBJECTS, continue: first.json.metadata.continue ?? '' });
      const after = (name: string): boolean => name > (first.json.items[0]?.metadata.name ?? '');
      expect(namesOf(next.json.items)).toEqual(namesOf(all).filter(after));
    });

    it('makes lists in protobuf and JSON the same', async () => {
      const shardSelector = selectorOf(1);
      const json = await api.get(path, { shardSelector });
      const protobuf = await api.get(path, { shardSelector }, PROTOBUF);
      expect(protobuf.headers['content-type']).toBe(PROTOBUF.Accept);
      for (const { metadata } of all) {
        const isListed = json.json.items.some(({ metadata: { name } }) => name === metadata.name);
        expect(protobuf.bytes.includes(metadata.uid)).toBe(isListed);
      }
      expect(protobuf.bytes.includes(shardSelector)).toBe(isOn);
    });

    it(`${isOn ? 'filters' : 'does not filter'} metadata, and is not repeated with it`, async () => {
      const shardSelector = selectorOf(2);
      const response = await api.get(path, { shardSelector }, METADATA_LIST);
      expect(namesOf(response.json.items)).toEqual(expected(2));
      expect(echoOf(response)).toBeUndefined();
      if (!isStreaming) return;
      const watch = await ns.watch(path, { ...STREAMING_LIST, shardSelector }, METADATA);
      const events = await watch.until(({ type }) => type === 'BOOKMARK');
      expect(namesOf(events.slice(0, -1).map(({ object }) => object))).toEqual(expected(2));
    });

    it(`${isOn ? 'filters' : 'does not filter'} custom resources, and is not repeated with them`, async () => {
      const collection = widgets.pathIn(ns);
      const created: KubeObject[] = [];
      for (let i = 0; i < 8; i++) created.push(await ns.createAt(collection, widgets.widget(`w-${i}`)));
      for (let shard = 0; shard < SHARDS; shard++) {
        const response = await api.get(collection, { shardSelector: selectorOf(shard) });
        expect(namesOf(response.json.items)).toEqual(expected(shard, created));
        expect(echoOf(response)).toBeUndefined();
      }
    });

    it(`${isOn ? 'filters' : 'does not filter'} streaming lists and watches, whose bookmarks do not repeat it`, {
      timeout: 60_000,
    }, async () => {
      const shardSelector = selectorOf(0);
      const watch = await watchAll(shardSelector);
      const changed: string[] = [];
      for (const { metadata } of all) {
        await ns.change(`${path}/${metadata.name}`, { data: { changed: 'yes' } });
        changed.push(metadata.name);
      }
      const made = await ns.create('configmaps', configMap('another'));
      await ns.delete(`${path}/another`);
      const last = all.findLast((object) => !isOn || isOfShard(object, 0)) as KubeObject;
      await ns.change(`${path}/${last.metadata.name}`, { data: { changed: 'again' } });
      const seen: string[] = [];
      for (;;) {
        const { type, object } = await watch.nextChange();
        seen.push(`${type} ${object.metadata.name}`);
        if ((object as { data?: { changed?: string } }).data?.changed === 'again') break;
      }
      const isSent = (object: KubeObject): boolean => !isOn || isOfShard(object, 0);
      expect(seen).toEqual([
        ...all.filter(isSent).map(({ metadata: { name } }) => `MODIFIED ${name}`),
        ...(isSent(made) ? ['ADDED another', 'DELETED another'] : []),
        `MODIFIED ${last.metadata.name}`,
      ]);
      expect(changed).toHaveLength(OBJECTS);
    });

    it('begins a watch at the version of a list of any shard', async () => {
      const { json } = await api.get(path, { shardSelector: selectorOf(1) });
      const { resourceVersion } = json.metadata;
      const watch = await ns.watch(path, { resourceVersion, shardSelector: selectorOf(0) });
      const ours = all.find((object) => isOfShard(object, 0)) as KubeObject;
      await ns.change(`${path}/${ours.metadata.name}`, { data: { changed: 'later' } });
      const event = await watch.nextChange();
      expect(event.object.metadata.name).toBe(ours.metadata.name);
    });
  });
}

function answerTo(text: string): Answer {
  try {
    return { code: 200, selector: formatShardSelector(parseShardSelector(text)) };
  } catch (error) {
    if (!(error instanceof ShardSelectorError)) throw error;
    // Our parser does not know the rest of CEL, so it refuses for another reason.
    if (error.message.startsWith('CEL parse error')) return { code: 500 };
    return { code: 500, message: `invalid shard selector: ${error.message}` };
  }
}
