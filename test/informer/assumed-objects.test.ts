import { afterEach, describe, expect, it } from 'vitest';
import { Metrics } from '#dist/src/util/metrics.js';
import {
  type HarnessOptions,
  InformerHarness,
  RecordingHandler,
} from '../support/informer/informer-harness.js';
import { entry, type Pod, type PodOptions, pod } from '../support/objects/entries.js';

const A = 'default/a';
const GONE = { kind: 'Status', status: 'Success' };

let h: InformerHarness;

afterEach(() => h.stop());

/** With the pod a at version 5 on node n1. */
async function started(options: HarnessOptions = {}): Promise<InformerHarness> {
  h = new InformerHarness({ indexers: { byNode: 'spec.nodeName' }, ...options });
  await h.start([[entry('a', 5, { nodeName: 'n1' })], '10']);
  return h;
}

const versionOf = (key = A): string | undefined => h.informer.lister.get(key)?.metadata.resourceVersion;

const namesOn = (node: string): string[] =>
  h.informer.lister.byIndex('byNode', node).map(({ metadata }) => metadata.name);

describe('an assumed object', () => {
  it('is shown by lister, indexer and indexes, in place of the older one', async () => {
    const { informer } = await started();
    expect(informer.assume(pod('a', 12, { nodeName: 'n2' }))).toBe(true);
    expect(informer.assume(pod('b', 13, { nodeName: 'n2' }))).toBe(true);
    const { lister, indexer } = informer;
    expect([versionOf(), versionOf('default/b')]).toEqual(['12', '13']);
    expect([namesOn('n1'), namesOn('n2')]).toEqual([[], ['a', 'b']]);
    expect(lister.list().map(({ metadata }) => metadata.resourceVersion)).toEqual(['12', '13']);
    expect(lister.byNamespace('default').list()).toHaveLength(2);
    expect(indexer.size).toBe(2);
    expect(indexer.listKeys()).toEqual([A, 'default/b']);
    expect([...indexer.entries()].map(({ key }) => key)).toEqual([A, 'default/b']);
    expect([indexer.has('default/b'), indexer.has('default/c')]).toEqual([true, false]);
    expect(indexer.get({ key: A } as never)?.resourceVersion).toBe('12');
    expect(indexer.indexKeys('byNode', 'n2')).toEqual([A, 'default/b']);
    expect(indexer.index('byNode', entry('c', 1, { nodeName: 'n2' }))).toHaveLength(2);
    expect(indexer.listIndexFuncValues('byNode')).toEqual(['n2']);
    expect(indexer.lastStoreSyncResourceVersion).toBe('10');
    expect(lister.entry(A)?.indexValues('byNode')).toEqual(['n2']);
    expect(() => indexer.byIndex('byUnknown', 'x')).toThrow(/unknown index/);
  });

  it('is replaced by the version that the watch brings, also by a newer one, but not by an older one', async () => {
    const { informer, store, clock } = await started();
    informer.assume(pod('a', 12, { nodeName: 'n2' }));
    store.update(entry('a', 11, { nodeName: 'n1' }));
    await clock.drain();
    expect([versionOf(), namesOn('n2')]).toEqual(['12', ['a']]);
    store.update(entry('a', 14, { nodeName: 'n3' }));
    await clock.drain();
    expect([versionOf(), namesOn('n2'), namesOn('n3')]).toEqual(['14', [], ['a']]);
    expect(informer.assume(pod('a', 13))).toBe(false);
    expect(versionOf()).toBe('14');
  });

  it('is no longer shown when the watch brings its deletion, or has passed its version without it', async () => {
    const { informer, store, clock } = await started();
    informer.assume(pod('b', 12));
    store.add(entry('b', 12));
    store.delete(entry('b', 13));
    informer.assume(pod('c', 14));
    await clock.drain();
    expect([versionOf('default/b'), versionOf('default/c')]).toEqual([undefined, '14']);
    store.bookmark?.('15');
    await clock.drain();
    expect(versionOf('default/c')).toBeUndefined();
    expect(informer.assume(pod('b', 12))).toBe(false);
  });

  it('survives a relist of an older version, not one of its own', async () => {
    const { informer, store, clock } = await started();
    informer.assume(pod('b', 22));
    store.replace([entry('a', 5)], '21');
    await clock.drain();
    expect(versionOf('default/b')).toBe('22');
    store.replace([entry('a', 5)], '22');
    await clock.drain();
    expect(versionOf('default/b')).toBeUndefined();
  });

  it('is not passed to handlers, which are notified of what the watch brings', async () => {
    const { informer, store, clock } = await started();
    const handler = new RecordingHandler();
    informer.addEventHandler(handler);
    await clock.drain();
    handler.take();
    informer.assume(pod('b', 12));
    informer.assumeDeleted(pod('a', 5), GONE);
    informer.addEventHandler(handler);
    await clock.drain();
    expect(handler.take()).toEqual(['add* a@5']);
    store.add(entry('b', 12));
    await clock.drain();
    expect(handler.take()).toEqual(['add b@12', 'add b@12']);
  });

  it('is transformed as a stored one, and a copy: changing the argument later changes nothing', async () => {
    const { informer } = await started({
      transform: (object) => ({ ...object, spec: { nodeName: `on-${object.spec?.nodeName}` } }),
    });
    const written = pod('b', 12, { nodeName: 'n2' });
    informer.assume(written);
    written.spec = { nodeName: 'n9' };
    expect(namesOn('on-n2')).toEqual(['b']);
  });

  it('on which the transform fails is not shown, and that is reported', async () => {
    await started({
      transform: (object) => {
        if (object.metadata.name === 'b') throw new Error('no');
        return object;
      },
    });
    expect(h.informer.assume(pod('b', 12))).toBe(false);
    expect(h.codes).toEqual(['KUBEFLECT_TRANSFORM_FAILED']);
  });

  it('that does not belong to the collection hides the stored one', async () => {
    const { informer, store, clock } = await started({
      cachedForm: (object: Pod) => (object.metadata.labels?.['gone'] === 'yes' ? undefined : object),
    });
    expect(informer.assume(pod('a', 12, { labels: { gone: 'yes' } }))).toBe(true);
    expect([versionOf(), informer.indexer.size]).toEqual([undefined, 0]);
    store.delete(entry('a', 12));
    store.add(entry('a', 13));
    await clock.drain();
    expect(versionOf()).toBe('13');
  });

  it('is shown for some minutes at most, and not after a stop', async () => {
    const metrics = new Metrics();
    const { informer, clock } = await started({ metrics });
    const shown = (): string | undefined =>
      /^kubeflect_informer_assumed_objects\{.*\} (\d+)$/m.exec(metrics.text())?.[1];
    informer.assume(pod('b', 12));
    await clock.advance(60_000);
    expect([versionOf('default/b'), shown()]).toEqual(['12', '1']);
    await clock.advance(100_000);
    expect([versionOf('default/b'), shown()]).toEqual([undefined, '0']);
    informer.assume(pod('b', 12));
    await h.stop();
    expect([versionOf('default/b'), informer.assume(pod('b', 13))]).toEqual([undefined, false]);
  });

  it('is one of at most 1,000, and its version must be comparable', async () => {
    const { informer } = await started();
    expect(informer.assume(pod('b', 'etag-3'))).toBe(false);
    for (let i = 0; i < 1000; i++) expect(informer.assume(pod(`p-${i}`, 12))).toBe(true);
    expect(informer.assume(pod('q', 12))).toBe(false);
    expect(informer.assume(pod('p-7', 13))).toBe(true);
    expect([versionOf('default/q'), versionOf('default/p-7')]).toEqual([undefined, '13']);
  });

  it('is waited for by caughtUp', async () => {
    const { informer, store, clock } = await started();
    informer.assume(pod('b', 12));
    expect(informer.isCaughtUp('default/b')).toBe(false);
    store.add(entry('b', 12));
    await clock.drain();
    expect(informer.isCaughtUp('default/b')).toBe(true);
  });

  it('of another namespace than those of the informer is not shown', async () => {
    const { informer } = await started({ namespaces: ['default'] });
    expect(informer.assume(pod('b', 12, { namespace: 'other' }))).toBe(false);
    expect(versionOf('other/b')).toBeUndefined();
  });
});

