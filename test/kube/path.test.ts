import { describe, expect, it } from 'vitest';
import { parsePath, valuesAtPath } from '#dist/src/kube/path.js';

describe('Paths', () => {
  it.each([
    ['spec.nodeName', ['spec', 'nodeName']],
    ["metadata.labels['app.kubernetes.io/name']", ['metadata', 'labels', 'app.kubernetes.io/name']],
    ['metadata.labels["a\'b"]', ['metadata', 'labels', "a'b"]],
    ["x['a'].b", ['x', 'a', 'b']],
    ['kind', ['kind']],
  ])('parses %s', (path, fields) => {
    expect(parsePath(path)).toEqual(fields);
  });

  it.each(['', '.', '.a', 'a.', 'a..b', 'a[b]', "a['b", "a['b']c"])('rejects %j', (path) => {
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ code: 'KUBEFLECT_OPTION_INVALID' }));
  });

  it('yield strings for scalars, one value per element of arrays, and nothing else', () => {
    const object = {
      a: { b: 'x', n: 3, t: true, z: null, o: {} },
      list: [{ v: 'p' }, { v: ['q', 'r'] }, {}],
    };
    const at = (path: string): readonly string[] => valuesAtPath(object, parsePath(path));
    expect(at('a.b')).toEqual(['x']);
    expect(at('a.n')).toEqual(['3']);
    expect(at('a.t')).toEqual(['true']);
    expect(at('a.z')).toEqual([]);
    expect(at('a.o')).toEqual([]);
    expect(at('a.missing.deeper')).toEqual([]);
    expect(at('list.v')).toEqual(['p', 'q', 'r']);
    expect(at('a.constructor')).toEqual([]);
    expect(at('a.b.length')).toEqual([]);
  });
});
