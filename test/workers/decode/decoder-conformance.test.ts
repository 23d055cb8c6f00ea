import { describe, expect, it } from 'vitest';
import type { DecodingOptions } from '#dist/src/wire/stream-task.js';
import { DecoderFactory, type StreamDecoding } from '#dist/workers/decode/decoder-factory.js';
import { HOSTILE_OBJECTS } from '../../support/objects/hostile-objects.js';
import { bytesOf, DecoderFixture } from '../../support/workers/decoder-fixture.js';
import { taskOf } from '../../support/workers/stream-run.js';

const DEPTH = 512;

const POD = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'a',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '7',
    managedFields: [{ manager: 'x' }],
  },
  spec: {
    nodeName: 'node-1',
    containers: [
      { image: 'i1', env: [1] },
      { image: 'i2', env: [2] },
    ],
  },
};

describe.each(['json', 'simd'] as const)('the %s decoder', (name) => {
  const open = (decoding: Partial<DecodingOptions> = {}): Promise<DecoderFixture> =>
    DecoderFixture.open(name, decoding, DEPTH);

  it('decodes header and object, without dropped paths', async () => {
    const fixture = await open({ indexPaths: ['spec.nodeName', 'spec.containers.image', 'spec.absent'] });
    const decoded = fixture.event('MODIFIED', POD);
    expect(decoded).toMatchObject({
      header: {
        type: 'modified',
        namespace: 'shop',
        name: 'a',
        uid: 'u',
        resourceVersion: '7',
        indexValues: [['node-1'], ['i1', 'i2'], []],
      },
    });
    const { managedFields: _, ...metadata } = POD.metadata;
    expect(fixture.objectOf(decoded)).toEqual({ ...POD, metadata });
  });

  it('drops several paths, through arrays and at the top', async () => {
    const fixture = await open({
      drop: [
        'spec.containers.env',
        'status',
        'metadata.managedFields',
        'spec.nothing.here',
        "data['__proto__']",
      ],
    });
    const decoded = fixture.decodeItem({ ...POD, status: { phase: 'Running' } });
    expect(fixture.objectOf(decoded)).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7' },
      spec: { nodeName: 'node-1', containers: [{ image: 'i1' }, { image: 'i2' }] },
    });
  });

  it('adds the type of a typed list to its items, in the field order of events', async () => {
    const fixture = await open();
    fixture.beginList({ kind: 'PodList', apiVersion: 'v1' });
    const { kind: _, apiVersion: __, ...item } = POD;
    const object = fixture.objectOf(fixture.decodeItem(item)) as object;
    expect(Object.keys(object)).toEqual(['kind', 'apiVersion', 'metadata', 'spec']);
    expect(object).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  it('adds the expected type to items if their list has no type', async () => {
    const fixture = await open();
    fixture.beginList({});
    const { kind: _, apiVersion: __, ...item } = POD;
    expect(fixture.objectOf(fixture.decodeItem(item))).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  it('rejects the items of a list of another kind', async () => {
    const fixture = await open();
    fixture.beginList({ kind: 'ServiceList', apiVersion: 'v1' });
    const { kind: _, apiVersion: __, ...item } = POD;
    expect(fixture.decodeItem(item)).toMatchObject({ type: 'rejected', reason: 'wrong-type', key: 'shop/a' });
  });

  it('decodes bookmarks, and the one that ends a streaming list', async () => {
    const fixture = await open();
    const bookmark = (annotations?: object): object => ({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { resourceVersion: '12', creationTimestamp: null, annotations },
      spec: { containers: null },
    });
    const expected = { type: 'bookmark', resourceVersion: '12', initialEventsEnd: false };
    expect(fixture.event('BOOKMARK', bookmark())).toEqual(expected);
    expect(fixture.event('BOOKMARK', bookmark({ 'k8s.io/initial-events-end': 'false' }))).toEqual(expected);
    expect(fixture.event('BOOKMARK', bookmark({ 'k8s.io/initial-events-end': 'true' }))).toEqual({
      ...expected,
      initialEventsEnd: true,
    });
  });

  it('passes on the Status of an ERROR event', async () => {
    const fixture = await open();
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410, reason: 'Expired' };
    expect(fixture.event('ERROR', status)).toEqual({ type: 'error', status });
    for (const other of [POD, null, 'text', undefined]) {
      expect(fixture.event('ERROR', other)).toEqual({
        type: 'error',
        status: { message: 'the server sent an ERROR event without a Status' },
      });
    }
  });

  const place = { key: 'shop/a', resourceVersion: '7' };
  const without = (field: string): object => ({
    ...POD,
    metadata: Object.fromEntries(Object.entries(POD.metadata).filter(([name]) => name !== field)),
  });
  it.each<[string, unknown, unknown, object]>([
    [
      'another kind',
      'ADDED',
      { ...POD, kind: 'Impostor' },
      { reason: 'wrong-type', ...place, eventType: 'ADDED' },
    ],
    ['no kind', 'ADDED', { ...POD, kind: undefined }, { reason: 'wrong-type', ...place }],
    ['a kind that is no text', 'ADDED', { ...POD, kind: { a: 1 } }, { reason: 'wrong-type', ...place }],
    ['another group', 'ADDED', { ...POD, apiVersion: 'x/v1' }, { reason: 'wrong-gvk', ...place }],
    ['a Table', 'ADDED', { kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] }, { reason: 'table' }],
    ['no object', 'DELETED', undefined, { reason: 'no-metadata', eventType: 'DELETED' }],
    ['null', 'ADDED', null, { reason: 'no-metadata' }],
    ['an array', 'ADDED', [POD], { reason: 'no-metadata' }],
    ['no metadata', 'ADDED', { ...POD, metadata: undefined }, { reason: 'no-metadata' }],
    ['metadata that is null', 'ADDED', { ...POD, metadata: null }, { reason: 'no-metadata' }],
    ['no name', 'ADDED', without('name'), { reason: 'no-metadata', resourceVersion: '7' }],
    [
      'an empty name',
      'ADDED',
      { ...POD, metadata: { ...POD.metadata, name: '' } },
      { reason: 'no-metadata' },
    ],
    ['no version', 'ADDED', without('resourceVersion'), { reason: 'no-metadata', key: 'shop/a' }],
    [
      'a version that is a number',
      'ADDED',
      { ...POD, metadata: { ...POD.metadata, resourceVersion: 7 } },
      { reason: 'no-metadata', key: 'shop/a' },
    ],
    [
      'a namespace that is no text',
      'ADDED',
      { ...POD, metadata: { ...POD.metadata, namespace: 1 } },
      { reason: 'no-metadata', key: 'a' },
    ],
    ['an unknown event', 'REPLACED', POD, { reason: 'unknown-event', ...place, eventType: 'REPLACED' }],
    ['an event of no type', undefined, POD, { reason: 'unknown-event', ...place }],
    ['a type that is no text', 7, POD, { reason: 'unknown-event', ...place }],
    [
      'a bookmark of another kind',
      'BOOKMARK',
      { ...POD, kind: 'Node' },
      { reason: 'wrong-type', eventType: 'BOOKMARK' },
    ],
    ['a bookmark without a version', 'BOOKMARK', without('resourceVersion'), { reason: 'no-metadata' }],
  ])('rejects %s', async (_, type, object, expected) => {
    expect((await open()).event(type, object)).toMatchObject({ type: 'rejected', ...expected });
  });

  it.each(['', 'null', '7', '"text"', '[]', '{}', '{"type":null}', '{"object":{}}'])(
    'rejects the event %s',
    async (text) => {
      expect((await open()).decodeEvent(bytesOf(text))).toMatchObject({ type: 'rejected' });
      expect((await open()).decodeItem(bytesOf(text))).toMatchObject({ type: 'rejected' });
    },
  );

  it('never quotes an object that cannot be parsed', async () => {
    const fixture = await open();
    const text = JSON.stringify({ type: 'ADDED', object: { ...POD, data: 'secret' } });
    const decoded = fixture.decodeEvent(bytesOf(text.replace('"secret"', 'secret')));
    expect(decoded).toEqual({
      type: 'rejected',
      reason: 'undecodable',
      message: 'the object is not valid JSON',
      eventType: 'ADDED',
      ...place,
    });
  });

  it('rejects invalid UTF-8, by key', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...POD, data: '####' }));
    bytes[bytes.indexOf('####')] = 0xff;
    expect((await open()).decodeItem(bytes)).toMatchObject({ reason: 'undecodable', ...place });
  });

  it('accepts non-ASCII characters in every place', async () => {
    const fixture = await open({ drop: [] });
    for (const text of ['é', '€', '😀', 'aé', 'ab€', 'abc😀', '\uffff', '\u{10ffff}']) {
      for (let padding = 0; padding < 8; padding++) {
        const pod = { ...POD, padding: 'x'.repeat(padding), last: text };
        expect(fixture.objectOf(fixture.decodeItem(pod))).toEqual(pod);
      }
    }
  });

  it('accepts objects up to the maximum depth and rejects deeper ones by key', async () => {
    const fixture = await open();
    const nested = (levels: number): string =>
      `${JSON.stringify(POD).slice(0, -1)},"deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const event = (object: string): Uint8Array => bytesOf(`{"type":"ADDED","object":${object}}`);
    expect(fixture.decodeItem(bytesOf(nested(DEPTH - 1)))).toHaveProperty('payload');
    expect(fixture.decodeEvent(event(nested(DEPTH - 1)))).toHaveProperty('payload');
    for (const levels of [DEPTH, 100_000]) {
      const expected = { reason: 'undecodable', ...place };
      expect(fixture.decodeItem(bytesOf(nested(levels)))).toMatchObject(expected);
      expect(fixture.decodeEvent(event(nested(levels)))).toMatchObject(expected);
    }
  });

  it('keeps only metadata in the metadata form, with the type of the objects', async () => {
    const fixture = await open({ form: 'metadata', drop: [] });
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: POD.metadata };
    const expected = { kind: 'Pod', apiVersion: 'v1', metadata: POD.metadata };
    expect(fixture.objectOf(fixture.decodeItem(partial))).toEqual(expected);
    expect(fixture.objectOf(fixture.event('ADDED', partial))).toEqual(expected);
    // A server that does not know the form.
    expect(fixture.objectOf(fixture.decodeItem(POD))).toEqual(expected);
    expect(fixture.event('BOOKMARK', partial)).toMatchObject({ type: 'bookmark', resourceVersion: '7' });
    expect(fixture.decodeItem({ ...partial, kind: 'Other' })).toMatchObject({ reason: 'wrong-type' });
  });

  it.each(HOSTILE_OBJECTS.map(({ name, json }) => [name, json]))(
    'gives %s as JSON.parse does',
    async (name, json) => {
      const fixture = await open({ kind: 'ConfigMap', drop: [] });
      const decoded = fixture.decodeItem(bytesOf(json));
      expect(decoded).toMatchObject({ header: { name, namespace: 'hostile' } });
      const object = fixture.objectOf(decoded);
      expect(JSON.stringify(object)).toBe(JSON.stringify(JSON.parse(json)));
    },
  );
});

describe('DecoderFactory', () => {
  const streamOf = (decoding: Partial<DecodingOptions>): StreamDecoding => {
    const { limits, decoding: complete } = taskOf({ path: '/', connection: '', decoding });
    return new DecoderFactory().create({ decoding: complete, limits }, undefined);
  };

  it('creates the simd decoder wherever it is supported', () => {
    expect(streamOf({ decoder: 'auto' }).decoder).toBe('simd');
    expect(streamOf({ decoder: 'auto', form: 'metadata' }).decoder).toBe('simd');
    expect(streamOf({ decoder: 'json' }).decoder).toBe('json');
    expect(streamOf({ decoder: 'auto', hooks: 'file:///hooks.mjs' }).decoder).toBe('json');
  });

  it.each<[string, Partial<DecodingOptions>]>([
    ['a name that JSON escapes', { drop: ["metadata.annotations['a\"b']"] }],
    ['a name beyond ASCII', { indexPaths: ['spec.größe'] }],
    ['a dropped header', { drop: ['metadata.name'] }],
    ['dropped metadata', { drop: ['metadata'] }],
    ['an index of kinds', { indexPaths: ['spec.nodeName', 'kind'] }],
    ['an index of apiVersions', { indexPaths: ['apiVersion'] }],
    ['more indexes than bits', { indexPaths: Array.from({ length: 33 }, (_, i) => `spec.f${i}`) }],
    [
      'more paths than there is room for',
      { drop: Array.from({ length: 500 }, (_, i) => `spec.f${i}.${'x'.repeat(60)}`) },
    ],
  ])('creates the json decoder for %s, and fails if simd was requested', async (_, decoding) => {
    expect(streamOf({ ...decoding, decoder: 'auto' }).decoder).toBe('json');
    await expect(streamOf({ ...decoding, decoder: 'simd' }).open()).rejects.toThrow(
      'the simd decoder is not supported',
    );
  });
});