describe('an assumed deletion', () => {
  it('hides the object of its uid, until the watch brings the deletion', async () => {
    const { informer, store, clock } = await started();
    expect(informer.assumeDeleted(pod('a', 5), GONE)).toBe(true);
    expect([versionOf(), namesOn('n1'), informer.indexer.listIndexFuncValues('byNode')]).toEqual([
      undefined,
      [],
      [],
    ]);
    store.update(entry('a', 11, { nodeName: 'n1' }));
    await clock.drain();
    expect(versionOf()).toBeUndefined();
    store.delete(entry('a', 12));
    await clock.drain();
    expect([versionOf(), informer.isCaughtUp(A)]).toEqual([undefined, true]);
  });

  it('does not hide an object of another uid, whoever has brought it', async () => {
    const again: PodOptions = { uid: 'uid-again' };
    const { informer, store, clock } = await started();
    informer.assumeDeleted(pod('a', 5), GONE);
    expect(informer.assume(pod('a', 13, again))).toBe(true);
    expect(versionOf()).toBe('13');
    expect(informer.assumeDeleted(pod('a', 5), GONE)).toBe(false);
    expect(versionOf()).toBe('13');
    store.delete(entry('a', 12));
    store.add(entry('a', 13, again));
    await clock.drain();
    expect(versionOf()).toBe('13');
    informer.assumeDeleted(pod('a', 13, again), GONE);
    store.replace([entry('a', 20, { uid: 'uid-third' })], '20');
    await clock.drain();
    expect(versionOf()).toBe('20');
  });

  it('is final for its uid: an answer of before that comes late does not show the object again', async () => {
    const { informer } = await started();
    informer.assume(pod('a', 12));
    informer.assumeDeleted(pod('a', 12), GONE);
    expect(informer.assume(pod('a', 14))).toBe(false);
    expect(versionOf()).toBeUndefined();
  });

  it('is not shown while a namespace is being emptied', async () => {
    const { informer } = await started();
    const deletionTimestamp = '2026-11-18T00:00:00Z';
    const spec = { finalizers: ['kubernetes'] };
    const namespace = { ...pod('a', 12), kind: 'Namespace', spec: spec as object };
    Object.assign(namespace.metadata, { deletionTimestamp });
    expect(informer.assumeDeleted(pod('a', 5), namespace)).toBe(false);
    expect(informer.assume(namespace)).toBe(true);
    expect(versionOf()).toBe('12');
    expect(
      informer.assume({ ...namespace, spec: {}, metadata: { ...namespace.metadata, resourceVersion: '13' } }),
    ).toBe(true);
    expect(versionOf()).toBeUndefined();
  });

  it('is not shown while the object waits for its finalizers', async () => {
    const { informer } = await started();
    const waiting = pod('a', 12);
    Object.assign(waiting.metadata, { deletionTimestamp: '2026-11-18T00:00:00Z', finalizers: ['a/b'] });
    expect(informer.assumeDeleted(pod('a', 5), waiting)).toBe(false);
    expect([versionOf(), informer.isCaughtUp(A)]).toEqual(['5', false]);
    expect(informer.assume(waiting)).toBe(true);
    expect(versionOf()).toBe('12');
    // The last finalizer is removed: the answer is the object, which is gone.
    const removed = pod('a', 12);
    Object.assign(removed.metadata, { deletionTimestamp: '2026-11-18T00:00:00Z' });
    expect(informer.assume(removed)).toBe(true);
    expect(versionOf()).toBeUndefined();
  });
});
