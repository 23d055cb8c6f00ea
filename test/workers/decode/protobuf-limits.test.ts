import { expect, it } from 'vitest';
import { ProtobufDifferential } from '../../fuzz/protobuf-differential.js';
import { double, entry, integer, nested } from '../../support/objects/protobuf.js';
import { DecoderFixture } from '../../support/workers/decoder-fixture.js';

const POD = { apiVersion: 'v1', kind: 'Pod' };
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const METADATA = nested(1, nested(1, 'a'), nested(3, 'b'), nested(5, 'u'), nested(6, '7'));

it('decodes more times and numbers along a path than scratch memory could hold', async () => {
  const decoders = await ProtobufDifferential.open({
    ...POD,
    indexPaths: [],
    drop: ['status.conditions.lastTransitionTime.x', 'status.conditions.observedGeneration.x'],
  });
  const conditions = Array.from({ length: 58_000 }, (_, i) =>
    nested(2, nested(4, integer(1, i)), integer(7, i)),
  );
  expect(decoders.item(Buffer.concat([METADATA, nested(3, ...conditions)]))).toBe('accepted');
  decoders.close();
});

it('leaves space in the output for the fields of all enclosing objects, however much an object grows', async () => {
  const decoders = await ProtobufDifferential.open(CRD, 500);
  // Shapes until the table has no room for more: from then on keys are written with each object.
  const shapes = orders([10, 12, 18, 37, 39, 40]).map((fields) =>
    nested(25, ...fields.map((field) => integer(field, 1))),
  );
  const fields = Buffer.concat([
    ...[9, 11, 19].map((field) => double(field, 0.5)),
    ...[10, 12, 18, 37, 38, 39, 40].map((field) => integer(field, 1)),
    ...[13, 14, 16, 17, 21, 22].map((field) => integer(field, 2n ** 40n)),
  ]);
  let schema = fields;
  for (let depth = 0; depth < 480; depth++) schema = Buffer.concat([nested(28, schema), fields]);
  // Eight bytes, which become thirty with the keys.
  const version = nested(7, integer(2, 1), integer(3, 1), integer(7, 1));
  const versions = Buffer.alloc(version.length * 98_400, version);
  const spec = [
    nested(1, 'group'),
    nested(3),
    nested(4, 'Cluster'),
    nested(7, nested(4, nested(1, ...shapes))),
    versions,
    nested(7, nested(1, 'v1'), nested(4, nested(1, schema))),
  ];
  const item = Buffer.concat([METADATA, nested(3, nested(2)), nested(2, ...spec)]);
  // A larger one is not given to the module.
  expect(item.length).toBeLessThan(900_000);
  expect(decoders.item(item)).toBe('special');
  decoders.close();
});

it('takes no longer for a repeated string than for one string of the total length', async () => {
  const pods = await DecoderFixture.open('simd', POD, 100, 'protobuf');
  pods.beginList({ kind: 'PodList', apiVersion: 'v1' });
  // The last one counts, and is no quantity.
  const quantity = Buffer.concat([Buffer.alloc(3 * 200_000, nested(1, '1')), nested(1)]);
  const container = nested(2, nested(1, 'c'), nested(8, entry(1, 'cpu', quantity)));
  expect(pods.decodeItem(Buffer.concat([METADATA, nested(2, container)]))).toMatchObject({
    type: 'rejected',
    key: 'b/a',
  });
  pods.close();
});

function orders(fields: readonly number[]): number[][] {
  if (fields.length === 0) return [[]];
  return fields.flatMap((first) =>
    orders(fields.filter((field) => field !== first)).map((others) => [first, ...others]),
  );
}
