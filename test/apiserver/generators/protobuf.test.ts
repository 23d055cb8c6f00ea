import { describe, expect, it } from 'vitest';
import { typedKinds } from '../../../apiserver/generators/kind-profile.js';
import { resolvePopulateSpec } from '../../../apiserver/generators/populate-spec.js';
import { RenderedSet } from '../../../apiserver/generators/rendered-set.js';
import { encodeMessage } from '../../../apiserver/protobuf/encode-message.js';
import { RenderedObject } from '../../../apiserver/storage/rendered-object.js';
import { protobufMessageOfKind } from '../../../src/kube/protobuf-schema/protobuf-kind.js';

/** Revision and mutation, around the places where they take another digit or byte. */
const COUNTERS: readonly (readonly [number, number])[] = [
  [9, 0],
  [10, 9],
  [99, 98],
  [12_345, 99],
  [12_346, 127],
  [12_347, 128],
  [99_999, 16_383],
  [123_456, 16_384],
  [1_000_000, 99_999_999],
];

describe('populated objects as protobuf', () => {
  it.each(typedKinds())('%s: what the encoder makes of the JSON', (kind) => {
    const spec = resolvePopulateSpec({ kind, count: 5000 });
    const set = new RenderedSet(spec, 1);
    const message = protobufMessageOfKind(spec.apiVersion, kind) ?? '';
    for (const index of [0, 1, 77, 1234, 2500, 4999]) {
      for (const [revision, mutation] of COUNTERS) {
        const object = new RenderedObject(set, index, revision, mutation);
        const expected = encodeMessage(message, object.parse());
        expect(object.protobufLength()).toBe(expected.length);
        // In the middle of a buffer, as in lists.
        const target = Buffer.alloc(expected.length + 2, 0xee);
        expect(object.writeProtobuf(message, target, 1)).toBe(expected.length + 1);
        expect(target.subarray(1, -1).equals(expected)).toBe(true);
        expect([target[0], target.at(-1)]).toEqual([0xee, 0xee]);
      }
    }
  });
});
