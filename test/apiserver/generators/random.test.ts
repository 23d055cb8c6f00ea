import { describe, expect, test } from 'vitest';
import { hash32, mix32, Random } from '#dist/apiserver/generators/random.js';

describe('seeded randomness', () => {
  test('the same seeds always produce the same sequence', () => {
    const random = new Random(7, 'pods');
    expect([random.next(), random.int(100), random.hex(12), random.base64(8)]).toMatchInlineSnapshot(`
      [
        2284857739,
        25,
        "9eb6da9bcf75",
        "11caYZMUzfk=",
      ]
    `);
  });

  test('similar seeds and other streams produce different sequences', () => {
    const first = [new Random(1), new Random(2), new Random(1, 'a'), new Random(2 ** 32 + 1)].map((r) =>
      r.next(),
    );
    expect(new Set(first).size).toBe(4);
  });

  test('numbers stay within their bounds and reach them', () => {
    const random = new Random(3);
    const seen = new Set(Array.from({ length: 500 }, () => random.between(5, 9)));
    expect([...seen].sort()).toEqual([5, 6, 7, 8, 9]);
  });

  test('base64 is canonical for every length', () => {
    const random = new Random(4);
    for (let bytes = 0; bytes < 50; bytes++) {
      const text = random.base64(bytes);
      expect(Buffer.from(text, 'base64').length).toBe(bytes);
      expect(Buffer.from(text, 'base64').toString('base64')).toBe(text);
    }
  });

  test('uuids are of version 4', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const random = new Random(5);
    for (let k = 0; k < 100; k++) expect(random.uuid()).toMatch(uuid);
  });

  test('mix32 has no collisions', () => {
    const mixed = new Set(Array.from({ length: 100_000 }, (_, k) => mix32(k)));
    expect(mixed.size).toBe(100_000);
  });

  test('hash32 depends on order, type and the high bits of numbers', () => {
    const hashes = [hash32(1, 2), hash32(2, 1), hash32('1', '2'), hash32('12'), hash32(1 + 2 ** 32, 2)];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
