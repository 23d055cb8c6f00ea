import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalJson, LongInteger, parseJson } from '#dist/apiserver/json.js';
import { decodeEnvelope } from '#dist/apiserver/protobuf/decode-envelope.js';
import { decodeMessage } from '#dist/apiserver/protobuf/decode-message.js';
import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';
import { ProtobufError } from '#dist/src/kube/protobuf-schema/wire-reader.js';
import { KUBECTL_BODIES } from '../support/objects/kubectl-bodies.js';
import { double, entry, envelope, integer, nested, varint } from '../support/objects/protobuf.js';

const SCHEMA = 'apiextensions.v1.JSONSchemaProps';

function decode(body: Buffer): Record<string, unknown> {
  const { apiVersion, kind, raw } = decodeEnvelope(body);
  const message = protobufMessageOfKind(kind === 'DeleteOptions' ? 'v1' : apiVersion, kind);
  if (message === undefined) throw new ProtobufError(`no such kind: ${kind}`);
  return { kind, apiVersion, ...decodeMessage(message, raw) };
}

describe('recorded request bodies', () => {
  test.each(KUBECTL_BODIES)('are decoded: kubectl $command', ({ body, apiVersion, kind, object }) => {
    expect(decode(Buffer.from(body, 'base64'))).toEqual({ apiVersion, kind, ...object });
  });

  test.each(goldenObjects())('$name with every field set decodes to its JSON', ({ protobuf, json }) => {
    const decoded = decode(Buffer.from(protobuf, 'base64'));
    const expected = parseJson(json);
    // The diff of two unequal objects is readable, that of two long integers is not.
    if (!equalJson(decoded, expected)) expect(decoded).toEqual(expected);
  });
});

describe('decoding a value', () => {
  const metadata = (...parts: Buffer[]): unknown =>
    decodeMessage('core.v1.ConfigMap', nested(1, ...parts))['metadata'];
  const long = (text: string): LongInteger => new LongInteger(text);

  test.each([
    [0, undefined],
    [1, 1],
    [-1, -1],
    [2 ** 32, 2 ** 32],
    [-(2 ** 32), -(2 ** 32)],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    [2n ** 53n, long('9007199254740992')],
    [2n ** 63n - 1n, long('9223372036854775807')],
    [-(2n ** 63n), long('-9223372036854775808')],
  ])('accepts 64-bit integers: %s', (sent, expected) => {
    const expectation = expected === undefined ? {} : { generation: expected };
    expect(metadata(integer(7, sent))).toEqual(expectation);
  });

  test.each([
    [80, 80],
    [-1, -1],
    [2 ** 31, -(2 ** 31)],
    [2n ** 32n + 5n, 5],
  ])('keeps the low half of 32-bit integers: %s', (sent, expected) => {
    expect(decodeMessage('core.v1.ContainerPort', integer(3, sent))).toEqual({ containerPort: expected });
  });

  test('keeps a zero behind a pointer and in a required field, and omits it elsewhere', () => {
    const bytes = Buffer.concat([integer(1, 0), integer(5, 0), integer(7, 0)]);
    expect(decodeMessage('apps.v1.DeploymentSpec', bytes)).toEqual({ replicas: 0 });
    expect(
      decodeMessage('core.v1.ContainerPort', Buffer.concat([nested(1, ''), integer(2, 0), integer(3, 0)])),
    ).toEqual({
      containerPort: 0,
    });
  });

  test.each([
    ['nothing', Buffer.alloc(0), undefined],
    ['the epoch', integer(1, 0), '1970-01-01T00:00:00Z'],
    ['before the epoch', integer(1, -1), '1969-12-31T23:59:59Z'],
    ['nanoseconds', Buffer.concat([integer(1, 1), integer(2, 999_999_999)]), '1970-01-01T00:00:01Z'],
  ])('accepts a time of %s', (_, sent, expected) => {
    const expectation = expected === undefined ? {} : { creationTimestamp: expected };
    expect(metadata(nested(8, sent))).toEqual(expectation);
  });

  test.each([
    [1000, '1970-01-01T00:00:01.000001Z'],
    [999_999_999, '1970-01-01T00:00:01.999999Z'],
    [1_500_000_000, '1970-01-01T00:00:02.500000Z'],
    [-1000, '1970-01-01T00:00:00.999999Z'],
  ])('accepts a time of 1 s and %s ns', (nanos, renewTime) => {
    const time = nested(4, integer(1, 1), integer(2, nanos));
    expect(decodeMessage('coordination.v1.LeaseSpec', time)).toEqual({ renewTime });
  });

  test('accepts lists of integers, packed and one by one', () => {
    const groups = [integer(4, 1), nested(4, varint(2), varint(2n ** 60n)), nested(4)];
    expect(decodeMessage('core.v1.PodSecurityContext', Buffer.concat(groups))).toEqual({
      supplementalGroups: [1, 2, long(String(2n ** 60n))],
    });
    expect(decodeMessage('core.v1.PodSecurityContext', nested(4))).toEqual({});
  });

  test('accepts map entries without key, value, or both', () => {
    const data = [nested(2, nested(1, 'k')), nested(2, nested(2, 'v')), nested(3, nested(1, 'b'))];
    expect(decodeMessage('core.v1.ConfigMap', Buffer.concat(data))).toEqual({
      data: { k: '', '': 'v' },
      binaryData: { b: '' },
    });
    expect(decodeMessage('core.v1.ResourceRequirements', nested(1, nested(1, 'cpu')))).toEqual({
      limits: { cpu: '0' },
    });
  });

  test('accepts __proto__ as the key of a map entry', () => {
    const { data } = decodeMessage('core.v1.ConfigMap', entry(2, '__proto__', 'x')) as { data: object };
    expect(Object.entries(data)).toEqual([['__proto__', 'x']]);
  });

  test('puts the fields of an inlined message into the outer object', () => {
    const volume = Buffer.concat([nested(1, 'v'), nested(2, nested(19, nested(1, nested(1, 'cm'))))]);
    expect(decodeMessage('core.v1.Volume', volume)).toEqual({ name: 'v', configMap: { name: 'cm' } });
  });

  test('merges repeated messages, and replaces repeated scalars and entries', () => {
    const twice = [
      nested(1, nested(1, 'a'), nested(3, 'ns')),
      entry(2, 'k', '1'),
      nested(1, nested(1, 'b')),
      entry(2, 'k', '2'),
    ];
    expect(decodeMessage('core.v1.ConfigMap', Buffer.concat(twice))).toEqual({
      metadata: { name: 'b', namespace: 'ns' },
      data: { k: '2' },
    });
  });

  test('skips unknown fields of any wire type', () => {
    const group = [varint((80 << 3) | 3), integer(81, 1), varint((80 << 3) | 4)];
    const fixed32 = [varint((82 << 3) | 5), Buffer.alloc(4)];
    const unknown = [integer(78, 1), nested(79, 'x'), double(77, 1), ...group, ...fixed32];
    expect(decodeMessage('core.v1.ConfigMap', Buffer.concat([...unknown, integer(4, 1)]))).toEqual({
      immutable: true,
    });
  });
});

