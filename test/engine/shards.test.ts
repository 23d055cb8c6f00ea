import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fnv1a64 } from '#dist/src/kube/sharding/fnv.js';
import { shardOfHash } from '#dist/src/kube/sharding/hash-range.js';
import { CONFIG_MAPS, type Collection, EngineFixture, PODS } from '../support/engine/engine-fixture.js';

const CHURNED = 200;

function shardOf(uid: string | undefined, of: number): number {
  return shardOfHash(fnv1a64(uid ?? ''), of);
}

describe.each([true, false])('static shards of a server with shardSelector %s', (shardedListAndWatch) => {
  let world: EngineFixture;
  let widgets: Collection;

  beforeAll(async () => {
    world = await EngineFixture.start({ shardedListAndWatch, bookmarkIntervalMs: 100 });
    await world.server.populate({ kind: 'Pod', count: CHURNED, seed: 1 });
    widgets = await world.define('shards.test', 'Widget');
    for (let i = 0; i < 40; i++) {
      const { apiVersion, kind } = widgets;
      await world.server.create({ apiVersion, kind, metadata: { name: `w-${i}`, namespace: 'default' } });
    }
  });
  afterEach(() => world.closeEngines());
  afterAll(() => world.close());

  describe.each(['simd', 'json'] as const)('with the %s decoder', (decoder) => {
    it.each([
      ['protobuf', 'stream', undefined],
      ['protobuf', 'paged', undefined],
      ['json', 'stream', undefined],
      ['json', 'paged', undefined],
      ['json', 'full', undefined],
      ['json', 'paged', 'widgets'],
      ['protobuf', 'auto', 'metadata'],
    ] as const)(
      'hold each object in one of them, in %s, listed by %s (%s)',
      async (encoding, list, special) => {
        const of = 3;
        const engine = world.engine();
        const collection = special === 'widgets' ? widgets : PODS;
        const informers = [0, 1, 2].map((index) =>
          engine.informer({
            ...collection,
            encoding,
            list,
            pageSize: 25,
            metadataOnly: special === 'metadata',
            shard: { index, of },
            advanced: { decoder },
          }),
        );
        const whole = engine.informer({ ...collection });
        for (const informer of [...informers, whole]) informer.start();
        await Promise.all([...informers, whole].map(({ synced }) => synced));
        await expect
          .poll(() => {
            const keys = informers.flatMap(({ lister }) =>
              lister.list().map(({ metadata }) => metadata?.uid),
            );
            return keys.sort();
          })
          .toEqual(
            whole.lister
              .list()
              .map(({ metadata }) => metadata?.uid)
              .sort(),
          );
        for (const [index, { lister }] of informers.entries()) {
          for (const { metadata } of lister.list()) expect(shardOf(metadata?.uid, of)).toBe(index);
        }
        await expect
          .poll(() =>
            engine
              .stats()
              .informers.slice(0, of)
              .reduce((sum, { shard }) => sum + (shard?.dropped ?? 0), 0),
          )
          .toBe(shardedListAndWatch ? 0 : whole.lister.list().length * (of - 1));
        expect(world.faults).toEqual([]);
      },
    );

    it.each(['protobuf', 'json'] as const)(
      'follow a watch in %s, and forget what was deleted',
      async (encoding) => {
        const engine = world.engine();
        const informers = [0, 1].map((index) =>
          engine.informer({ ...CONFIG_MAPS, encoding, shard: { index, of: 2 }, advanced: { decoder } }),
        );
        for (const informer of informers) informer.start();
        await Promise.all(informers.map(({ synced }) => synced));
        const names = Array.from({ length: 30 }, (_, i) => `c-${i}`);
        for (const name of names) await world.configMap(name);
        for (const name of names) await world.patchConfigMap(name, { changed: 'yes' });
        for (const name of names.slice(0, 10)) await world.deleteConfigMap(name);
        // Deleted and created again: another uid, and perhaps another shard.
        for (const name of names.slice(10, 20)) {
          await world.deleteConfigMap(name);
          await world.configMap(name, { changed: 'yes' });
        }
        const union = (): string[] =>
          informers.flatMap(({ lister }) => lister.list().map(({ metadata }) => metadata?.name ?? '')).sort();
        await expect.poll(union).toEqual(names.slice(10).sort());
        for (const [index, { lister }] of informers.entries()) {
          for (const object of lister.list()) {
            expect(shardOf(object.metadata?.uid, 2)).toBe(index);
            expect(object).toMatchObject({ data: { changed: 'yes' } });
          }
        }
        for (const name of names.slice(10)) await world.deleteConfigMap(name);
        await expect.poll(union).toEqual([]);
        expect(world.faults).toEqual([]);
      },
    );
  });

  it('say in stats who filters, per informer', async () => {
    const engine = world.engine();
    const listed = engine.informer({ ...PODS, list: 'paged', shard: { index: 0, of: 2 } });
    const streamed = engine.informer({ ...PODS, list: 'stream', shard: { index: 0, of: 2 } });
    const whole = engine.informer(CONFIG_MAPS);
    for (const informer of [listed, streamed, whole]) informer.start();
    await Promise.all([listed, streamed, whole].map(({ synced }) => synced));
    const filteredBy = shardedListAndWatch ? 'server' : 'worker';
    const shard = { index: 0, of: 2, filteredBy };
    await expect
      .poll(() => engine.stats().informers.map((informer) => informer.shard))
      .toMatchObject([shard, shard, undefined]);
    expect(listed.name).toBe('pods of shard 0 of 2');
    expect(/kubeflect_informer_dropped_objects_total\{[^}]*\} (\d+)/.exec(engine.metrics.text())?.[1]).toBe(
      String(engine.stats().informers[0]?.shard?.dropped),
    );
  });
});

