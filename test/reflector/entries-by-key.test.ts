import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntriesByKey } from '#dist/src/reflector/list/entries-by-key.js';
import type { Entry } from '#dist/src/store/entry.js';
import { entry, type Pod } from '../support/objects/entries.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('EntriesByKey', () => {
  it('behaves like a Map, in whatever order keys are set and deleted', () => {
    const step = fc.record({
      verb: fc.constantFrom('set', 'set', 'delete'),
      name: fc.constantFrom(...NAMES),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const entries = new EntriesByKey<Pod>();
        const model = new Map<string, Entry<Pod>>();
        for (const [i, { verb, name }] of steps.entries()) {
          const one = entry(name, i + 1);
          if (verb === 'set') {
            entries.set(one);
            model.set(one.key, one);
          } else {
            entries.delete(one.key);
            model.delete(one.key);
          }
          expect(entries.size).toBe(model.size);
          for (const known of NAMES)
            expect(entries.get(`default/${known}`)).toBe(model.get(`default/${known}`));
          const listed = [...entries].map(({ key, resourceVersion }) => `${key}@${resourceVersion}`);
          const expected = [...model.values()].map(({ key, resourceVersion }) => `${key}@${resourceVersion}`);
          const keys = Array.from(entries, ({ key }) => key);
          if (entries.isSortedByKey) expect(keys).toEqual([...keys].sort());
          expect(listed.sort()).toEqual(expected.sort());
        }
      }),
      { numRuns: 500 },
    );
  });

  it('iterates entries that arrived in key order first, then the others', () => {
    const entries = new EntriesByKey<Pod>();
    for (const name of ['b', 'd', 'a', 'e', 'c']) entries.set(entry(name, 1));
    expect([...entries].map(({ name }) => name)).toEqual(['b', 'd', 'e', 'a', 'c']);
  });

  it('is sorted by key as long as nothing arrived out of order', () => {
    const entries = new EntriesByKey<Pod>();
    expect(entries.append(entry('b', 1))).toBe(true);
    expect(entries.append(entry('b', 2))).toBe(false);
    entries.set(entry('b', 2));
    expect(entries.isSortedByKey).toBe(true);
    entries.set(entry('a', 3));
    expect(entries.isSortedByKey).toBe(false);
  });
});
