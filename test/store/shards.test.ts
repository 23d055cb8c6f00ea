import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShardedMap, ShardedSet } from '#dist/src/store/shards.js';

const KEYS = ['', 'a', 'b', 'ns-1/default', 'ns-2/default', 'ns-1/web-1', 'ns-1/web-2', 'ü/雪'];
const MANY = Array.from({ length: 1000 }, (_, i) => `ns-${i % 7}/web-${i}`);

/** From a split at every key to none at all. */
const maxKeysPerShard = fc.constantFrom(1, 2, 3, 8192);

const steps = fc.array(
  fc.record({
    verb: fc.constantFrom('set' as const, 'delete' as const),
    key: fc.constantFrom(...KEYS, ...MANY.slice(0, 20)),
    value: fc.nat(),
  }),
  { maxLength: 60 },
);

describe('ShardedMap', () => {
  it('behaves like a Map, however often its shards are split', () => {
    fc.assert(
      fc.property(steps, maxKeysPerShard, fc.nat({ max: 40 }), (list, max, expectedKeys) => {
        const map = new ShardedMap<number>(max, expectedKeys);
        const model = new Map<string, number>();
        for (const { verb, key, value } of list) {
          if (verb === 'set') expect(map.set(key, value)).toBe(!model.has(key));
          else expect(map.delete(key)).toBe(model.has(key));
          if (verb === 'set') model.set(key, value);
          else model.delete(key);
          expect(map.size).toBe(model.size);
          for (const known of KEYS)
            expect([map.get(known), map.has(known)]).toEqual([model.get(known), model.has(known)]);
        }
        const keys = [...model.keys()].sort();
        const values = [...model.values()].sort();
        expect([...map.keys()].sort()).toEqual(keys);
        expect(map.toKeyArray().sort()).toEqual(keys);
        expect([...map.values()].sort()).toEqual(values);
        expect(map.toArray().sort()).toEqual(values);
      }),
    );
  });

  it('iterates in the order of insertion while it is small', () => {
    const map = new ShardedMap<number>();
    for (const [i, key] of KEYS.entries()) map.set(key, i);
    expect([...map.keys()]).toEqual(KEYS);
    expect([...map.values()]).toEqual(KEYS.map((_, i) => i));
    expect(map.toArray()).toEqual(KEYS.map((_, i) => i));
  });

  it('reflects changes made while it is iterated', () => {
    const map = new ShardedMap<number>(2);
    for (const [i, key] of KEYS.entries()) map.set(key, i);
    const seen: string[] = [];
    for (const key of map.keys()) {
      seen.push(key);
      for (const other of KEYS) if (other !== key) map.delete(other);
    }
    expect(seen).toHaveLength(1);
  });

  it('visits each key once, and not those that were deleted, if shards are split meanwhile', () => {
    const map = new ShardedMap<string>(4);
    const [old, later] = [MANY.slice(0, 100), MANY.slice(100)];
    for (const key of old) map.set(key, key);
    const seen: string[] = [];
    const deleted = new Set<string>();
    const remaining = later.values();
    for (const key of map.values()) {
      expect(deleted.has(key)).toBe(false);
      seen.push(key);
      for (let i = 0; i < 10; i++) {
        const { value } = remaining.next();
        if (value !== undefined) map.set(value, value);
      }
      const unseen = old.find((other) => !seen.includes(other) && !deleted.has(other));
      if (unseen !== undefined && seen.length % 3 === 0) {
        map.delete(unseen);
        deleted.add(unseen);
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(old.filter((key) => !seen.includes(key)).sort()).toEqual([...deleted].sort());
  });

  it('keeps keys whose hashes are the same', () => {
    // "Aa" and "BB" have the same hash, and so has every sequence of them.
    const map = new ShardedMap<number>(4);
    const keys = Array.from({ length: 256 }, (_, i) =>
      i.toString(2).padStart(8, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB'),
    );
    for (const [i, key] of keys.entries()) map.set(key, i);
    expect(map.size).toBe(256);
    expect(keys.map((key) => map.get(key))).toEqual(keys.map((_, i) => i));
    expect(map.toKeyArray()).toEqual(keys);
  });
});

describe('ShardedSet', () => {
  it('behaves like a Set, however often its shards are split', () => {
    fc.assert(
      fc.property(steps, maxKeysPerShard, (list, max) => {
        const set = new ShardedSet(max);
        const model = new Set<string>();
        for (const { verb, key } of list) {
          if (verb === 'set') set.add(key);
          else expect(set.delete(key)).toBe(model.has(key));
          if (verb === 'set') model.add(key);
          else model.delete(key);
          expect(set.size).toBe(model.size);
          expect(set.has(key)).toBe(model.has(key));
        }
        expect(set.toArray().sort()).toEqual([...model].sort());
      }),
    );
  });
});
