import { describe, expect, it } from 'vitest';
import { ProtobufDifferential } from '../../fuzz/protobuf-differential.js';
import { integer, nested, varint } from '../../support/objects/protobuf.js';
import { DecoderFixture } from '../../support/workers/decoder-fixture.js';

const POD = { apiVersion: 'v1', kind: 'Pod' };
const METADATA = nested(1, nested(1, 'a'), nested(3, 'b'), nested(5, 'u'), nested(6, '7'));

/** The tag of a message or string, with bytes behind it as they are. */
const raw = (field: number, ...bytes: readonly number[]): Buffer =>
  Buffer.concat([varint((field << 3) | 2), Buffer.from(bytes)]);
const podOf = (...spec: readonly Buffer[]): Buffer => Buffer.concat([METADATA, nested(2, ...spec)]);
const volume = (...parts: readonly Buffer[]): Buffer => nested(1, nested(1, 'v'), ...parts);

const EMPTY_DIR = nested(2, nested(1, ''), nested(2, nested(1, '1Gi')));
const SECRET = nested(6, nested(1, 's'), integer(3, 420));

/** Each leads out of the steps of some other: at a tag, at a value that is empty or is not, at an end. */
const SPECS: readonly (readonly [string, readonly Buffer[]])[] = [
  ['nothing', []],
  ['strings', [nested(3, 'Always'), nested(6, 'Default'), nested(10, 'node')]],
  ['an empty string', [nested(3, ''), nested(6, 'Default'), nested(10, 'node')]],
  ['an empty string at the end', [nested(3, 'Always'), nested(6, '')]],
  ['a string of many bytes', [nested(3, 'x'.repeat(300)), nested(6, 'Default')]],
  ['a string of 128 bytes', [nested(3, 'x'.repeat(128)), nested(6, 'Default')]],
  ['no length in two bytes', [raw(3, 0x80, 0x00), nested(6, 'Default')]],
  ['true', [nested(3, 'Always'), integer(11, 1)]],
  ['false', [nested(3, 'Always'), integer(11, 0)]],
  ['false in two bytes', [nested(3, 'Always'), Buffer.from([0x58, 0x80, 0x00])]],
  ['pointers', [integer(4, 30), integer(25, 7)]],
  ['pointers to nothing', [integer(4, 0), integer(25, 0)]],
  ['large and negative numbers', [integer(4, 2n ** 40n), integer(25, -1)]],
  ['a number cut to 32 bits', [integer(25, 2n ** 32n + 5n)]],
  ['a tag in two bytes that needs one', [Buffer.from([0x9a, 0x00, 0x01, 0x61]), nested(6, 'Default')]],
  ['an inlined message', [volume(nested(2, EMPTY_DIR))]],
  ['another inlined message', [volume(nested(2, SECRET))]],
  ['one after the other', [volume(nested(2, SECRET)), volume(nested(2, EMPTY_DIR)), volume()]],
  ['an inlined message with nothing in it', [volume(nested(2)), volume(nested(2, SECRET))]],
  ['the field after an inlined message', [nested(1, nested(2, SECRET), nested(1, 'w'))]],
  ['an inlined message twice', [volume(nested(2, SECRET), nested(2, EMPTY_DIR))]],
  ['an unknown field', [nested(3, 'Always'), nested(99, 'x'), nested(6, 'Default')]],
  ['an unknown field twice', [nested(3, 'Always'), nested(99, 'x'), nested(99, 'y'), nested(6, 'Default')]],
  ['a field that comes back', [nested(3, 'Always'), nested(6, 'Default'), nested(3, 'Never')]],
  ['a list that comes back', [volume(), nested(3, 'Always'), volume()]],
];

