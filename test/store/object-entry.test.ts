import { describe, expect, it } from 'vitest';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { pod } from '../support/objects/entries.js';

describe('ObjectEntry', () => {
  it('reads its header from the metadata', () => {
    expect(new ObjectEntry(pod('a', 7, { namespace: 'n', uid: 'u' }))).toMatchObject({
      key: 'n/a',
      namespace: 'n',
      name: 'a',
      uid: 'u',
      resourceVersion: '7',
    });
    expect(new ObjectEntry({ metadata: { name: 'a' } })).toMatchObject({
      key: 'a',
      uid: '',
      resourceVersion: '',
    });
  });

  it('computes index values from paths and functions, and leaves out those that fail', () => {
    const entry = new ObjectEntry(pod('a', 1, { nodeName: 'n1' }), {
      indexers: {
        byNode: 'spec.nodeName',
        byName: (e) => [e.name],
        broken: () => {
          throw new Error('no');
        },
      },
    });
    expect(entry.indexValues('byNode')).toEqual(['n1']);
    expect(entry.indexValues('byName')).toEqual(['a']);
    expect(entry.indexValues('broken')).toBeUndefined();
    expect(entry.indexValues('other')).toBeUndefined();
  });

  it('uses a configured key function', () => {
    expect(new ObjectEntry(pod('a', 1), { keyFunction: (o) => `by-uid/${o.metadata.uid}` }).key).toBe(
      'by-uid/uid-a',
    );
  });

  it('throws for objects without a name', () => {
    expect(() => new ObjectEntry({})).toThrow(expect.objectContaining({ code: 'KUBEFLECT_OBJECT_INVALID' }));
  });
});
