/** What API servers and proxies have been reported to do, and how many requests it may cost. */

import type { Engine, SharedInformer } from 'kubeflect';
import type { Fault } from 'kubeflect/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONFIG_MAPS, type Collection, EngineFixture, Fold, PODS } from '../support/engine/engine-fixture.js';
import { RawServer } from '../support/servers/raw-server.js';

const EVENTS: Collection = { apiVersion: 'v1', kind: 'Event', plural: 'events' };
/** The path of an informer of ConfigMaps. */
const PATH = '/api/v1/configmaps';

async function start(options: Parameters<typeof EngineFixture.start>[0] = {}): Promise<EngineFixture> {
  const fixture = await EngineFixture.start(options);
  onTestFinished(() => fixture.close());
  return fixture;
}

/** Synced, and its watch is open. */
async function watching(engine: Engine, options: Collection): Promise<SharedInformer> {
  const informer = engine.informer(options);
  informer.start();
  await informer.synced;
  const stats = () => engine.stats().informers.find(({ name }) => name === informer.name);
  await expect.poll(() => stats()?.isWatching).toBe(true);
  return informer;
}

function event(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'default' },
  };
}

describe('a watch of Events whose version is stale', () => {
  it.each([
    ['at once', 0],
    ['after 1.5 s', 1500],
  ])(
    'and that is closed %s without an event and without 410 is listed again within 10 s (kubernetes#137089)',
    async (_, ms) => {
      const fixture = await start();
      await fixture.server.create(event('before') as never);
      const informer = await watching(fixture.engine(), { ...EVENTS, list: 'paged' });
      const { resourceVersion } = informer.health();
      await fixture.server.faults.add({
        match: { verb: 'watch', path: '/api/v1/events', query: { resourceVersion } },
        fault: { type: 'closeAfterMs', ms, isSilent: true },
      });
      await fixture.server.closeWatches();
      await fixture.server.create(event('after') as never);
      await expect.poll(() => informer.indexer.listKeys(), { timeout: 10_000 }).toContain('default/after');
      const { list, stream, watch } = await fixture.requestsOf('/api/v1/events');
      expect({ list, stream }).toEqual({ list: 2, stream: 0 });
      expect(watch).toBeLessThanOrEqual(5);
    },
  );
});

describe('410 Gone', () => {
  it.each<[string, Fault]>([
    ['as an HTTP status', { type: 'status', code: 410, reason: 'Gone', message: 'too old' }],
    ['as an HTTP status without a reason', { type: 'plainText', code: 410, text: 'gone\n' }],
    ['as an ERROR event', { type: 'errorEvent', code: 410, reason: 'Expired' }],
    ['as an ERROR event without a reason', { type: 'errorEvent', code: 410 }],
  ])('%s costs one list', async (_, fault) => {
    const fixture = await start();
    await fixture.configMap('before');
    const informer = await watching(fixture.engine(), { ...CONFIG_MAPS, list: 'paged' });
    await fixture.server.faults.add({ match: { verb: 'watch', path: PATH }, fault, count: 1 });
    await fixture.server.closeWatches();
    await fixture.configMap('after');
    await expect.poll(() => informer.indexer.listKeys()).toContain('default/after');
    await fixture.configMap('later');
    await expect.poll(() => informer.indexer.listKeys()).toContain('default/later');
    expect(await fixture.requestsOf(PATH)).toEqual({ list: 2, stream: 0, watch: 3 });
  });
});

