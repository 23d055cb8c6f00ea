import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOfObject, metaNamespaceKey, splitMetaNamespaceKey } from '#dist/src/kube/key.js';

const part = fc.stringMatching(/^[a-z0-9][-a-z0-9.]{0,20}$/);

describe('Keys', () => {
  it('are split into the parts they were made of', () => {
    fc.assert(
      fc.property(fc.option(part, { nil: '' }), part, (namespace, name) => {
        expect(splitMetaNamespaceKey(metaNamespaceKey(namespace, name))).toEqual({ namespace, name });
      }),
      { seed: 1 },
    );
  });

  it('have one or two parts', () => {
    expect(splitMetaNamespaceKey('name')).toEqual({ namespace: '', name: 'name' });
    expect(splitMetaNamespaceKey('')).toEqual({ namespace: '', name: '' });
    expect(() => splitMetaNamespaceKey('a/b/c')).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_KEY_INVALID' }),
    );
  });

  it('are made from metadata, and objects without a name are rejected', () => {
    expect(keyOfObject({ metadata: { name: 'n', namespace: 's' } })).toBe('s/n');
    expect(keyOfObject({ metadata: { name: 'n' } })).toBe('n');
    for (const object of [{}, { metadata: {} }, { metadata: { name: '' } }, { metadata: null as never }]) {
      expect(() => keyOfObject(object)).toThrow(
        expect.objectContaining({ code: 'KUBEFLECT_OBJECT_INVALID' }),
      );
    }
  });
});