describe('decoding a schema', () => {
  const string = nested(5, 'string');

  test.each([
    ['allowed', integer(1, 1), true],
    ['not allowed', integer(1, 0), false],
    ['of a type', Buffer.concat([integer(1, 1), nested(2, string)]), { type: 'string' }],
  ])('accepts a boolean: %s', (_, sent, additionalProperties) => {
    expect(decodeMessage(SCHEMA, nested(30, sent))).toEqual({ additionalProperties });
  });

  test('accepts a list', () => {
    expect(decodeMessage(SCHEMA, nested(24, nested(1, string)))).toEqual({ items: { type: 'string' } });
    expect(decodeMessage(SCHEMA, nested(24, nested(2, string), nested(2, string)))).toEqual({
      items: [{ type: 'string' }, { type: 'string' }],
    });
    expect(decodeMessage(SCHEMA, nested(24))).toEqual({});
  });

  test('accepts strings', () => {
    const dependencies = [entry(32, 'a', nested(2, 'b')), entry(32, 'c', nested(1, string))];
    expect(decodeMessage(SCHEMA, Buffer.concat(dependencies))).toEqual({
      dependencies: { a: ['b'], c: { type: 'string' } },
    });
  });

  test('accepts JSON and doubles', () => {
    const parts = [
      double(9, 1.5),
      nested(8, nested(1, '{"n":12345678901234567890}')),
      nested(20, nested(1, '[]')),
      nested(20, nested(1, 'null')),
      nested(20),
    ];
    expect(decodeMessage(SCHEMA, Buffer.concat(parts))).toEqual({
      default: { n: long('12345678901234567890') },
      maximum: 1.5,
      enum: [[], null, null],
    });
  });

  function long(text: string): LongInteger {
    return new LongInteger(text);
  }
});

