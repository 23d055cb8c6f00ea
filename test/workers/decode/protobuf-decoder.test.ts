import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';
import { readEnvelope } from '#dist/workers/decode/protobuf/envelope.js';
import { MessageReader } from '#dist/workers/decode/protobuf/message-reader.js';
import { ProtobufDifferential } from '../../fuzz/protobuf-differential.js';
import { type ProtobufItem, protobufEvent, protobufItems } from '../../fuzz/protobuf-documents.js';
import { fuzzProtobuf } from '../../fuzz/protobuf-fuzz.js';
import { double, entry, envelope, integer, nested } from '../../support/objects/protobuf.js';
import { protobufDocuments } from '../../support/objects/protobuf-documents.js';
import { type Content, DecoderFixture } from '../../support/workers/decoder-fixture.js';

const NOTHING_DROPPED = { drop: [], indexPaths: [] };

describe('objects of every built-in kind, filled at random by Go', () => {
  it('are decoded by the reference decoder as from JSON', () => {
    const reader = new MessageReader({ maxDepth: 500 });
    for (const { protobuf, json } of protobufDocuments()) {
      const { apiVersion, kind, raw } = readEnvelope(protobuf);
      const message = protobufMessageOfKind(apiVersion, kind) ?? '';
      expect({ kind, apiVersion, ...reader.read(message, raw) }, kind).toEqual(JSON.parse(json));
    }
    expect(reader.unknownFields).toBe(0);
  });

  it('are decoded by the module as from JSON, almost without the reference decoder', async () => {
    const items = protobufItems();
    const fixtures = new Map<string, DecoderFixture>();
    let delegated = 0;
    for (const { apiVersion, kind, item, json } of items) {
      const id = `${apiVersion} ${kind}`;
      const fixture =
        fixtures.get(id) ??
        (await DecoderFixture.open('simd', { apiVersion, kind, ...NOTHING_DROPPED }, 500, 'protobuf'));
      fixtures.set(id, fixture);
      fixture.beginList({ kind: `${kind}List`, apiVersion });
      const before = fixture.delegated;
      expect(fixture.objectOf(fixture.decodeItem(item)), kind).toEqual(json);
      delegated += fixture.delegated - before;
      // Now along the steps that the walk has just learned.
      expect(fixture.objectOf(fixture.decodeItem(item)), kind).toEqual(json);
      expect(fixture.unknownFields).toBe(0);
    }
    for (const fixture of fixtures.values()) fixture.close();
    expect(items.length).toBeGreaterThan(1000);
    // Invalid UTF-8, a message inlined in one that is inlined itself, times before year 1.
    expect(delegated / items.length).toBeLessThan(0.1);
  });

  it('become the same rows in both decoders, complete and damaged, as items and as events', async () => {
    const verdicts = await fuzzProtobuf({ seed: 20_261_117, count: 3000 });
    expect(verdicts.accepted).toBeGreaterThan(300);
    expect(verdicts.special).toBeGreaterThan(100);
    expect(verdicts.invalid).toBeGreaterThan(1000);
  });

  it('are rejected if they are cut at any byte, by key if that is complete', async () => {
    const differential = await ProtobufDifferential.open(POD);
    // The walk has read it whole before.
    const item = protobufItems().find(
      ({ kind, item: whole }) =>
        kind === 'Pod' && whole.length > 1000 && differential.item(whole) === 'accepted',
    ) as ProtobufItem;
    const { item: bytes } = item;
    const event = protobufEvent('ADDED', item, bytes);
    for (let length = 0; length < 1000; length++) {
      differential.item(bytes.subarray(0, length));
      expect(differential.event(event.subarray(0, length))).toBe('invalid');
    }
    differential.close();
  });
});

const METADATA = nested(1, nested(1, 'a'), nested(3, 'b'), nested(5, 'u'), nested(6, '7'));
const POD = { apiVersion: 'v1', kind: 'Pod' };
const EMPTY_POD_SPEC = { containers: null };