describe('resource versions', () => {
  it.each([
    ['9', '10'],
    ['99', '100'],
    [`${2n ** 53n - 1n}`, `${2n ** 53n + 1n}`],
    [`${2n ** 63n - 1n}`, `${2n ** 63n}`],
    [`${2n ** 64n - 1n}`, `${2n ** 64n}`],
  ])('%s is followed by %s, and not the other way round', async (before, after) => {
    const server = await RawServer.start();
    const fixture = await start();
    onTestFinished(() => server.close());
    const object = (name: string, version: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', uid: name, resourceVersion: version },
    });
    const line = (type: string, name: string, version: string): Buffer =>
      Buffer.from(`${JSON.stringify({ type, object: object(name, version) })}\n`);
    const metadata = { resourceVersion: before };
    const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: [object('a', before)] };
    server.lists.push(Buffer.from(JSON.stringify(list)));
    const next = BigInt(after) + 1n;
    server.events.push(
      { version: BigInt(after), line: line('MODIFIED', 'a', after) },
      // A repetition from a replica that lags behind.
      { version: BigInt(after), line: line('MODIFIED', 'a', before) },
      { version: next, line: line('ADDED', 'b', `${next}`) },
    );
    const engine = fixture.engine({ connection: { server: server.url, headers: {} } });
    const informer = await watching(engine, { ...CONFIG_MAPS, encoding: 'json' });
    await expect.poll(() => informer.indexer.listKeys()).toEqual(['default/a', 'default/b']);
    expect(informer.indexer.getByKey('default/a')?.resourceVersion).toBe(after);
    expect(informer.health().resourceVersion).toBe(`${next}`);
    expect(engine.stats().informers).toMatchObject([{ relists: 0 }]);
  });
});

describe('a continue token that expires at page 90 of 100', () => {
  it.each<[string, Fault]>([
    ['the reason Expired', { type: 'expireContinue' }],
    ['the reason Gone', { type: 'status', code: 410, reason: 'Gone', message: 'the token is too old' }],
    ['no reason', { type: 'plainText', code: 410, text: 'gone\n' }],
  ])(
    'with %s, every time: the list ends in one response, and others are not listed again',
    async (_, fault) => {
      const fixture = await start();
      await fixture.server.populate({ kind: 'ConfigMap', count: 1000, sizeBytes: 300 });
      await fixture.server.populate({ kind: 'Pod', count: 10 });
      const match = { verb: 'list', path: PATH, query: { limit: '10' } } as const;
      await fixture.server.faults.add({ match: { ...match, skip: 89 }, fault });
      const engine = fixture.engine();
      const pods = await watching(engine, { ...PODS, list: 'paged' });
      const informer = await watching(engine, { ...CONFIG_MAPS, list: 'paged', pageSize: 10 });
      expect(informer.indexer.size).toBeGreaterThanOrEqual(1000);
      await fixture.converged(informer, CONFIG_MAPS);
      expect((await fixture.requestsOf(PATH)).list).toBe(91);

      // A relist has the same problem, at its second page.
      await fixture.server.faults.clear();
      await fixture.server.faults.add({ match: { ...match, skip: 1 }, fault });
      await fixture.server.compact();
      await fixture.server.faults.add({
        match: { verb: 'watch', path: PATH },
        fault: { type: 'expireHistory' },
        count: 1,
      });
      await fixture.server.closeWatches();
      await fixture.configMap('later');
      await expect.poll(() => informer.indexer.listKeys()).toContain('default/later');
      expect((await fixture.requestsOf(PATH)).list).toBeLessThanOrEqual(94);
      expect((await fixture.requestsOf('/api/v1/pods')).list).toBe(1);
      expect(pods.indexer.size).toBe(10);
    },
  );
});