describe('invalid bytes', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'empty data'],
    [
      'JSON',
      Buffer.from('{}'),
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    ['only the prefix', Buffer.from('k8s\0'), 'empty body'],
    ['a truncated type', Buffer.from('k8s\0\n\x09x'), 'unexpected EOF'],
  ])('are an error in the envelope: %s', (_, bytes, message) => {
    expect(() => decodeEnvelope(bytes)).toThrow(new ProtobufError(message));
  });

  test.each([
    ['a truncated varint', Buffer.from([0x80]), 'unexpected EOF'],
    ['a varint that does not end', Buffer.alloc(12, 0xff), 'proto: integer overflow'],
    ['a length beyond the end', Buffer.from([0x0a, 9, 1]), 'unexpected EOF'],
    ['a length beyond 2^53', Buffer.concat([Buffer.from([0x0a]), varint(2n ** 62n)]), 'unexpected EOF'],
    [
      'a negative length',
      Buffer.concat([Buffer.from([0x0a]), varint(-1)]),
      'proto: negative length found during unmarshaling',
    ],
    ['a wrong wire type', integer(1, 5), 'proto: wrong wireType = 0 for field ObjectMeta'],
    ['a group that ends only', Buffer.from([0x0c]), 'proto: ConfigMap: wiretype end group for non-group'],
    ['a group that does not end', Buffer.alloc(9, 0x7b), 'unexpected EOF'],
    ['field 0', Buffer.from([0, 0]), 'proto: ConfigMap: illegal tag 0 (wire type 0)'],
    ['an illegal wire type', varint((79 << 3) | 7), 'proto: illegal wireType 7'],
    ['a truncated double', Buffer.concat([varint((79 << 3) | 1), Buffer.alloc(7)]), 'unexpected EOF'],
  ])('are an error in the message: %s', (_, bytes, message) => {
    expect(() => decodeMessage('core.v1.ConfigMap', bytes)).toThrow(new ProtobufError(message));
  });

  test.each([
    ['core.v1.Event', nested(6, integer(1, 2n ** 60n)), 'time is out of range'],
    ['core.v1.Event', nested(6, integer(1, 253_402_300_800)), 'time is out of range'],
    ['core.v1.ServicePort', nested(4, integer(1, 2)), 'impossible IntOrString.Type'],
    [SCHEMA, nested(8, nested(1, '{')), 'unexpected end of JSON input'],
    [SCHEMA, double(9, Number.NaN), 'json: unsupported value: NaN'],
  ])('are an error in a value of %s', (struct, bytes, message) => {
    expect(() => decodeMessage(struct, bytes)).toThrow(new ProtobufError(message));
  });

  test('are an error when nested too deeply', () => {
    let schema = nested(5, 'object');
    for (let depth = 0; depth < 1000; depth++) schema = nested(30, nested(2, schema));
    expect(() => decodeMessage(SCHEMA, schema)).toThrow(ProtobufError);
  });
});

describe('decoding arbitrary bytes', () => {
  // An empty element of a list is 2 bytes and becomes `{}`; an integer of 2 bytes becomes up to 40 characters.
  const OUTPUT_PER_BYTE = 40;
  const bodies = [
    ...KUBECTL_BODIES.map(({ body }) => Buffer.from(body, 'base64')),
    ...goldenObjects().map(({ protobuf }) => Buffer.from(protobuf, 'base64')),
  ];

  function survives(body: Buffer): void {
    let decoded: Record<string, unknown>;
    try {
      decoded = decode(body);
    } catch (error) {
      expect(error).toBeInstanceOf(ProtobufError);
      return;
    }
    expect(JSON.stringify(decoded).length).toBeLessThan(100 + body.length * OUTPUT_PER_BYTE);
  }

  test('throws nothing but ProtobufError for random bytes in an envelope', () => {
    const structs = fc.constantFrom('v1 Pod', 'v1 Event', 'apiextensions.k8s.io/v1 CustomResourceDefinition');
    fc.assert(
      fc.property(structs, fc.uint8Array({ maxLength: 300 }), (type, bytes) => {
        const [apiVersion = '', kind = ''] = type.split(' ');
        survives(envelope(apiVersion, kind, Buffer.from(bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  test('throws nothing but ProtobufError for corrupted and truncated bodies', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...bodies), changes, fc.option(fc.nat()), (body, bytes, cut) => {
        const changed = Buffer.from(body);
        // The head of the envelope is left alone: without its prefix and kind nothing else would be reached.
        for (const [at, value] of bytes) changed[40 + (at % Math.max(1, changed.length - 40))] = value;
        survives(cut === null ? changed : changed.subarray(0, cut % (changed.length + 1)));
      }),
      { numRuns: 1000 },
    );
  });
});

function goldenObjects(): { name: string; protobuf: string; json: string }[] {
  const file = new URL('../fixtures/golden-objects.json.gz', import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString()) as ReturnType<typeof goldenObjects>;
}