describe.each(['simd', 'json'] as const)('the %s decoder, protobuf', (decoder) => {
  let pods: DecoderFixture;

  beforeAll(async () => {
    pods = await DecoderFixture.open(decoder, { ...POD, ...NOTHING_DROPPED }, 12, 'protobuf');
    pods.beginList({ kind: 'PodList', apiVersion: 'v1' });
  });
  afterAll(() => pods.close());

  const objectOf = (...parts: readonly Buffer[]): unknown =>
    pods.objectOf(pods.decodeItem(Buffer.concat([METADATA, ...parts])));
  const specOf = (...parts: readonly Buffer[]): unknown =>
    (objectOf(nested(2, ...parts)) as { spec: unknown }).spec;
  const rejection = (...parts: readonly Buffer[]): Content =>
    pods.decodeItem(Buffer.concat([METADATA, ...parts]));

  it('adds null for what JSON shows as null, and omits what it omits and what the server does not know', () => {
    const metadata = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7' };
    // Go sends every struct that it has.
    expect(objectOf()).toEqual({ ...POD, metadata });
    expect(objectOf(nested(2), nested(3))).toEqual({ ...POD, metadata, spec: EMPTY_POD_SPEC, status: {} });
    // Empty strings are sent; a pointer to zero is not empty.
    expect(specOf(nested(3, ''), integer(4, 0), integer(11, 0))).toEqual({
      ...EMPTY_POD_SPEC,
      terminationGracePeriodSeconds: 0,
    });
  });

  it('takes the last value of a repeated field', () => {
    expect(specOf(nested(10, 'first'), integer(25, 1), nested(10, 'node'))).toEqual({
      ...EMPTY_POD_SPEC,
      nodeName: 'node',
      priority: 1,
    });
    expect(specOf(nested(10, 'first'), nested(10, ''))).toEqual(EMPTY_POD_SPEC);
  });

  it('continues a list and a map that are interrupted', () => {
    const spec = specOf(
      nested(2, nested(1, 'one')),
      entry(7, 'k', 'v'),
      nested(2, nested(1, 'two')),
      entry(7, 'k', 'w'),
      entry(7, '__proto__', 'p'),
    );
    expect(spec).toMatchObject({ containers: [{ name: 'one' }, { name: 'two' }] });
    expect(Object.entries((spec as { nodeSelector: object }).nodeSelector)).toEqual([
      ['k', 'w'],
      ['__proto__', 'p'],
    ]);
  });

  it('merges repeated messages', () => {
    const spec = specOf(nested(14, integer(2, 1000)), nested(14, integer(3, 1), integer(2, 5)));
    expect(spec).toEqual({ ...EMPTY_POD_SPEC, securityContext: { runAsUser: 5, runAsNonRoot: true } });
    expect(objectOf(nested(2, nested(10, 'n')), nested(2, nested(3, 'Always')))).toMatchObject({
      spec: { nodeName: 'n', restartPolicy: 'Always' },
    });
  });

  it('reads unpacked and packed numbers', () => {
    expect(specOf(nested(14, integer(4, 1), integer(4, -2)))).toMatchObject({
      securityContext: { supplementalGroups: [1, -2] },
    });
    const packed = Buffer.from([1, 0xe8, 0x07]);
    expect(specOf(nested(14, nested(4, packed), integer(4, 3)))).toMatchObject({
      securityContext: { supplementalGroups: [1, 1000, 3] },
    });
  });

  it('replaces invalid UTF-8 as Go does', () => {
    expect(specOf(nested(10, Buffer.from([0x61, 0xff, 0xe2, 0x82, 0xc3, 0xa9])))).toMatchObject({
      nodeName: 'a\ufffd\ufffd\ufffdé',
    });
  });

  it('skips and counts unknown fields', () => {
    const before = pods.unknownFields;
    expect(specOf(nested(99, 'x'), nested(99, ''), nested(99, 'y'))).toEqual(EMPTY_POD_SPEC);
    expect(specOf(nested(99, 'x'), nested(99, 'y'))).toEqual(EMPTY_POD_SPEC);
    expect(pods.unknownFields - before).toBe(5);
    const group = Buffer.from([0x9b, 0x06, 0x08, 0x01, 0x9c, 0x06]);
    expect(specOf(nested(99, 'x'), integer(98, 7), double(97, 1.5), nested(10, 'n'), group)).toEqual({
      ...EMPTY_POD_SPEC,
      nodeName: 'n',
    });
    expect(pods.unknownFields - before).toBe(9);
  });

  it('rejects objects that are nested too deep, by key', () => {
    const object = (levels: number): Buffer =>
      nested(
        1,
        nested(
          17,
          nested(1, 'm'),
          nested(7, nested(1, `${'{"f:a":'.repeat(levels)}{}${'}'.repeat(levels)}`)),
        ),
      );
    expect(pods.decodeItem(Buffer.concat([METADATA, object(3)]))).not.toMatchObject({ type: 'rejected' });
    expect(pods.decodeItem(Buffer.concat([METADATA, object(40)]))).toMatchObject({
      type: 'rejected',
      reason: 'undecodable',
      key: 'b/a',
    });
  });

  it.each([
    ['a number for a string', integer(10, 1)],
    ['a string for a number', nested(25, 'x')],
    ['a length beyond the end', Buffer.from([0x52, 0x7f, 0x61])],
    ['a field without a number', Buffer.from([0x02, 0x00])],
    ['a number of eleven bytes', Buffer.concat([Buffer.from([0xc8, 0x01]), Buffer.alloc(11, 0xff)])],
    ['the end of no group', Buffer.from([0x9c, 0x06])],
  ])('rejects %s', (_, bytes) => {
    expect(rejection(nested(2, bytes))).toMatchObject({
      type: 'rejected',
      reason: 'undecodable',
      key: 'b/a',
    });
  });

  describe('in a watch', () => {
    const eventOf = (type: string, kind: string, ...parts: readonly Buffer[]): Content =>
      pods.decodeEvent(
        Buffer.concat([nested(1, type), nested(2, nested(1, envelope('v1', kind, ...parts)))]),
      );

    it('creates rows by the type of the event', () => {
      for (const type of ['ADDED', 'MODIFIED', 'DELETED']) {
        const row = eventOf(type, 'Pod', METADATA);
        expect(row).toMatchObject({
          header: { type: type.toLowerCase(), name: 'a', namespace: 'b', uid: 'u' },
        });
        expect(pods.objectOf(row)).toMatchObject(POD);
      }
    });

    it('decodes bookmarks, and the one that ends a streaming list', () => {
      const end = entry(12, 'k8s.io/initial-events-end', 'true');
      expect(eventOf('BOOKMARK', 'Pod', nested(1, nested(6, '9')))).toEqual({
        type: 'bookmark',
        resourceVersion: '9',
        initialEventsEnd: false,
      });
      expect(eventOf('BOOKMARK', 'Pod', nested(1, nested(6, '9'), end))).toMatchObject({
        initialEventsEnd: true,
      });
    });

    it('decodes errors with their Status', () => {
      const status = [nested(2, 'Failure'), nested(3, 'too old'), nested(4, 'Expired'), integer(6, 410)];
      expect(eventOf('ERROR', 'Status', nested(1), ...status)).toEqual({
        type: 'error',
        status: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'too old',
          reason: 'Expired',
          code: 410,
        },
      });
    });

    it('rejects objects of other types, and events without a type', () => {
      expect(eventOf('ADDED', 'Secret', METADATA)).toMatchObject({
        type: 'rejected',
        reason: 'wrong-type',
        key: 'b/a',
      });
      expect(eventOf('HELLO', 'Pod', METADATA)).toMatchObject({ type: 'rejected', reason: 'unknown-event' });
      expect(pods.decodeEvent(Buffer.alloc(0))).toMatchObject({ type: 'rejected', reason: 'undecodable' });
    });
  });
});