describe('a permission that is missing', () => {
  const forbidden = (verb: string): Fault => ({
    type: 'status',
    code: 403,
    reason: 'Forbidden',
    message: `configmaps is forbidden: User "jane" cannot ${verb} resource "configmaps"`,
  });

  it.each([
    { granted: 'list', missing: 'watch', code: 'KUBEFLECT_WATCH_FAILED', lists: 3 },
    { granted: 'watch', missing: 'list', code: 'KUBEFLECT_LIST_FAILED', lists: 6 },
  ])(
    '$missing forbidden and $granted allowed: health and the error report it, and it recovers',
    async (row) => {
      const { granted, missing, code, lists } = row;
      const fixture = await start();
      await fixture.configMap('a');
      await fixture.server.faults.add({ match: { verb: missing, path: PATH }, fault: forbidden(missing) });
      const engine = fixture.engine();
      const informer = engine.informer({ ...CONFIG_MAPS, list: 'paged' });
      informer.start();
      const message = `failed to ${missing} v1, Kind=ConfigMap, Resource=configmaps: configmaps is forbidden: User "jane" cannot ${missing} resource "configmaps"`;
      const lastError = { code, message, statusCode: 403, reason: 'Forbidden' };
      await expect.poll(() => plain(informer.health())).toMatchObject({ lastError });
      expect(plain(engine.stats())).toMatchObject({ informers: [{ isWatching: false, lastError }] });
      expect(informer.hasSynced).toBe(granted === 'list');
      expect(fixture.errors[0]).toMatchObject({ code, message });

      await fixture.server.faults.clear();
      await fixture.configMap('b');
      await expect.poll(() => engine.stats().informers[0]?.isWatching, { timeout: 30_000 }).toBe(true);
      await expect.poll(() => informer.indexer.listKeys().sort()).toEqual(['default/a', 'default/b']);
      const requests = await fixture.requestsOf(PATH);
      expect(requests.list).toBeLessThanOrEqual(lists);
      expect(requests.watch).toBeLessThanOrEqual(6);
    },
  );

  it('health() and stats() are plain data: JSON has the message and the status code', async () => {
    const fixture = await start();
    await fixture.server.faults.add({ match: { path: PATH }, fault: forbidden('list') });
    const engine = fixture.engine();
    const informer = engine.informer(CONFIG_MAPS);
    informer.start();
    await expect.poll(() => informer.health().lastError).toBeDefined();
    const health = informer.health();
    expect(structuredClone(health)).toEqual(health);
    for (const json of [JSON.stringify(informer.health()), JSON.stringify(engine.stats())]) {
      expect(json).toContain(JSON.stringify(health.lastError?.message));
      expect(json).toContain('"statusCode":403');
    }
  });
});

describe('a CustomResourceDefinition that is deleted and created again', () => {
  const PATH_OF_WIDGETS = '/apis/example.com/v1/widgets';

  async function widget(fixture: EngineFixture, name: string, namespace?: string): Promise<void> {
    const metadata = namespace === undefined ? { name } : { name, namespace };
    await fixture.server.create({ apiVersion: 'example.com/v1', kind: 'Widget', metadata });
  }

  it.each([
    ['with another scope', { scope: 'Cluster' }, undefined, 'new'],
    ['with another version beside the old one', { versions: ['v1', 'v2'] }, 'default', 'default/new'],
  ])(
    '%s: deletions are notified, new objects arrive, and one error is reported',
    async (_, definition, namespace, key) => {
      const fixture = await start();
      const widgets = await fixture.define('example.com', 'Widget');
      await widget(fixture, 'old', 'default');
      const engine = fixture.engine();
      const fold = new Fold();
      const informer = await watching(engine, widgets);
      informer.addEventHandler(fold);
      await expect.poll(() => fold.known.has('default/old')).toBe(true);
      const [apiVersion, kind] = ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'];
      await fixture.server.delete({ apiVersion, kind, name: 'widgets.example.com' });
      await expect.poll(() => fold.known.size).toBe(0);
      // Long enough for several attempts.
      await expect
        .poll(() => fixture.requestsOf(PATH_OF_WIDGETS).then(({ watch, list }) => watch + list))
        .toBeGreaterThan(4);
      expect(fixture.errors).toMatchObject([
        { message: 'failed to watch example.com/v1, Kind=Widget, Resource=widgets: 404 page not found' },
      ]);
      expect(informer.health().lastError).toMatchObject({ statusCode: 404 });

      await fixture.define('example.com', 'Widget', definition);
      await widget(fixture, 'new', namespace);
      await expect.poll(() => fold.known.has(key), { timeout: 30_000 }).toBe(true);
      expect(fold.equals(informer)).toBe(true);
      expect(fixture.errors).toHaveLength(1);
      const { list, watch } = await fixture.requestsOf(PATH_OF_WIDGETS);
      expect(list + watch).toBeLessThanOrEqual(14);
    },
  );
});

