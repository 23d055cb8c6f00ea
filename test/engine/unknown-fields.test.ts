import { channel } from 'node:diagnostics_channel';
import type { InformerOptions, KubernetesObject } from 'kubeflect';
import type { RequestRecord } from 'kubeflect/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONFIG_MAPS, EngineFixture } from '../support/engine/engine-fixture.js';
import { JsonObjects, olderSchema, SeenObjects } from '../support/engine/older-schema.js';

const IMMUTABLE = { number: 4, message: 'core.v1.ConfigMap', path: '' };
const FINALIZERS = { number: 14, message: 'meta.v1.ObjectMeta', path: 'metadata' };
const OLDER_SCHEMA = olderSchema(['core.v1.ConfigMap.immutable', 'meta.v1.ObjectMeta.finalizers']);
const NAMESPACES = ['one', 'two', 'three'];

let fixture: EngineFixture;
const json = new JsonObjects();

/** In the middle of the list. */
const IMMUTABLE_KEY = 'two/c5';

beforeAll(async () => {
  fixture = await EngineFixture.start();
  for (const namespace of NAMESPACES) {
    await fixture.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
});

afterEach(async () => {
  await fixture.closeEngines();
  for (const namespace of NAMESPACES) {
    const { items } = await listOf(namespace);
    for (const { metadata } of items) {
      const target = { apiVersion: 'v1', kind: 'ConfigMap', name: metadata?.name ?? '', namespace };
      await fixture.server.patch(target, { metadata: { finalizers: null } });
      await fixture.server.delete(target);
    }
  }
});
afterAll(() => fixture.close());

async function listOf(namespace: string): Promise<{ items: KubernetesObject[] }> {
  const response = await fetch(`${fixture.server.url}/api/v1/namespaces/${namespace}/configmaps`);
  return (await response.json()) as { items: KubernetesObject[] };
}

/** Nine of them in each namespace, one of which has the field that the schema lacks. */
async function createConfigMaps(immutable: string | undefined = IMMUTABLE_KEY): Promise<void> {
  for (const namespace of NAMESPACES) {
    for (let i = 1; i < 10; i++) {
      const metadata = { name: `c${i}`, namespace };
      const isImmutable = immutable === `${namespace}/c${i}`;
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { i: String(i) } };
      json.add(await fixture.server.create(isImmutable ? { ...body, immutable: true } : body));
    }
  }
}

async function patch(key: string, body: object): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  json.add(await fixture.server.patch({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace }, body));
}

/** Requests for config maps, from now on. */
async function requestsFromNow(): Promise<() => Promise<readonly RequestRecord[]>> {
  const { length } = await fixture.server.requests();
  return async () =>
    (await fixture.server.requests()).slice(length).filter(({ path }) => path.includes('configmaps'));
}

function published(): unknown[] {
  const messages: unknown[] = [];
  const onMessage = (message: unknown): void => void messages.push(message);
  const encodings = channel('kubeflect:informer:encoding');
  encodings.subscribe(onMessage);
  onTestFinished(() => void encodings.unsubscribe(onMessage));
  return messages;
}

const isJson = ({ accept }: RequestRecord): boolean => accept === 'application/json';

