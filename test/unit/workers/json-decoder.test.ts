import { describe, expect, it } from 'vitest';
import { ObjectPacker } from '#dist/src/wire/codec.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import type { DecodingOptions } from '#dist/src/wire/stream-task.js';
import type { Decoded } from '#dist/workers/decoder.js';
import { JsonDecoder } from '#dist/workers/json-decoder.js';
import { HOSTILE_OBJECTS } from '../../support/hostile-objects.js';

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

class Fixture {
  readonly packer = new ObjectPacker();
  readonly decoder: JsonDecoder;

  constructor(decoding: Partial<DecodingOptions> = {}) {
    this.decoder = new JsonDecoder({
      decoding: {
        decoder: 'json',
        apiVersion: 'v1',
        kind: 'Pod',
        form: 'object',
        drop: ['metadata.managedFields'],
        indexPaths: [],
        hookIndexes: [],
        ...decoding,
      },
      depth: DEPTH,
      packer: this.packer,
    });
  }

  item(item: unknown): Decoded {
    return this.decoder.decodeItem(bytesOf(item));
  }

  event(type: unknown, object: unknown): Decoded {
    return this.decoder.decodeEvent(bytesOf({ type, object }));
  }

  /** The object as the main thread would see it. */
  objectOf(decoded: Decoded): unknown {
    if (!('payload' in decoded)) throw new Error(JSON.stringify(decoded));
    const reader = new ObjectReader(this.packer.tableId);
    reader.extend(0, this.packer.definitions);
    const payload = Buffer.from(decoded.payload);
    return reader.read(payload, 0, payload.length);
  }
}

function bytesOf(value: unknown): Uint8Array {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

describe('JsonDecoder', () => {
  it('gives header and object, without what is dropped', () => {
    const fixture = new Fixture({ indexPaths: ['spec.nodeName', 'spec.containers.image', 'spec.absent'] });
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

  it('drops several paths, through arrays and at the top', () => {
    const fixture = new Fixture({
      drop: [
        'spec.containers.env',
        'status',
        'metadata.managedFields',
        'spec.nothing.here',
        "data['__proto__']",
      ],
    });
    const decoded = fixture.item({ ...POD, status: { phase: 'Running' } });
    expect(fixture.objectOf(decoded)).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7' },
      spec: { nodeName: 'node-1', containers: [{ image: 'i1' }, { image: 'i2' }] },
    });
  });

  it('fills in the type of a typed list, in the order that events have', () => {
    const fixture = new Fixture();
    fixture.decoder.beginList({ kind: 'PodList', apiVersion: 'v1' });
    const { kind: _, apiVersion: __, ...item } = POD;
    const object = fixture.objectOf(fixture.item(item)) as object;
    expect(Object.keys(object)).toEqual(['kind', 'apiVersion', 'metadata', 'spec']);
    expect(object).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  it('takes the type of untyped items from what is expected if the list has not said its own', () => {
    const fixture = new Fixture();
    fixture.decoder.beginList({});
    const { kind: _, apiVersion: __, ...item } = POD;
    expect(fixture.objectOf(fixture.item(item))).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  it('rejects the items of a list of something else', () => {
    const fixture = new Fixture();
    fixture.decoder.beginList({ kind: 'ServiceList', apiVersion: 'v1' });
    const { kind: _, apiVersion: __, ...item } = POD;
    expect(fixture.item(item)).toMatchObject({ type: 'rejected', reason: 'wrong-type', key: 'shop/a' });
  });

  it('reads bookmarks, and the one that ends a streaming list', () => {
    const fixture = new Fixture();
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

  it('hands on the Status of an ERROR event', () => {
    const fixture = new Fixture();
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
  ])('rejects %s', (_, type, object, expected) => {
    expect(new Fixture().event(type, object)).toMatchObject({ type: 'rejected', ...expected });
  });

  it.each(['', 'null', '7', '"text"', '[]', '{}', '{"type":null}', '{"object":{}}'])(
    'rejects the event %s',
    (text) => {
      expect(new Fixture().decoder.decodeEvent(bytesOf(text))).toMatchObject({ type: 'rejected' });
      expect(new Fixture().decoder.decodeItem(bytesOf(text))).toMatchObject({ type: 'rejected' });
    },
  );

  it('says nothing of what an object holds when it cannot be parsed', () => {
    const fixture = new Fixture();
    const text = JSON.stringify({ type: 'ADDED', object: { ...POD, data: 'secret' } });
    const decoded = fixture.decoder.decodeEvent(bytesOf(text.replace('"secret"', 'secret')));
    expect(decoded).toEqual({
      type: 'rejected',
      reason: 'undecodable',
      message: 'the object is not valid JSON',
      eventType: 'ADDED',
      ...place,
    });
  });

  it('rejects what is not UTF-8, by key', () => {
    const bytes = Buffer.from(JSON.stringify({ ...POD, data: '####' }));
    bytes[bytes.indexOf('####')] = 0xff;
    expect(new Fixture().decoder.decodeItem(bytes)).toMatchObject({ reason: 'undecodable', ...place });
  });

  it('takes objects up to the depth allowed and rejects deeper ones by key', () => {
    const fixture = new Fixture();
    const nested = (levels: number): string =>
      `${JSON.stringify(POD).slice(0, -1)},"deep":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const event = (object: string): Uint8Array => bytesOf(`{"type":"ADDED","object":${object}}`);
    expect(fixture.decoder.decodeItem(bytesOf(nested(DEPTH - 1)))).toHaveProperty('payload');
    expect(fixture.decoder.decodeEvent(event(nested(DEPTH - 1)))).toHaveProperty('payload');
    for (const levels of [DEPTH, 100_000]) {
      const expected = { reason: 'undecodable', ...place };
      expect(fixture.decoder.decodeItem(bytesOf(nested(levels)))).toMatchObject(expected);
      expect(fixture.decoder.decodeEvent(event(nested(levels)))).toMatchObject(expected);
    }
    expect(fixture.decoder.decodeItem(bytesOf(POD), DEPTH + 1)).toMatchObject({ reason: 'undecodable' });
  });

  it('gives metadata alone in the metadata form, under the type of the objects', () => {
    const fixture = new Fixture({ form: 'metadata', drop: [] });
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: POD.metadata };
    const expected = { kind: 'Pod', apiVersion: 'v1', metadata: POD.metadata };
    expect(fixture.objectOf(fixture.item(partial))).toEqual(expected);
    expect(fixture.objectOf(fixture.event('ADDED', partial))).toEqual(expected);
    // A server that does not know the form.
    expect(fixture.objectOf(fixture.item(POD))).toEqual(expected);
    expect(fixture.event('BOOKMARK', partial)).toMatchObject({ type: 'bookmark', resourceVersion: '7' });
    expect(fixture.item({ ...partial, kind: 'Other' })).toMatchObject({ reason: 'wrong-type' });
  });

  it.each(HOSTILE_OBJECTS.map(({ name, json }) => [name, json]))(
    'gives %s as JSON.parse does',
    (name, json) => {
      const fixture = new Fixture({ kind: 'ConfigMap', drop: [] });
      const decoded = fixture.decoder.decodeItem(bytesOf(json));
      expect(decoded).toMatchObject({ header: { name, namespace: 'hostile' } });
      const object = fixture.objectOf(decoded);
      expect(JSON.stringify(object)).toBe(JSON.stringify(JSON.parse(json)));
    },
  );
});