describe('ProtobufDecoder, trails', () => {
  it.each(SPECS)('decodes a message that differs from those before: %s', async (_, parts) => {
    const item = podOf(...parts);
    for (const [, before] of SPECS) {
      const decoders = await ProtobufDifferential.open(POD);
      // The first unknown field of a stream is left to the reference decoder.
      decoders.item(podOf(nested(99, 'x')));
      decoders.item(podOf(...before));
      decoders.item(podOf(...before));
      const verdict = decoders.item(item);
      expect(verdict).not.toBe('invalid');
      expect(decoders.item(item)).toBe(verdict);
      decoders.item(podOf(...before));
      decoders.close();
    }
  });

  it('decodes each message after all others', async () => {
    const decoders = await ProtobufDifferential.open(POD);
    for (const [, first] of SPECS) {
      for (const [, second] of SPECS) {
        decoders.item(podOf(...first));
        decoders.item(podOf(...second));
      }
    }
    decoders.close();
  });

  it('rejects a message whose length ends within a field, whatever follows', async () => {
    const decoders = await ProtobufDifferential.open(POD);
    const whole = volume(nested(2, EMPTY_DIR));
    expect(decoders.item(podOf(whole, nested(3, 'Always')))).toBe('accepted');
    // Between the tag and the zero of an empty string: the zero is not its own.
    expect(decoders.item(podOf(volume(nested(2, raw(2, 0x01, 0x0a, 0x00)))))).toBe('invalid');
    for (let length = 1; length < whole.length - 2; length++) {
      const cut = Buffer.concat([Buffer.from([0x0a, length]), whole.subarray(2, 2 + length)]);
      decoders.item(podOf(cut));
      decoders.item(podOf(cut, Buffer.from([0x00, 0x00]), nested(3, 'Always')));
    }
    decoders.close();
  });
});

it('keeps the steps of different plans of one kind apart', async () => {
  const item = podOf(volume(nested(2, SECRET)), nested(3, 'Always'), nested(10, 'node'));
  const volumes = [{ name: 'v', secret: { secretName: 's', defaultMode: 420 } }];
  const containers = null;
  const plans = [
    { drop: [], index: 'spec.nodeName', value: 'node' },
    { drop: ['spec.volumes'], index: 'spec.restartPolicy', value: 'Always' },
    { drop: ['spec.nodeName'], index: 'spec.volumes.name', value: 'v' },
  ];
  const specs = [
    { volumes, containers, restartPolicy: 'Always', nodeName: 'node' },
    { containers, restartPolicy: 'Always', nodeName: 'node' },
    { volumes, containers, restartPolicy: 'Always' },
  ];
  const fixtures = await Promise.all(
    plans.map(({ drop, index }) =>
      DecoderFixture.open('simd', { ...POD, drop, indexPaths: [index] }, 100, 'protobuf'),
    ),
  );
  for (const fixture of fixtures) fixture.beginList({ kind: 'PodList', apiVersion: 'v1' });
  for (let round = 0; round < 3; round++) {
    for (const [i, fixture] of fixtures.entries()) {
      const row = fixture.decodeItem(item);
      expect(row).toMatchObject({ header: { indexValues: [[plans[i]?.value]] } });
      expect((fixture.objectOf(row) as { spec: unknown }).spec).toEqual(specs[i]);
    }
  }
  for (const fixture of fixtures) fixture.close();
});

it('notices when strings of a field that were never shared become shared', async () => {
  const pods = await DecoderFixture.open('simd', POD, 100, 'protobuf');
  pods.beginList({ kind: 'PodList', apiVersion: 'v1' });
  const bytesOf = (nodeName: string): number => {
    const row = pods.decodeItem(podOf(nested(10, nodeName)));
    expect(pods.objectOf(row)).toMatchObject({ spec: { nodeName } });
    return 'payload' in row ? row.payload.length : Number.NaN;
  };
  let alone = 0;
  for (let i = 0; i < 1500; i++) alone = bytesOf(`node-of-its-own-${String(i).padStart(5, '0')}`);
  let shared = 0;
  for (let i = 0; i < 200; i++) shared = bytesOf('node-that-they-share-1');
  expect(pods.delegated).toBe(0);
  expect(shared).toBeLessThan(alone - 15);
  pods.close();
});