describe('one aggregated API that never answers', () => {
  it('is named by health(), and other informers are not affected (rancher/steve#1229)', async () => {
    const fixture = await start();
    const metrics = await fixture.define('metrics.example.com', 'Metric');
    const path = '/apis/metrics.example.com/v1/metrics';
    await fixture.server.faults.add({ match: { path }, fault: { type: 'stall' } });
    const engine = fixture.engine({ workers: 1 });
    const silent = engine.informer(metrics);
    silent.start();
    const others = await Promise.all([CONFIG_MAPS, PODS].map((kind) => watching(engine, kind)));
    await fixture.configMap('a');
    await expect.poll(() => others[0]?.indexer.listKeys()).toContain('default/a');
    const lastError = {
      code: 'KUBEFLECT_STALLED',
      message: expect.stringContaining('does not respond to the list of "metrics.metrics.example.com"'),
    };
    await expect
      .poll(() => silent.health(), { timeout: 20_000 })
      .toMatchObject({ state: 'syncing', lastError });
    expect(fixture.errors).toHaveLength(1);
    for (const { health } of others.map((informer) => ({ health: informer.health() }))) {
      expect(health).toMatchObject({ state: 'synced', lastError: undefined });
    }
    expect(await fixture.requestsOf(path)).toEqual({ list: 1, stream: 0, watch: 0 });
    expect(await fixture.requestsOf(PATH)).toEqual({ list: 0, stream: 1, watch: 0 });
  });
});

describe('a cluster that is created anew at the same address', () => {
  it.each([
    ['restart at 1', 0],
    ['have overtaken those of the old cluster', 1000],
  ])('and whose versions %s: no stale object stays', async (_, count) => {
    const old = await start();
    await old.server.populate({ kind: 'ConfigMap', count: 300, sizeBytes: 300 });
    await old.configMap('stale');
    await old.configMap('in-both');
    const engine = old.engine();
    const fold = new Fold();
    const informer = await watching(engine, CONFIG_MAPS);
    informer.addEventHandler(fold);
    const before = BigInt(informer.health().resourceVersion);
    await old.server.close();
    const anew = await start({ port: old.server.port, seed: 2 });
    await anew.configMap('in-both');
    await anew.configMap('new');
    if (count > 0) await anew.server.populate({ kind: 'ConfigMap', count, sizeBytes: 300 });
    const after = BigInt((await anew.server.counters()).resourceVersion);
    expect(after > before).toBe(count > 0);
    await expect.poll(() => informer.indexer.listKeys(), { timeout: 25_000 }).not.toContain('default/stale');
    await anew.converged(informer, CONFIG_MAPS);
    await anew.configMap('later');
    await anew.converged(informer, CONFIG_MAPS);
    expect(fold.equals(informer)).toBe(true);
    const { list, stream, watch } = await anew.requestsOf(PATH);
    expect(list + stream).toBeLessThanOrEqual(3);
    expect(watch).toBeLessThanOrEqual(4);
  });
});

describe('200 informers that start together on a server that takes 10 requests at a time', () => {
  it.each([
    ['with Retry-After', { retryAfterSeconds: 1 }],
    ['without Retry-After', {}],
  ])(
    'all sync, with at most 3 requests a list (429 %s)',
    async (_, retryAfter) => {
      const fixture = await start();
      const count = 200;
      for (let i = 0; i < count; i++) await fixture.configMap('a', {}, await namespace(fixture, `n${i}`));
      await fixture.server.faults.add({
        match: { verb: ['list', 'watch'] },
        fault: { type: 'maxInFlight', max: 10, ...retryAfter },
      });
      await fixture.server.faults.add({ match: { verb: ['list'] }, fault: { type: 'delay', ms: 100 } });
      const engine = fixture.engine({ workers: 2 });
      const informers = Array.from({ length: count }, (_, i) =>
        engine.informer({ ...CONFIG_MAPS, namespace: `n${i}`, list: 'paged' }),
      );
      const before = (await fixture.server.requests()).length;
      for (const informer of informers) informer.start();
      await Promise.all(informers.map(({ synced }) => synced));
      const requests = (await fixture.server.requests()).slice(before);
      const lists = requests.filter(({ verb }) => verb === 'list').length;
      expect(lists).toBeLessThanOrEqual(3 * count);
      for (const informer of informers) expect(informer.indexer.size).toBe(1);
    },
    120_000,
  );
});

async function namespace(fixture: EngineFixture, name: string): Promise<string> {
  await fixture.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}

function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
