import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from '#dist/src/kube/key.js';
import { ShardedMap } from '#dist/src/store/sharded-map.js';

const KEYS = ['', 'a', 'b', 'ns-1/default', 'ns-2/default', 'ns-1/web-1', 'ns-1/web-2', 'ü/雪'] as Key[];

describe('ShardedMap', () => {
  it('behaves like a Map, whatever size it expects', () => {
    const step = fc.record({
      verb: fc.constantFrom('set' as const, 'delete' as const),
      key: fc.constantFrom(...KEYS),
      value: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 70_000, 1_000_000), (steps, size) => {
        const map = new ShardedMap<number>(size);
        const model = new Map<Key, number>();
        for (const { verb, key, value } of steps) {
          if (verb === 'set') expect(map.set(key, value)).toBe(!model.has(key));
          else expect(map.delete(key)).toBe(model.has(key));
          if (verb === 'set') model.set(key, value);
          else model.delete(key);
          expect(map.size).toBe(model.size);
          for (const known of KEYS)
            expect([map.get(known), map.has(known)]).toEqual([model.get(known), model.has(known)]);
        }
        expect([...map.keys()].sort()).toEqual([...model.keys()].sort());
        expect([...map.values()].sort()).toEqual([...model.values()].sort());
      }),
    );
  });

  it('iterates in insertion order if it expects few keys', () => {
    const map = new ShardedMap<number>(10);
    for (const [i, key] of KEYS.entries()) map.set(key, i);
    expect([...map.keys()]).toEqual(KEYS);
    expect([...map.values()]).toEqual(KEYS.map((_, i) => i));
  });

  it('reflects changes made while it is iterated', () => {
    const map = new ShardedMap<number>(1_000_000);
    for (const [i, key] of KEYS.entries()) map.set(key, i);
    const seen: Key[] = [];
    for (const key of map.keys()) {
      seen.push(key);
      for (const other of KEYS) if (other !== key) map.delete(other);
    }
    expect(seen).toHaveLength(1);
  });
});