describe('a static shard of a server without shardSelector', () => {
  let world: EngineFixture;

  beforeAll(async () => {
    // No bookmarks within the test.
    world = await EngineFixture.start({ bookmarkIntervalMs: 3_600_000 });
  });
  afterEach(() => world.closeEngines());
  afterAll(() => world.close());

  it.each(['simd', 'json'] as const)(
    'advances its version for the events of other shards, so that a new watch does not repeat them (%s)',
    async (decoder) => {
      const engine = world.engine();
      const informer = engine.informer({
        ...CONFIG_MAPS,
        encoding: 'json',
        shard: { index: 0, of: 65_536 },
        advanced: { decoder },
      });
      informer.start();
      await informer.synced;
      await world.configMap(`foreign-${decoder}`);
      const version = await world.patchConfigMap(`foreign-${decoder}`, { a: 'b' });
      await expect.poll(() => informer.lastStoreSyncResourceVersion).toBe(version);
      await world.server.closeWatches();
      const watched = async (): Promise<(string | undefined)[]> =>
        (await world.server.requests()).flatMap(({ verb, path, query }) =>
          verb === 'watch' && path.includes('configmaps') ? [query['resourceVersion']] : [],
        );
      await expect.poll(async () => (await watched()).at(-1)).toBe(version);
      expect(informer.lister.list()).toEqual([]);
    },
  );

  it('compares a relist with the objects of the shard alone', async () => {
    const engine = world.engine();
    const informers = [0, 1].map((index) => engine.informer({ ...CONFIG_MAPS, shard: { index, of: 2 } }));
    for (const informer of informers) informer.start();
    await Promise.all(informers.map(({ synced }) => synced));
    const names = Array.from({ length: 30 }, (_, i) => `relisted-${i}`);
    for (const name of names) await world.configMap(name);
    const cached = (): string[] =>
      informers.flatMap(({ lister }) => lister.list().map(({ metadata }) => metadata?.name ?? '')).sort();
    await expect.poll(cached).toEqual(expect.arrayContaining(names));
    const fault = { type: 'status', code: 503 } as const;
    const id = await world.server.faults.add({ match: { path: '/api/v1/configmaps' }, fault });
    await world.server.closeWatches();
    // Half of them change their shard, with a new uid.
    for (const name of names) await world.deleteConfigMap(name);
    for (const name of names.slice(0, 20)) await world.configMap(name);
    await world.server.compact();
    await world.server.faults.remove(id);
    const kept = cached().filter((name) => !name.startsWith('relisted'));
    await expect.poll(cached).toEqual([...kept, ...names.slice(0, 20)].sort());
    for (const [index, { lister }] of informers.entries()) {
      for (const { metadata } of lister.list()) expect(shardOf(metadata?.uid, 2)).toBe(index);
    }
    expect(engine.stats().informers.every(({ relists }) => relists > 0)).toBe(true);
  });

  it('rejects shards that do not exist, and a list function', () => {
    const engine = world.engine();
    for (const shard of [
      { index: 1, of: 1 },
      { index: -1, of: 2 },
      { index: 0.5, of: 2 },
      { index: 0, of: 0 },
      { index: 0, of: 100_000 },
      { index: 0, of: 2, extra: true },
      { index: '0', of: 2 },
      [],
    ] as unknown as { index: number; of: number }[]) {
      expect(() => engine.informer({ ...PODS, shard })).toThrow('shard must be { index, of }');
    }
    const list = async (): Promise<never> => Promise.reject(new Error('not called'));
    expect(() => engine.informer({ ...PODS, list, shard: { index: 0, of: 2 } })).toThrow(
      'list must not be a function with a shard',
    );
  });

  it('is another informer than those of other shards, and the same as one of the same shard', () => {
    const engine = world.engine();
    const informer = (index: number, of: number) => engine.informer({ ...PODS, shard: { index, of } });
    expect(informer(0, 2)).toBe(informer(0, 2));
    expect(new Set([informer(0, 2), informer(1, 2), informer(0, 4), engine.informer(PODS)]).size).toBe(4);
  });
});
