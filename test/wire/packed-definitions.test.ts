import { describe, expect, it } from 'vitest';
import type { Definition } from '#dist/src/wire/definitions.js';
import { pack } from '#dist/src/wire/msgpack.js';
import { packDefinitions, unpackDefinitions } from '#dist/src/wire/packed-definitions.js';

/** At the limits of msgpack's tokens. */
const DEFINITIONS: readonly Definition[] = [65_536, 65_535, 256, 255, 32, 31, 16, 15, 1, 0].flatMap(
  (size) => {
    const string = 'ö'.repeat(size >> 2).padEnd(size - (size >> 2), 'x');
    return [string, Array.from({ length: size }, (_, i) => `${i}`), [string, 'key']];
  },
);

function unpackAfter(skipped: number, bytes: Buffer, count: number): readonly Definition[] {
  return unpackDefinitions(bytes, { start: 0, end: bytes.length, count, skipped });
}

describe('packDefinitions', () => {
  it('packs the definitions of a growing table from any number on, as msgpack does', () => {
    const table: Definition[] = [];
    for (const definition of DEFINITIONS) {
      table.push(definition);
      for (const first of [0, table.length >> 1, table.length - 1]) {
        const bytes = Buffer.concat(packDefinitions(table, first));
        expect(unpackAfter(0, bytes, table.length - first)).toEqual(table.slice(first));
      }
    }
  });
});

describe('unpackDefinitions', () => {
  const bytes = Buffer.concat(packDefinitions(DEFINITIONS, 0));
  const count = DEFINITIONS.length;
  const invalid = expect.objectContaining({ code: 'KUBEFLECT_BATCH_INVALID' });

  it('skips as many definitions as the reader has', () => {
    for (let skipped = 0; skipped < count; skipped++) {
      expect(unpackAfter(skipped, bytes, count)).toEqual(DEFINITIONS.slice(skipped));
    }
  });

  it('rejects what is cut, has another count, or is no definition', () => {
    const few = Buffer.concat(packDefinitions(['a', ['b', 'c'], 'x'.repeat(40), ['d']], 0));
    for (let end = 0; end < few.length; end++) {
      expect(() => unpackAfter(3, few.subarray(0, end), 4), `cut at ${end}`).toThrow(invalid);
    }
    expect(() => unpackAfter(1, few, 5)).toThrow(invalid);
    const number = Buffer.concat([Buffer.from([0xdd, 0, 0, 0, 2]), pack(7), pack('a')]);
    expect(() => unpackAfter(1, number, 2)).toThrow(invalid);
  });
});
