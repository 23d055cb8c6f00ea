import { describe, expect, it } from 'vitest';
import { mergePatch } from '#dist/apiserver/patches/merge-patch.js';

describe('a merge patch', () => {
  it.each([
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
    [{ a: { b: 1, c: 2 } }, { a: { b: null, d: 3 } }, { a: { c: 2, d: 3 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: { b: 1 } }, { a: [1] }, { a: [1] }],
    [{ a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
    [{}, { a: null }, {}],
    // RFC 7386 would keep the inner null.
    [{ a: [1] }, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
  ])('turns %j with %j into %j', (target, patch, expected) => {
    expect(mergePatch(target, patch)).toEqual(expected);
  });

  it('changes neither argument', () => {
    const target = { a: { b: 1 } };
    const patch = { a: { c: 2 } };
    mergePatch(target, patch);
    expect([target, patch]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  it('treats __proto__ as a key like others', () => {
    const patch = JSON.parse('{"__proto__":{"x":1},"data":{"__proto__":"y"}}') as Record<string, unknown>;
    expect(JSON.stringify(mergePatch({}, patch))).toBe('{"__proto__":{"x":1},"data":{"__proto__":"y"}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
