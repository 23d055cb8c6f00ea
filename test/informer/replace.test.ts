import { describe, expect, it } from 'vitest';
import { InformerHarness, RecordingHandler } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

describe('Relist', () => {
  it('notifies of deletions first, then of the rest in list order, with the store already replaced', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    const sizes = new Set<string>();
    h.informer.addEventHandler(handler);
    await h.start([[entry('gone', 1), entry('same', 2), entry('changed', 3)], '3']);
    handler.take();
    const look = (): void => void sizes.add(h.informer.indexer.listKeys().join());
    h.informer.addEventHandler({ onAdd: look, onUpdate: look, onDelete: look });
    await h.clock.drain();
    sizes.clear();
    h.store.replace([entry('new', 6), entry('changed', 5), entry('same', 2)], '6');
    await h.clock.drain();
    expect(handler.take()).toEqual(['delete? gone@1', 'add new@6', 'update changed@3→5']);
    expect([...sizes]).toEqual(['default/new,default/changed,default/same']);
    await h.informer.stop();
  });

  it('notifies of missed changes: updates of changed objects, adds of new ones outside the initial list', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    handler.take();
    h.store.replace([entry('a', 3), entry('b', 2), entry('c', 4)], '4');
    await h.clock.drain();
    expect(handler.take()).toEqual(['update a@1→3', 'add c@4']);
    await h.informer.stop();
  });

  it('causes no notification for an unchanged object, and keeps its entry', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1)], '1']);
    handler.take();
    const before = h.informer.lister.entry('default/a');
    h.store.replace([entry('a', 1)], '9');
    await h.clock.drain();
    expect(handler.take()).toEqual([]);
    expect(h.informer.lister.entry('default/a')).toBe(before);
    expect(h.informer.lastStoreSyncResourceVersion).toBe('9');
    await h.informer.stop();
  });

  // kubernetes/kubernetes#83810 and #115658
  it('keeps a queued deletion, and deletes what was only in the queue', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1)], '1']);
    handler.take();
    h.store.delete(entry('a', 2));
    h.store.add(entry('ghost', 3));
    h.store.replace([entry('a', 4, { uid: 'again' })], '5');
    await h.clock.drain();
    expect(handler.take()).toEqual(['delete a@2', 'add ghost@3', 'delete? ghost@3', 'add a@4']);
    await h.informer.stop();
  });

  it('S8 atomic replace: no reader ever sees a mix of the old and the new list', async () => {
    const h = new InformerHarness({ itemsPerSlice: 7, indexers: { byNode: 'spec.nodeName' } });
    const generation = (node: string, version: number) =>
      Array.from({ length: 500 }, (_, i) => entry(`${node}-${i % 300}`, version + i, { nodeName: node }));
    await h.start([generation('old', 1), '500']);
    h.store.replace(generation('new', 501), '1000');
    const seen = new Set<string>();
    h.clock.onTurn = () => {
      const { indexer } = h.informer;
      const nodes = new Set(indexer.list().map((e) => e.object.spec?.nodeName));
      seen.add(`${[...nodes]} ${indexer.size} ${indexer.listIndexFuncValues('byNode')}`);
    };
    await h.clock.drain();
    h.clock.onTurn();
    expect([...seen]).toEqual(['old 300 old', 'new 300 new']);
    await h.informer.stop();
  });

  it('applies few changes to the present store, as atomically', async () => {
    const h = new InformerHarness({ itemsPerSlice: 7, indexers: { byNode: 'spec.nodeName' } });
    const list = Array.from({ length: 300 }, (_, i) => entry(`p${i}`, i + 1, { nodeName: 'old' }));
    await h.start([list, '300']);
    const changed = Array.from({ length: 20 }, (_, i) => entry(`p${i}`, 301 + i, { nodeName: 'new' }));
    h.store.replace([...changed, ...list.slice(40)], '400');
    const seen = new Set<string>();
    h.clock.onTurn = () => {
      const { indexer } = h.informer;
      const sizes = ['old', 'new'].map((node) => indexer.byIndex('byNode', node).length);
      seen.add(`${indexer.size}: ${sizes} @${indexer.lastStoreSyncResourceVersion}`);
    };
    await h.clock.drain();
    h.clock.onTurn();
    expect([...seen]).toEqual(['300: 300,0 @300', '280: 260,20 @400']);
    await h.informer.stop();
  });

  it('keeps the stored state of an unreadable object, and counts it in health', async () => {
    const h = new InformerHarness({ indexers: { byNode: 'spec.nodeName' } });
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1, { nodeName: 'n' }), entry('b', 2), entry('gone', 3)], '3']);
    handler.take();
    h.store.replace([entry('b', 5)], '6', new Set(['default/a', 'default/never-seen']));
    await h.clock.drain();
    expect(handler.take()).toEqual(['delete? gone@3', 'update b@2→5']);
    expect(h.informer.lister.byIndex('byNode', 'n')).toHaveLength(1);
    expect(h.informer.health().rejected).toBe(2);
    h.store.update(entry('a', 7));
    h.store.delete(entry('never-seen', 8));
    await h.clock.drain();
    expect(handler.take()).toEqual(['update a@1→7']);
    expect(h.informer.health().rejected).toBe(0);
    await h.informer.stop();
  });

  it('notifies once of an object that is listed twice, with the later state', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    const registration = h.informer.addEventHandler({});
    await h.start([[entry('a', 1), entry('b', 2), entry('a', 3)], '3']);
    expect(handler.take()).toEqual(['add* b@2', 'add* a@3']);
    expect(registration.hasSynced).toBe(true);
    await h.informer.stop();
  });

  it('resets the store to an older list, as after a restored backup, and applies events from there', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 100)], '100']);
    handler.take();
    h.store.replace([entry('a', 50)], '50');
    await h.clock.drain();
    h.store.update(entry('a', 51));
    await h.clock.drain();
    expect(handler.take()).toEqual(['update a@100→50', 'update a@50→51']);
    expect(h.informer.lastStoreSyncResourceVersion).toBe('51');
    await h.informer.stop();
  });

  it('is abandoned by a stop, and leaves the store unchanged', async () => {
    const h = new InformerHarness({ itemsPerSlice: 5 });
    await h.start([[entry('a', 1)], '1']);
    h.store.replace(
      Array.from({ length: 100 }, (_, i) => entry(`p${i}`, i + 2)),
      '102',
    );
    h.clock.turn();
    await h.clock.flush();
    const stopped = h.informer.stop();
    await h.clock.drain();
    await stopped;
    expect(h.informer.indexer.listKeys()).toEqual(['default/a']);
  });
});

