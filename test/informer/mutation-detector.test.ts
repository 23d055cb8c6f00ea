import { describe, expect, it } from 'vitest';
import { InformerHarness } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

describe('MutationDetector', () => {
  it('makes the line that mutates a stored object throw, in freeze mode', async () => {
    const h = new InformerHarness({ mutationDetector: 'freeze' });
    h.informer.addEventHandler({
      onAdd(e) {
        e.object.metadata.labels = { changed: 'yes' };
      },
    });
    await h.start([[entry('a', 1)], '1']);
    expect(h.errors).toMatchObject([{ code: 'KUBEFLECT_HANDLER_FAILED', cause: { name: 'TypeError' } }]);
    const pod = h.informer.lister.get('default/a')!;
    expect(() => {
      pod.metadata.name = 'b';
    }).toThrow(TypeError);
    await h.informer.stop();
  });

  it('reports a mutated object when it is replaced or deleted or the informer stops, in compare mode', async () => {
    const h = new InformerHarness({ mutationDetector: 'compare' });
    await h.start([[entry('a', 1), entry('b', 2), entry('c', 3), entry('fine', 4)], '4']);
    for (const name of ['a', 'b', 'c'])
      h.informer.lister.get(`default/${name}`)!.metadata.labels = { changed: 'yes' };
    h.store.update(entry('a', 5));
    h.store.delete(entry('b', 6));
    h.store.update(entry('fine', 7));
    await h.clock.drain();
    expect(h.errors).toMatchObject([
      { code: 'KUBEFLECT_OBJECT_MUTATED', key: 'default/a' },
      { code: 'KUBEFLECT_OBJECT_MUTATED', key: 'default/b' },
    ]);
    await h.informer.stop();
    expect(h.errors.slice(2)).toMatchObject([{ code: 'KUBEFLECT_OBJECT_MUTATED', key: 'default/c' }]);
    expect(h.errors[0]?.message).not.toContain('yes');
  });
});
