import type { FaultSpec } from 'kubeflect/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Collection, digestOf, EngineFixture, Fold, PODS } from '../support/engine/engine-fixture.js';
import { PAGE_SIZE, STREAMS, StreamedCollection, selectorOf } from '../support/engine/streamed-collection.js';

const OBJECTS = 600;

describe.each([true, false])(
  'a collection that several streams list, of a server with shardSelector %s',
  (shardedListAndWatch) => {
    let world: EngineFixture;
    let widgets: Collection;

    beforeAll(async () => {
      world = await EngineFixture.start({ shardedListAndWatch, bookmarkIntervalMs: 100 });
      await world.server.populate({ kind: 'Pod', count: OBJECTS, seed: 1 });
      widgets = await world.define('streams.test', 'Widget');
      await world.server.populate({ kind: 'ConfigMap', count: 10, seed: 1 });
      for (let i = 0; i < 300; i++) {
        const { apiVersion, kind } = widgets;
        await world.server.create({ apiVersion, kind, metadata: { name: `w-${i}`, namespace: 'default' } });
      }
    });
    afterEach(() => world.closeEngines());
    afterAll(() => world.close());

    it.each([
      ['protobuf', 'auto', 2, undefined],
      ['protobuf', 'stream', 0, undefined],
      ['json', 'paged', 2, undefined],
      ['json', 'full', 0, undefined],
      ['json', 'auto', 1, 'widgets'],
      ['protobuf', 'auto', 2, 'metadata'],
    ] as const)(
      'is the same as by one stream, in %s, list %s, with %i workers (%s)',
      async (encoding, list, workers, special) => {
        const collection = special === 'widgets' ? widgets : PODS;
        const engine = world.engine({ workers });
        const informer = engine.informer({
          ...collection,
          encoding,
          list,
          pageSize: PAGE_SIZE,
          metadataOnly: special === 'metadata',
          streams: STREAMS,
        });
        const fold = new Fold();
        informer.addEventHandler({
          onAdd: (entry) => fold.onAdd(entry),
          onUpdate: (before, after) => fold.onUpdate(before, after),
          onDelete: (entry) => fold.onDelete(entry),
        });
        const one = engine.informer({ ...collection, streams: 1 });
        for (const each of [informer, one]) each.start();
        await Promise.all([informer.synced, one.synced]);
        expect(digestOf(informer)).toEqual(digestOf(one));
        await expect.poll(() => fold.known.size).toBe(digestOf(one).count);
        const used = shardedListAndWatch ? STREAMS : 1;
        const reason = shardedListAndWatch ? undefined : 'not-filtered';
        const [stats, oneStats] = engine.stats().informers;
        expect(stats).toMatchObject({ streams: { of: STREAMS, used, reason }, relists: 0 });
        expect(stats?.listed).toBe(digestOf(one).count);
        expect(oneStats?.streams).toBeUndefined();
        expect(world.faults).toEqual([]);
      },
    );

    it('is listed by one stream if it is small', async () => {
      const engine = world.engine();
      const informer = engine.informer({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        plural: 'configmaps',
        streams: STREAMS,
      });
      informer.start();
      await informer.synced;
      expect(engine.stats().informers[0]?.streams?.used).toBe(1);
      expect(digestOf(informer).count).toBe(10);
      expect(world.faults).toEqual([]);
    });
  },
);

describe('a collection that several streams list', () => {
  let collection: StreamedCollection;

  beforeAll(async () => {
    collection = await StreamedCollection.start();
  });
  afterEach(() => collection.closeEngines());
  afterAll(() => collection.close());

  it.each(['auto', 'paged', 'full'] as const)(
    'is one state of it, and then every change, while it changes (list %s)',
    async (list) => {
      const started = collection.start({ list });
      await started.informer.synced;
      expect(started.streams()?.used).toBe(STREAMS);
      await collection.follows(started);
      const lists = (await collection.world.server.requests()).filter(
        ({ verb, query }) => verb === 'list' && query['resourceVersionMatch'] === 'Exact',
      );
      // All shards at the same version, and the watch from there.
      const versions = new Set(lists.slice(-STREAMS).map(({ query }) => query['resourceVersion']));
      expect(versions.size).toBe(1);
      const watches = (await collection.world.server.requests()).filter(({ verb }) => verb === 'watch');
      expect(watches.at(-1)?.query['shardSelector']).toBeUndefined();
      expect(versions).toContain(watches.at(-1)?.query['resourceVersion']);
      expect(collection.world.faults).toEqual([]);
    },
  );

  const lostPages: readonly (readonly [string, FaultSpec])[] = [
    ['cut', { fault: { type: 'cut', afterBytes: 3000 }, count: 2 }],
    ['reset', { fault: { type: 'reset', afterBytes: 3000 }, count: 2 }],
    ['ended too early', { fault: { type: 'end', afterBytes: 3000 }, count: 2 }],
    ['refused with 429', { fault: { type: 'status', code: 429 }, count: 2 }],
  ];

  it.each(lostPages)('loses nothing if one of the streams is %s', async (_, spec) => {
    await collection.world.server.faults.add({
      ...spec,
      // Not the probe, which is a list of the first shard.
      match: { verb: 'list', query: { shardSelector: selectorOf(2) } },
    });
    const started = collection.start();
    await started.informer.synced;
    expect(started.streams()).toEqual({ of: STREAMS, used: STREAMS, reason: undefined });
    expect((await collection.world.server.faults.hits())[0]?.hits).toBe(2);
    await collection.follows(started);
    expect(collection.world.faults).toEqual([]);
  });
});

describe('the option streams', () => {
  it('is an integer from 1 to 16, without a shard, a ring, a list function or several namespaces', async () => {
    const world = await EngineFixture.start();
    const engine = world.engine();
    for (const streams of [0, -1, 1.5, 17, '4', Number.NaN]) {
      expect(() => engine.informer({ ...PODS, streams: streams as number })).toThrow(
        'streams must be an integer of at least 1 and at most 16',
      );
    }
    for (const other of [
      { shard: { index: 0, of: 2 } },
      { namespace: ['a', 'b'] },
      { list: async () => ({ items: [], metadata: { resourceVersion: '1' } }) },
    ]) {
      expect(() => engine.informer({ ...PODS, streams: 2, ...other } as never)).toThrow('with streams');
    }
    expect(engine.informer({ ...PODS, streams: 1 })).toBe(engine.informer(PODS));
    await world.close();
  });
});