describe('Transform', () => {
  it('applies to the store, its indexes and handlers, including old values', async () => {
    const h = new InformerHarness({
      transform: (pod) => ({ ...pod, spec: { nodeName: `${pod.spec?.nodeName}!` } }),
      indexers: { byNode: 'spec.nodeName' },
    });
    const nodes: (string | undefined)[] = [];
    h.informer.addEventHandler({
      onAdd: (e) => void nodes.push(e.object.spec?.nodeName),
      onUpdate: (before, after) => void nodes.push(before.object.spec?.nodeName, after.object.spec?.nodeName),
      onDelete: (e) => void nodes.push(e.object.spec?.nodeName),
    });
    await h.start([[entry('a', 1, { nodeName: 'x' })], '1']);
    h.store.update(entry('a', 2, { nodeName: 'y' }));
    h.store.delete(entry('a', 3, { nodeName: 'z' }));
    await h.clock.drain();
    expect(nodes).toEqual(['x!', 'x!', 'y!', 'z!']);
    h.store.add(entry('b', 4, { nodeName: 'w' }));
    await h.clock.drain();
    expect(h.informer.lister.byIndex('byNode', 'w!')).toHaveLength(1);
    await h.informer.stop();
  });

  it('runs once per state of an object: not on a resync, and not for an unchanged object of a relist', async () => {
    let calls = 0;
    const h = new InformerHarness({
      resyncPeriodMs: 1000,
      transform: (pod) => {
        calls++;
        return pod;
      },
    });
    h.informer.addEventHandler({});
    await h.start([[entry('a', 1)], '1']);
    await h.clock.advance(1000);
    expect(h.context.shouldResync()).toBe(true);
    h.store.resync();
    h.store.replace([entry('a', 1), entry('b', 2)], '2');
    await h.clock.drain();
    expect(calls).toBe(2);
    await h.informer.stop();
  });

  it('L7 no livelock: an object on which it fails keeps its previous state, is reported, and delays nothing else', async () => {
    const h = new InformerHarness({
      transform: (pod) => {
        if (pod.spec?.nodeName === 'poison') throw new Error('no');
        return pod;
      },
    });
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1), entry('bad', 2, { nodeName: 'poison' })], '2']);
    expect(handler.take()).toEqual(['add* a@1']);
    expect(h.informer.hasSynced).toBe(true);
    h.store.update(entry('a', 3, { nodeName: 'poison' }));
    h.store.add(entry('c', 4));
    h.store.replace([entry('a', 3, { nodeName: 'poison' }), entry('c', 5)], '5');
    await h.clock.drain();
    expect(handler.take()).toEqual(['add c@4', 'update c@4→5']);
    expect(h.informer.lister.get('default/a')?.metadata.resourceVersion).toBe('1');
    expect(h.errors[0]).toMatchObject({ code: 'KUBEFLECT_TRANSFORM_FAILED', key: 'default/bad' });
    // The last list does not have `bad` any more.
    expect(h.informer.health().rejected).toBe(1);
    h.store.update(entry('a', 6));
    h.store.add(entry('bad', 7, { nodeName: 'poison' }));
    await h.clock.drain();
    expect(handler.take()).toEqual(['update a@1→6']);
    expect(h.informer.health().rejected).toBe(1);
    h.store.delete(entry('bad', 8));
    await h.clock.drain();
    expect(h.informer.health().rejected).toBe(0);
    await h.informer.stop();
  });

  it.each([
    ['nothing', () => undefined],
    ['a promise', () => Promise.reject(new Error('later'))],
  ])('fails if it returns %s', async (_, transform) => {
    const h = new InformerHarness({ transform: transform as never });
    await h.start([[entry('a', 1)], '1']);
    expect(h.informer.hasSynced).toBe(true);
    expect(h.informer.lister.list()).toEqual([]);
    expect(h.errors).toMatchObject([{ code: 'KUBEFLECT_TRANSFORM_FAILED', key: 'default/a' }]);
    await h.informer.stop();
  });
});