it('skips dropped paths and collects index values in both decoders', async () => {
  const options = {
    ...POD,
    drop: ['metadata.managedFields', 'spec.volumes'],
    indexPaths: ['spec.nodeName', 'spec.containers.name', 'spec.priority'],
  };
  const volumes = nested(2, nested(1, 'not a message'));
  const parts = [
    METADATA,
    nested(
      2,
      volumes.subarray(2),
      nested(10, 'n'),
      nested(2, nested(1, 'x')),
      nested(2, nested(1, 'y')),
      integer(25, -3),
    ),
  ];
  for (const decoder of ['simd', 'json'] as const) {
    const pods = await DecoderFixture.open(decoder, options, 100, 'protobuf');
    pods.beginList({ kind: 'PodList', apiVersion: 'v1' });
    const row = pods.decodeItem(Buffer.concat(parts));
    expect(row).toMatchObject({ header: { indexValues: [['n'], ['x', 'y'], ['-3']] } });
    expect(pods.objectOf(row)).not.toHaveProperty('spec.volumes');
    pods.close();
  }
});

it('drops identity fields after they were read, and nothing of bookmarks and errors', async () => {
  const drop = ['metadata.namespace', 'metadata.annotations', 'metadata.resourceVersion', 'message', 'code'];
  const pods = await DecoderFixture.open('json', { ...POD, drop, indexPaths: [] }, 100, 'protobuf');
  pods.beginList({ kind: 'PodList', apiVersion: 'v1' });
  const row = pods.decodeItem(METADATA);
  expect(row).toMatchObject({ header: { namespace: 'b', name: 'a', resourceVersion: '7' } });
  expect(pods.objectOf(row)).toMatchObject({ metadata: { name: 'a', uid: 'u' } });
  expect(pods.objectOf(row)).not.toHaveProperty('metadata.namespace');
  const eventOf = (type: string, kind: string, ...parts: readonly Buffer[]): Content =>
    pods.decodeEvent(Buffer.concat([nested(1, type), nested(2, nested(1, envelope('v1', kind, ...parts)))]));
  const end = entry(12, 'k8s.io/initial-events-end', 'true');
  expect(eventOf('BOOKMARK', 'Pod', nested(1, nested(6, '9'), end))).toEqual({
    type: 'bookmark',
    resourceVersion: '9',
    initialEventsEnd: true,
  });
  expect(eventOf('ERROR', 'Status', nested(3, 'too old'), integer(6, 410))).toMatchObject({
    status: { message: 'too old', code: 410 },
  });
  pods.close();
});

it('decodes only metadata of any kind, including custom resources', async () => {
  const options = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    form: 'metadata' as const,
    ...NOTHING_DROPPED,
  };
  for (const decoder of ['simd', 'json'] as const) {
    const widgets = await DecoderFixture.open(decoder, options, 100, 'protobuf');
    widgets.beginList({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(widgets.objectOf(widgets.decodeItem(METADATA))).toEqual({
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7' },
    });
    widgets.close();
  }
});
