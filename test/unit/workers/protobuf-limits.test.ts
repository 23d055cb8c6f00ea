import { expect, it } from 'vitest';
import { ProtobufDifferential } from '../../fuzz/protobuf-differential.js';
import { integer, nested } from '../../support/protobuf.js';

const POD = { apiVersion: 'v1', kind: 'Pod' };
const METADATA = nested(1, nested(1, 'a'), nested(3, 'b'), nested(5, 'u'), nested(6, '7'));

it('more times and numbers than there is room for texts stand on the way of a path', async () => {
  const decoders = await ProtobufDifferential.open({
    ...POD,
    indexPaths: [],
    drop: ['status.conditions.lastTransitionTime.x', 'status.conditions.observedGeneration.x'],
  });
  const conditions = Array.from({ length: 58_000 }, (_, i) =>
    nested(2, nested(4, integer(1, i)), integer(7, i)),
  );
  expect(decoders.item(Buffer.concat([METADATA, nested(3, ...conditions)]))).toBe('taken');
  decoders.close();
});
