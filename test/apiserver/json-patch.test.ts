import { describe, expect, it } from 'vitest';
import { LongInteger } from '#dist/apiserver/json.js';
import { InapplicablePatchError, jsonPatch } from '#dist/apiserver/patches/json-patch.js';

describe('a JSON patch', () => {
  it.each([
    [{ a: 1 }, [{ op: 'add', path: '/b', value: { c: 2 } }], { a: 1, b: { c: 2 } }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] }],
    [{ a: 1 }, [{ op: 'add', path: '/b' }], { a: 1, b: null }],
    [{ a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    [{ a: 1 }, [{ op: 'replace', path: '/a', value: 2 }], { a: 2 }],
    // RFC 6902 would refuse this one; kube-apiserver's library does not.
    [{ a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    [{ a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    [
      { a: { x: 1 } },
      [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/b/y', value: 2 },
      ],
      { a: { x: 1 }, b: { x: 1, y: 2 } },
    ],
    [{ a: 1 }, [{ op: 'copy', from: '/zz', path: '/b' }], { a: 1, b: null }],
    [{ 'a/b~': 1 }, [{ op: 'replace', path: '/a~1b~0', value: 2 }], { 'a/b~': 2 }],
    [
      { a: { b: [1, { c: 2 }] } },
      [{ op: 'test', path: '/a', value: { b: [1, { c: 2 }] } }],
      { a: { b: [1, { c: 2 }] } },
    ],
    [
      { a: 1 },
      [
        { op: 'test', path: '/zz' },
        { op: 'test', path: '/zz', value: null },
      ],
      { a: 1 },
    ],
    [{ a: 1 }, [], { a: 1 }],
  ])('turns %j with %j into %j', (target, operations, expected) => {
    expect(jsonPatch(target, operations)).toEqual(expected);
  });

  it.each([
    [{ op: 'add', path: '', value: {} }],
    [{ op: 'add', path: '/b/c', value: 1 }],
    [{ op: 'add', path: '/a/b', value: 1 }],
    [{ op: 'add', path: '/l/3', value: 1 }],
    [{ op: 'add', path: '/l/x', value: 1 }],
    [{ op: 'add', value: 1 }],
    [{ op: 'remove', path: '/zz' }],
    [{ op: 'remove', path: '/l/2' }],
    [{ op: 'replace', path: '/l/2', value: 1 }],
    [{ op: 'replace', path: '', value: 5 }],
    [{ op: 'move', from: '/zz', path: '/a' }],
    [{ op: 'copy', path: '/b' }],
    [{ op: 'test', path: '/a', value: 2 }],
    [{ op: 'test', path: '/zz', value: 2 }],
    [{ op: 'foo', path: '/a' }],
    [{ path: '/a' }],
  ])('cannot be applied: %j', (operation) => {
    expect(() => jsonPatch({ a: 1, l: [1, 2] }, [operation])).toThrow(InapplicablePatchError);
  });

  it('does not change its input, and keeps long integers', () => {
    const long = new LongInteger('9007199254740993');
    const target = { a: { n: long }, l: [1] };
    const patched = jsonPatch(target, [
      { op: 'test', path: '/a/n', value: new LongInteger('9007199254740993') },
      { op: 'add', path: '/l/-', value: long },
    ]);
    expect(target.l).toEqual([1]);
    expect(patched).toEqual({ a: { n: long }, l: [1, long] });
  });

  it('treats __proto__ as a key like others', () => {
    const patched = jsonPatch({}, [{ op: 'add', path: '/__proto__', value: { x: 1 } }]);
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"x":1}}');
  });
});
