import { afterEach, describe, expect, it } from 'vitest';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { Metrics } from '#dist/src/util/metrics.js';
import { type HarnessOptions, InformerHarness } from '../support/informer/informer-harness.js';
import { entry, type Pod, type PodOptions, pod } from '../support/objects/entries.js';

const A = 'default/a';

let h: InformerHarness;

afterEach(() => h.stop());

async function started(
  list: readonly Pod[] = [],
  version = '10',
  options: HarnessOptions = {},
): Promise<InformerHarness> {
  h = new InformerHarness(options);
  await h.start([list.map((one) => new ObjectEntry(one)), version]);
  return h;
}

/** Terminating: waits for its finalizers, or for nothing. */
function terminating(version: number, finalizers: readonly string[] = [], graceSeconds?: number): Pod {
  const object = pod('a', version);
  const deletion = {
    deletionTimestamp: '2026-11-18T00:00:00Z',
    ...(finalizers.length > 0 && { finalizers }),
    ...(graceSeconds !== undefined && { deletionGracePeriodSeconds: graceSeconds }),
  };
  return { ...object, metadata: { ...object.metadata, ...deletion } };
}

const gone = (uid?: string): object => ({
  kind: 'Status',
  status: 'Success',
  ...(uid !== undefined && { details: { name: 'a', uid } }),
});

const isCaughtUp = (key = A): boolean => h.informer.isCaughtUp(key);