describe('an informer of a server that is newer than the protobuf schema', () => {
  it.each<[string, Partial<InformerOptions>, { lists: number }]>([
    // The streaming list is abandoned, and JSON is listed in pages.
    ['a streaming list', {}, { lists: 1 }],
    ['a streaming list that is asked for', { list: 'stream' }, { lists: 0 }],
    ['a list in pages', { list: 'paged', pageSize: 4 }, { lists: 2 }],
    ['a list in one response', { list: 'full' }, { lists: 2 }],
    ['lists of several namespaces', { namespace: NAMESPACES, list: 'paged' }, { lists: 4 }],
    ['streaming lists of several namespaces', { namespace: NAMESPACES }, { lists: 1 }],
  ])('reads %s in JSON if an object has an unknown field, and loses none', async (_, options, { lists }) => {
    await createConfigMaps();
    const messages = published();
    const requests = await requestsFromNow();
    const engine = fixture.engine(OLDER_SCHEMA);
    const seen = new SeenObjects(engine, { ...CONFIG_MAPS, ...options });
    await seen.informer.synced;
    await patch('one/c1', { data: { i: 'changed' } });
    await patch(IMMUTABLE_KEY, { metadata: { labels: { changed: 'yes' } } });
    await expect.poll(() => seen.calls).toEqual({ add: 27, update: 2, delete: 0 });
    expect(seen.differencesFrom(json)).toEqual([]);
    expect(seen.informer.lister.get(IMMUTABLE_KEY)).toMatchObject({ immutable: true });

    expect(fixture.errors).toMatchObject([{ code: 'KUBEFLECT_UNKNOWN_FIELD', field: IMMUTABLE }]);
    expect(fixture.errors[0]?.message).toMatch(
      /field 4 of core\.v1\.ConfigMap: v1 configmaps are read in JSON/,
    );
    expect(messages).toEqual([
      {
        informer: seen.informer.name,
        apiVersion: 'v1',
        resource: 'configmaps',
        encoding: 'json',
        field: IMMUTABLE,
      },
    ]);
    expect(engine.stats().informers).toMatchObject([{ encoding: 'json', unknownFields: 1 }]);
    const sent = await requests();
    const firstPages = sent.filter(({ verb, query }) => verb === 'list' && query['continue'] === undefined);
    expect(firstPages.length).toBeLessThanOrEqual(lists);
    // One failed, and was sent again in JSON; so was its watch.
    expect(sent.length).toBeLessThan(20);
  });

  it('continues a watch in JSON where it was, without a list, when an event has an unknown field', async () => {
    await createConfigMaps('none');
    const engine = fixture.engine(OLDER_SCHEMA);
    const seen = new SeenObjects(engine, CONFIG_MAPS);
    await seen.informer.synced;
    await patch('one/c1', { data: { i: 'before' } });
    await expect.poll(() => seen.calls.update).toBe(1);
    expect(engine.stats().informers).toMatchObject([{ encoding: 'protobuf', unknownFields: 0 }]);
    const requests = await requestsFromNow();
    const { resourceVersion } = seen.informer.health();

    for (const name of ['c1', 'c2', 'c3', 'c4']) await patch(`two/${name}`, { immutable: name === 'c3' });
    await patch('three/c9', { data: { i: 'after' } });
    await expect.poll(() => seen.calls).toEqual({ add: 27, update: 6, delete: 0 });
    expect(seen.differencesFrom(json)).toEqual([]);
    expect(seen.informer.lister.get('two/c3')).toMatchObject({ immutable: true });
    expect(engine.stats().informers).toMatchObject([{ encoding: 'json', relists: 0 }]);
    expect(fixture.errors).toMatchObject([{ code: 'KUBEFLECT_UNKNOWN_FIELD' }]);
    const sent = await requests();
    const watches = sent.filter((request) => request.verb === 'watch');
    expect(watches).toHaveLength(1);
    expect(watches.every(isJson)).toBe(true);
    expect(watches[0]?.query['resourceVersion']).toBe(resourceVersion);
  });

  it('reads metadata only in JSON if it has an unknown field, and other resources in protobuf still', async () => {
    await createConfigMaps('none');
    await patch('one/c4', { metadata: { finalizers: ['example.test/held'] } });
    const engine = fixture.engine(OLDER_SCHEMA);
    const metadata = new SeenObjects(engine, { ...CONFIG_MAPS, metadataOnly: true, name: 'metadata' });
    const namespaces = engine.informer({
      apiVersion: 'v1',
      kind: 'Namespace',
      plural: 'namespaces',
      name: 'other',
    });
    namespaces.start();
    await Promise.all([metadata.informer.synced, namespaces.synced]);
    await expect.poll(() => metadata.calls.add).toBe(27);
    const held = metadata.informer.lister.get('one/c4');
    expect(held?.metadata).toEqual((json.get(held as KubernetesObject) as KubernetesObject).metadata);
    expect(held?.metadata).toMatchObject({ finalizers: ['example.test/held'] });
    expect(fixture.errors).toMatchObject([{ code: 'KUBEFLECT_UNKNOWN_FIELD', field: FINALIZERS }]);
    expect(engine.stats().informers.map(({ name, encoding }) => [name, encoding])).toEqual([
      ['metadata', 'json'],
      ['other', 'protobuf'],
    ]);
  });

  it('reads the resource in JSON in all informers of the engine from then on, and reports it once', async () => {
    await createConfigMaps();
    const engine = fixture.engine(OLDER_SCHEMA);
    const all = new SeenObjects(engine, CONFIG_MAPS);
    // Its own stream may have begun in protobuf.
    const some = new SeenObjects(engine, { ...CONFIG_MAPS, namespace: 'two' });
    await Promise.all([all.informer.synced, some.informer.synced]);
    const requests = await requestsFromNow();
    const later = new SeenObjects(engine, { ...CONFIG_MAPS, namespace: 'three' });
    await later.informer.synced;
    await expect.poll(() => later.calls.add).toBe(9);
    expect((await requests()).filter((request) => !isJson(request))).toEqual([]);
    expect(engine.stats().informers.map(({ encoding }) => encoding)).toEqual(['json', 'json', 'json']);
    for (const seen of [all, some, later]) expect(seen.differencesFrom(json)).toEqual([]);
    expect(fixture.errors).toHaveLength(1);
  });

  it('leaves unknown fields out with encoding protobuf, counts them and reports the first once', async () => {
    await createConfigMaps();
    const messages = published();
    const engine = fixture.engine(OLDER_SCHEMA);
    const informers = NAMESPACES.map(
      (namespace) => new SeenObjects(engine, { ...CONFIG_MAPS, namespace, encoding: 'protobuf' }),
    );
    await Promise.all(informers.map(({ informer }) => informer.synced));
    await patch('one/c1', { immutable: true });
    await patch('three/c2', { immutable: true });
    await patch('three/c2', { metadata: { finalizers: ['example.test/held'] } });
    const unknown = (): number[] => engine.stats().informers.map(({ unknownFields }) => unknownFields);
    await expect.poll(unknown).toEqual([1, 1, 3]);
    const [one, two] = informers;
    await expect.poll(() => one?.calls.update).toBe(1);
    expect(one?.informer.lister.get('one/c1')).not.toHaveProperty('immutable');
    expect(two?.informer.lister.get(IMMUTABLE_KEY)).not.toHaveProperty('immutable');
    expect(engine.stats().informers.map(({ encoding }) => encoding)).toEqual(
      NAMESPACES.map(() => 'protobuf'),
    );
    expect(fixture.errors).toMatchObject([{ code: 'KUBEFLECT_UNKNOWN_FIELD', field: IMMUTABLE }]);
    expect(fixture.errors[0]?.message).toMatch(/field 4 of core\.v1\.ConfigMap: it is left out of objects/);
    expect(messages).toMatchObject([{ encoding: 'protobuf', field: IMMUTABLE }]);
  });
});