describe('a reported write', () => {
  it('has been seen when the store holds its version, or a newer one', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wrote(pod('a', 12));
    expect(isCaughtUp()).toBe(false);
    store.update(entry('a', 11));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.update(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
    informer.wrote(pod('a', 13));
    store.update(entry('a', 14));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('resolves caughtUp with the store showing it', async () => {
    const { informer, store, clock } = await started();
    informer.wrote(pod('a', 12));
    const shown = informer.caughtUp(A).then(() => informer.lister.get(A)?.metadata.resourceVersion);
    store.add(entry('a', 12));
    await clock.drain();
    await expect(shown).resolves.toBe('12');
    await expect(informer.caughtUp('default/other')).resolves.toBeUndefined();
  });

  it('has been seen at once if the watch was faster than the response', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    store.update(entry('a', 12));
    await clock.drain();
    informer.wrote(pod('a', 12));
    expect(isCaughtUp()).toBe(true);
    store.delete(entry('a', 13));
    await clock.drain();
    informer.wrote(pod('a', 13));
    expect(isCaughtUp()).toBe(true);
  });

  it('that changed nothing has been seen at once, also if the object is not in the collection', async () => {
    const { informer } = await started([pod('a', 5)]);
    informer.wrote(pod('a', 5));
    expect(isCaughtUp()).toBe(true);
    informer.wrote(pod('elsewhere', 7));
    expect(isCaughtUp('default/elsewhere')).toBe(true);
  });

  it('that took the object out of the selector has been seen with the deletion that the watch sends', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wrote(pod('a', 12, { labels: {} }));
    expect(isCaughtUp()).toBe(false);
    store.delete(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
    expect(informer.lister.get(A)).toBeUndefined();
  });

  it.each<[string, (h: InformerHarness) => void]>([
    ['an event of another object', ({ store }) => store.update(entry('b', 13))],
    ['a deletion of another object', ({ store }) => store.delete(entry('b', 13))],
    ['a bookmark', ({ store }) => store.bookmark?.('12')],
    ['a list', ({ store }) => store.replace([], '12')],
  ])(
    'of an object that the collection does not have has been seen with %s at or after its version',
    async (_, progress) => {
      const { informer, store, clock } = await started([pod('b', 5)]);
      informer.wrote(pod('a', 12));
      store.update(entry('b', 11));
      store.bookmark?.('11');
      await clock.drain();
      expect(isCaughtUp()).toBe(false);
      progress(h);
      await clock.drain();
      expect(isCaughtUp()).toBe(true);
    },
  );

  it('has not been seen with another object of the same version', async () => {
    const { informer, store, clock } = await started();
    informer.wrote(pod('a', 12));
    store.add(entry('b', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.add(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('has not been seen with the existing objects that a watch from 0 begins with, in any order', async () => {
    const { informer, store, clock } = await started([], '0');
    informer.wrote(pod('a', 12));
    store.add(entry('z', 20));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.add(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
    informer.wrote(pod('b', 25));
    store.update(entry('z', 26));
    await clock.drain();
    expect(isCaughtUp('default/b')).toBe(true);
  });

  it('in the middle of a relist has been seen with a list of its version, not with an older one', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wrote(pod('a', 22));
    store.replace([entry('a', 5)], '21');
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.replace([entry('a', 22)], '23');
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('before the first list has been seen with that list', async () => {
    h = new InformerHarness();
    await h.start();
    h.informer.wrote(pod('a', 12));
    h.store.replace([entry('a', 12)], '12');
    await h.clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('with a version beyond 2^53 is compared exactly', async () => {
    const { informer, store, clock } = await started([], '90071992547409920');
    informer.wrote(pod('a', '90071992547409931'));
    store.add(entry('a', '90071992547409930'));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.update(entry('a', '90071992547409931'));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('with a version that cannot be compared has been seen with exactly this version', async () => {
    const { informer, store, clock } = await started([], 'etag-1');
    informer.wrote(pod('a', 'etag-3'));
    store.add(entry('a', 'etag-2'));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.update(entry('a', 'etag-3'));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('of an object on which the transform fails does not block: its event is enough', async () => {
    const { informer, store, clock } = await started([pod('a', 5)], '10', {
      transform: (object) => {
        if (object.metadata.resourceVersion === '12') throw new Error('no');
        return object;
      },
    });
    informer.wrote(pod('a', 12));
    store.update(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
    expect(informer.lister.get(A)?.metadata.resourceVersion).toBe('5');
  });

  it('of an object that a list could not read does not block: the list is enough', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wrote(pod('a', 12));
    store.replace([], '13', new Set([A]));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
    expect(informer.lister.get(A)?.metadata.resourceVersion).toBe('5');
  });

  it('waits for the newest of several writes, in whatever order they are reported', async () => {
    const { informer, store, clock } = await started();
    informer.wrote(pod('a', 14));
    informer.wrote(pod('a', 12));
    store.add(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.update(entry('a', 14));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('of many objects that never come is released by progress, in the order of versions', async () => {
    const { informer, store, clock } = await started();
    for (let version = 2000; version > 1000; version--) informer.wrote(pod(`p-${version}`, version));
    store.add(entry('other', 1500));
    await clock.drain();
    expect([1001, 1499, 1500, 2000].map((version) => isCaughtUp(`default/p-${version}`))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    store.bookmark?.('2000');
    await clock.drain();
    expect(isCaughtUp('default/p-2000')).toBe(true);
  });
});

describe('a reported deletion', () => {
  it('answered with a Status has been seen when the object of that uid is gone', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wroteDelete(pod('a', 5), gone('uid-a'));
    store.update(entry('a', 11));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.delete(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
    informer.wroteDelete(pod('a', 5), gone());
    expect(isCaughtUp()).toBe(true);
  });

  it('answered with the final object has been seen when the object is gone, whichever version the answer has', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    for (const version of [5, 12]) {
      informer.wroteDelete(terminating(version, [], 0));
      expect(isCaughtUp()).toBe(false);
    }
    store.delete(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('that waits for finalizers or a grace period has been seen with the version that is terminating', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wroteDelete(pod('a', 5), terminating(12, ['example.com/wait']));
    expect(isCaughtUp()).toBe(false);
    store.update(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
    informer.wroteDelete(terminating(13, [], 30));
    expect(isCaughtUp()).toBe(false);
    store.update(entry('a', 13));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('whose answer a client has stripped of the timestamp is seen when the object is terminating or gone', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    const stripped = { kind: 'Pod', metadata: { resourceVersion: '12' } };
    for (const show of [
      () => store.update(new ObjectEntry(terminating(12, ['example.com/wait']))),
      () => store.delete(entry('a', 13)),
    ]) {
      informer.wroteDelete(pod('a', 5), stripped);
      show();
      await clock.drain();
      expect(isCaughtUp()).toBe(true);
    }
  });

  it('by removing the last finalizer has been seen when the object is gone', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    // The API answers an update that deletes with the version before the deletion.
    informer.wrote(terminating(5));
    expect(isCaughtUp()).toBe(false);
    store.delete(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('of a namespace that is not empty yet has been seen when it is terminating', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    const answer = { ...terminating(12), kind: 'Namespace', spec: { finalizers: ['kubernetes'] } };
    informer.wroteDelete(pod('a', 5), answer);
    expect(isCaughtUp()).toBe(false);
    store.update(new ObjectEntry(terminating(12)));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('with versions that cannot be compared has been seen with the event of the deletion', async () => {
    const { informer, store, clock } = await started([pod('a', 'etag-1')], 'etag-1');
    informer.wrote(pod('a', 'etag-2'));
    informer.wroteDelete(pod('a', 'etag-2'), gone());
    store.update(entry('a', 'etag-2'));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.delete(entry('a', 'etag-3'));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('of an object whose creation the watch has not sent yet is not taken for seen', async () => {
    const { informer, store, clock } = await started();
    informer.wrote(pod('a', 12));
    informer.wroteDelete(pod('a', 12), gone('uid-a'));
    expect(isCaughtUp()).toBe(false);
    store.add(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.delete(entry('a', 13));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('and a creation of the same name wait for the new object, not for the old one', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    const again: PodOptions = { uid: 'uid-again' };
    informer.wroteDelete(pod('a', 5), gone('uid-a'));
    informer.wrote(pod('a', 13, again));
    store.delete(entry('a', 12));
    await clock.drain();
    expect(isCaughtUp()).toBe(false);
    store.add(entry('a', 13, again));
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('has been seen if the name has another uid meanwhile', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wroteDelete(pod('a', 5), gone('uid-a'));
    store.replace([entry('a', 30, { uid: 'uid-again' })], '31');
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });

  it('missed by the watch has been seen with the relist that does not have the object', async () => {
    const { informer, store, clock } = await started([pod('a', 5)]);
    informer.wroteDelete(pod('a', 5), gone());
    store.replace([], '31');
    await clock.drain();
    expect(isCaughtUp()).toBe(true);
  });
});

describe('caughtUp', () => {
  it('rejects after its timeout, and the write is still waited for', async () => {
    const { informer, store, clock } = await started();
    informer.wrote(pod('a', 12));
    const first = informer.caughtUp(A, { timeoutMs: 50 }).catch((error: unknown) => error);
    const second = informer.caughtUp(A);
    await clock.advance(50);
    await expect(first).resolves.toMatchObject({
      code: 'KUBEFLECT_NOT_CAUGHT_UP',
      message: 'the cache of "pods" does not show the last writes of default/a after 50 ms',
    });
    store.add(entry('a', 12));
    await clock.drain();
    await expect(second).resolves.toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects with the reason of its signal, and when the informer stops', async () => {
    const { informer, clock } = await started();
    informer.wrote(pod('a', 12));
    const abort = new AbortController();
    const aborted = informer.caughtUp(A, { signal: abort.signal }).catch((error: unknown) => error);
    const stopped = informer.caughtUp(A).catch((error: unknown) => error);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(aborted).resolves.toBe(reason);
    await expect(informer.caughtUp(A, { signal: abort.signal })).rejects.toBe(reason);
    await h.stop();
    await expect(stopped).resolves.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    await expect(informer.caughtUp(A)).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    informer.wrote(pod('a', 13));
    expect(isCaughtUp()).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ['no name', { metadata: { resourceVersion: '1' } }],
    ['no version', { metadata: { name: 'a' } }],
    ['the form of a Status', { kind: 'Status', metadata: { resourceVersion: '1' } }],
  ])('has nothing to wait for if what is reported has %s: that is an error', async (_, object) => {
    const { informer } = await started();
    expect(() => informer.wrote(object as Pod)).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OBJECT_INVALID' }),
    );
    expect(() => informer.wroteDelete(object as Pod)).toThrow(
      expect.objectContaining({ code: 'KUBEFLECT_OBJECT_INVALID' }),
    );
    await expect(informer.caughtUp(A, { timeoutMs: -1 })).rejects.toMatchObject({
      code: 'KUBEFLECT_OPTION_INVALID',
    });
  });
});

describe('an informer of several namespaces', () => {
  const A1 = 'one/a';
  const B1: PodOptions = { namespace: 'one' };
  const B2: PodOptions = { namespace: 'two' };

  async function ofTwo(): Promise<InformerHarness> {
    h = new InformerHarness({ namespaces: ['one', 'two'] });
    const versions = new Map([
      ['one', '10'],
      ['two', '12'],
    ]);
    await h.start([[entry('x', 3, B1), entry('y', 4, B2)], '12', new Set(), versions]);
    return h;
  }

  it('has seen a write only with the progress of its namespace, which has a watch of its own', async () => {
    const { informer, store, clock } = await ofTwo();
    informer.wrote(pod('a', 11, B1));
    expect(isCaughtUp(A1)).toBe(false);
    store.update(entry('y', 20, B2));
    store.bookmark?.('21', new Map([['two', '21']]));
    store.replace([entry('x', 3, B1), entry('y', 20, B2)], '22', new Set(), new Map([['two', '22']]));
    await clock.drain();
    expect(isCaughtUp(A1)).toBe(false);
    store.bookmark?.('22', new Map([['one', '11']]));
    await clock.drain();
    expect(isCaughtUp(A1)).toBe(true);
    informer.wrote(pod('a', 13, B1));
    store.update(entry('x', 14, B1));
    await clock.drain();
    expect(isCaughtUp(A1)).toBe(true);
  });

  it('takes bookmarks of different namespaces together without losing one', async () => {
    const { informer, store, clock } = await ofTwo();
    informer.wrote(pod('a', 13, B1));
    informer.wrote(pod('a', 14, B2));
    store.bookmark?.('20', new Map([['one', '13']]));
    store.bookmark?.('20', new Map([['two', '20']]));
    await clock.drain();
    expect([isCaughtUp(A1), isCaughtUp('two/a')]).toEqual([true, true]);
  });

  it('does not wait for objects of other namespaces', async () => {
    const { informer } = await ofTwo();
    informer.wrote(pod('a', 99, { namespace: 'three' }));
    expect(isCaughtUp('three/a')).toBe(true);
  });
});

describe('unseen writes', () => {
  it('are counted, with the time until they are seen, and leave nothing behind', async () => {
    const metrics = new Metrics();
    const { informer, store, clock } = await started([], '10', { metrics });
    const sample = (name: string): string | undefined =>
      metrics
        .text()
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split('} ')[1];
    informer.wrote(pod('a', 12));
    informer.wrote(pod('b', 13));
    expect(sample('kubeflect_informer_unseen_writes')).toBe('2');
    await clock.advance(200);
    store.bookmark?.('13');
    await clock.drain();
    informer.wrote(pod('c', 13));
    const text = metrics.text();
    expect(text).toMatch(/kubeflect_informer_own_writes_total\{.*result="seen"\} 2\n/);
    expect(text).toMatch(/kubeflect_informer_own_writes_total\{.*result="current"\} 1\n/);
    expect(sample('kubeflect_informer_own_write_delay_seconds_sum')).toBe('0.4');
    expect(sample('kubeflect_informer_unseen_writes')).toBe('0');
    expect(clock.pendingTimers).toBe(0);
  });

  it('are forgotten after some minutes, and waiting for them rejects', async () => {
    const metrics = new Metrics();
    const { informer, clock } = await started([], '10', { metrics });
    informer.wrote(pod('a', 12));
    await clock.advance(100_000);
    informer.wrote(pod('b', 13));
    const waiting = informer.caughtUp(A, { timeoutMs: 1e9 }).catch((error: unknown) => error);
    await clock.advance(60_000);
    await expect(waiting).resolves.toMatchObject({ code: 'KUBEFLECT_NOT_CAUGHT_UP' });
    expect([isCaughtUp(), isCaughtUp('default/b')]).toEqual([true, false]);
    expect(metrics.text()).toMatch(/kubeflect_informer_own_writes_total\{.*result="expired"\} 1\n/);
    await clock.advance(100_000);
    expect(isCaughtUp('default/b')).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are limited in number: the oldest is forgotten', async () => {
    const { informer } = await started();
    for (let i = 0; i <= 65_536; i++) informer.wrote(pod(`p-${i}`, 1000 + i));
    expect(isCaughtUp('default/p-0')).toBe(true);
    expect(isCaughtUp('default/p-1')).toBe(false);
  });
});
