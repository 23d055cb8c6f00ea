import { describe, expect, it } from 'vitest';
import { InformerHarness, RecordingHandler } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

describe('SharedInformer', () => {
  it('is new, then syncing, then synced, then stopped', async () => {
    const h = new InformerHarness();
    expect(h.informer.health().state).toBe('new');
    await h.start();
    expect(h.informer.health().state).toBe('syncing');
    h.store.replace([entry('a', 1)], '1');
    await h.clock.drain();
    expect(h.informer.health().state).toBe('synced');
    await h.informer.stop();
    expect(h.informer.health().state).toBe('stopped');
  });

  it('starts once, however often start is called', async () => {
    let runs = 0;
    const h = new InformerHarness({
      run: (_context, signal) => {
        runs++;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    h.informer.start();
    h.informer.start();
    await h.clock.drain();
    expect(runs).toBe(1);
    await h.informer.stop();
  });

  it('notifies handlers of adds, updates and deletions, and shows them in the lister', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1)], '1']);
    expect(handler.take()).toEqual(['add* a@1']);
    h.store.add(entry('b', 2));
    h.store.update(entry('a', 3));
    h.store.delete(entry('b', 4));
    await h.clock.drain();
    expect(handler.take()).toEqual(['add b@2', 'update a@1→3', 'delete b@4']);
    expect(h.informer.lister.list().map((pod) => pod.metadata.resourceVersion)).toEqual(['3']);
    expect(h.informer.lister.get('default/a')?.metadata.resourceVersion).toBe('3');
    await h.informer.stop();
  });

  it('applies events in the order of arrival, across keys', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[], '1']);
    h.store.add(entry('a', 2));
    h.store.add(entry('b', 3));
    h.store.update(entry('a', 4));
    h.store.update(entry('b', 5));
    h.store.update(entry('a', 6));
    await h.clock.drain();
    expect(handler.take()).toEqual(['add a@2', 'add b@3', 'update a@2→4', 'update b@3→5', 'update a@4→6']);
    await h.informer.stop();
  });

  it('notifies only of legal transitions from one state to the next', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1)], '1']);
    for (let i = 2; i < 20; i++) {
      if (i % 5 === 0) h.store.replace([entry('a', i)], String(i));
      else h.store.update(entry('a', i));
      if (i % 3 === 0) await h.clock.drain();
    }
    await h.clock.drain();
    expect(handler.take()).toEqual([
      'add* a@1',
      ...Array.from({ length: 18 }, (_, i) => `update a@${i + 1}→${i + 2}`),
    ]);
    await h.informer.stop();
  });

  it('does not notify of a deletion of an object that is not stored', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[], '1']);
    h.store.delete(entry('ghost', 2));
    await h.clock.drain();
    expect(handler.take()).toEqual([]);
    expect(h.informer.lastStoreSyncResourceVersion).toBe('2');
    await h.informer.stop();
  });

  it('drops events that are older than the store, and repeated ones', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', '9007199254740993')], '9007199254740993']);
    handler.take();
    h.store.update(entry('a', '9007199254740992'));
    h.store.update(entry('a', '9007199254740993'));
    h.store.delete(entry('a', '9007199254740991'));
    await h.clock.drain();
    expect(handler.take()).toEqual([]);
    expect(h.informer.lister.get('default/a')).toBeDefined();
    await h.informer.stop();
  });

  it('notifies of a missed recreation as one update with two uids', async () => {
    const h = new InformerHarness();
    const uids: string[] = [];
    h.informer.addEventHandler({ onUpdate: (before, after) => void uids.push(before.uid, after.uid) });
    await h.start([[entry('a', 1, { uid: 'first' })], '1']);
    h.store.replace([entry('a', 5, { uid: 'second' })], '5');
    await h.clock.drain();
    expect(uids).toEqual(['first', 'second']);
    await h.informer.stop();
  });

  it('reports up to which version its store is complete', async () => {
    const h = new InformerHarness();
    await h.start([[entry('a', 1)], '5']);
    const versions = [h.informer.lastStoreSyncResourceVersion];
    for (const act of [
      () => h.store.update(entry('a', 6)),
      () => h.store.delete(entry('a', 7)),
      () => h.store.bookmark?.('9'),
      () => h.store.bookmark?.('8'),
      () => h.store.replace([], '12'),
    ]) {
      act();
      await h.clock.drain();
      versions.push(h.informer.lastStoreSyncResourceVersion);
    }
    expect(versions).toEqual(['5', '6', '7', '9', '9', '12']);
    await h.informer.stop();
  });
});

describe('SharedInformer.hasSynced', () => {
  it('becomes true only when the first list is in the store, even if it is empty', async () => {
    const h = new InformerHarness();
    await h.start();
    expect(h.informer.hasSynced).toBe(false);
    h.store.replace([], '1');
    expect(h.informer.hasSynced).toBe(false);
    await h.clock.drain();
    expect(h.informer.hasSynced).toBe(true);
    await h.informer.synced;
    await h.informer.stop();
    expect(h.informer.hasSynced).toBe(true);
  });

  it('becomes true only when every index holds the list', async () => {
    const h = new InformerHarness({ itemsPerSlice: 10, indexers: { byNode: 'spec.nodeName' } });
    h.informer.start();
    h.store.replace(
      Array.from({ length: 100 }, (_, i) => entry(`p${i}`, i + 1, { nodeName: 'n' })),
      '100',
    );
    const seen = new Set<string>();
    h.clock.onTurn = () => {
      seen.add(
        `${h.informer.hasSynced} ${h.informer.indexer.size} ${h.informer.indexer.byIndex('byNode', 'n').length}`,
      );
    };
    await h.clock.drain();
    expect([...seen]).toEqual(['false 0 0']);
    expect(h.informer.hasSynced).toBe(true);
    expect(h.informer.lister.byIndex('byNode', 'n')).toHaveLength(100);
    await h.informer.stop();
  });
});

describe('SharedInformer.stop', () => {
  it('is idempotent and silent, and the store can still be read', async () => {
    const h = new InformerHarness();
    await h.start([[entry('a', 1)], '1']);
    await Promise.all([h.informer.stop(), h.informer.stop()]);
    await h.informer.stop();
    expect(h.errors).toEqual([]);
    expect(h.informer.lister.list()).toHaveLength(1);
    expect(h.informer.isStopped).toBe(true);
  });

  it('S24 after stop: no handler call, no timer, nothing pending', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1)], '1']);
    handler.take();
    h.store.add(entry('b', 2));
    const store = h.store;
    const stopped = h.informer.stop();
    store.add(entry('c', 3));
    store.replace([], '4');
    await h.clock.drain();
    await stopped;
    expect(handler.take()).toEqual([]);
    expect(h.clock.pendingTimers).toBe(0);
    expect(h.clock.turn()).toBe(false);
  });

  it('takes effect at once, in the middle of a slice', async () => {
    const h = new InformerHarness();
    const told: string[] = [];
    h.informer.addEventHandler({
      onAdd(e) {
        told.push(e.name);
        if (told.length === 3) void h.informer.stop();
      },
    });
    await h.start([Array.from({ length: 10 }, (_, i) => entry(`p${i}`, i + 1)), '10']);
    expect(told).toEqual(['p0', 'p1', 'p2']);
  });

  it('delivers queued notifications with drain', async () => {
    const h = new InformerHarness({ itemsPerSlice: 4 });
    const handler = new RecordingHandler();
    const registration = h.informer.addEventHandler(handler);
    h.informer.start();
    h.store.replace(
      Array.from({ length: 10 }, (_, i) => entry(`p${i}`, i + 1)),
      '10',
    );
    while (!h.informer.hasSynced) {
      h.clock.turn();
      await h.clock.flush();
    }
    expect(handler.told.length).toBeLessThan(10);
    const stopped = h.informer.stop({ drain: true });
    await h.clock.drain();
    await stopped;
    expect(handler.told).toHaveLength(10);
    expect(registration.hasSynced).toBe(true);
  });

  it('rejects pending synced promises, without unhandled rejections', async () => {
    const h = new InformerHarness();
    const registration = h.informer.addEventHandler({});
    await h.start();
    await h.informer.stop();
    await expect(h.informer.synced).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    await expect(registration.synced).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
  });

  it('is final: start, addEventHandler and addIndexers throw, removing a handler does not', async () => {
    const h = new InformerHarness();
    const registration = h.informer.addEventHandler({});
    await h.start();
    await h.informer.stop();
    const stopped = expect.objectContaining({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    expect(() => h.informer.start()).toThrow(stopped);
    expect(() => h.informer.addEventHandler({})).toThrow(stopped);
    await expect(h.informer.addIndexers({ x: 'kind' })).rejects.toEqual(stopped);
    await h.informer.removeEventHandler(registration);
  });

  it('works before the start', async () => {
    const h = new InformerHarness();
    h.informer.addEventHandler({});
    await h.informer.stop();
    expect(h.clock.pendingTimers).toBe(0);
  });

  it('is called by an aborted signal, also one that was aborted before', async () => {
    const h = new InformerHarness();
    const abort = new AbortController();
    h.informer.start({ signal: abort.signal });
    await h.clock.drain();
    abort.abort();
    expect(h.informer.isStopped).toBe(true);
    await h.informer.stop();

    const early = new InformerHarness();
    early.informer.start({ signal: AbortSignal.abort() });
    expect(early.informer.isStopped).toBe(true);
    expect(early.informer.isStarted).toBe(false);
  });

  it('supports one signal for hundreds of informers and handlers, without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const abort = new AbortController();
    const harnesses = Array.from({ length: 30 }, () => new InformerHarness());
    for (const { informer } of harnesses) {
      informer.addEventHandler({}, { signal: abort.signal });
      void informer.events({ signal: abort.signal });
      informer.start({ signal: abort.signal });
    }
    abort.abort();
    for (const { informer } of harnesses) await informer.stop();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(harnesses.every(({ informer }) => informer.isStopped)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('is called at the end of await using', async () => {
    const h = new InformerHarness();
    {
      await using informer = h.informer;
      informer.start();
    }
    expect(h.informer.isStopped).toBe(true);
  });

  it('L6 stop is bounded: a handler that never returns is reported, not awaited', async () => {
    const h = new InformerHarness();
    h.informer.addEventHandler({ onAdd: () => new Promise(() => {}) });
    await h.start([[entry('a', 1)], '1']);
    const stopped = h.informer.stop({ timeoutMs: 500 });
    await h.clock.advance(500);
    await stopped;
    expect(h.codes).toEqual(['KUBEFLECT_STOP_TIMEOUT']);
  });
});

describe('SharedInformer and its reflector', () => {
  it('restarts the reflector a second after it ended by itself, and reports it', async () => {
    let runs = 0;
    const h = new InformerHarness({
      run: async (_context, signal) => {
        runs++;
        if (runs === 1) throw new Error('broken');
        if (runs === 2) return;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    h.informer.start();
    await h.clock.advance(999);
    expect(runs).toBe(1);
    await h.clock.advance(1001);
    expect(runs).toBe(3);
    expect(h.codes).toEqual(['KUBEFLECT_REFLECTOR_FAILED', 'KUBEFLECT_REFLECTOR_FAILED']);
    await h.informer.stop();
    expect(h.clock.pendingTimers).toBe(0);
  });

  it('passes failures of lists and watches to the watch error handler', async () => {
    const seen: Error[] = [];
    const h = new InformerHarness({ watchErrorHandler: (error) => void seen.push(error) });
    await h.start();
    const error = new Error('connection refused');
    h.context.watchErrorHandler(error);
    expect(seen).toEqual([error]);
    expect(h.errors).toEqual([]);
    expect(h.informer.health().lastError).toMatchObject({
      code: 'KUBEFLECT_WATCH_FAILED',
      message: 'listing or watching "pods" failed: connection refused',
    });
    await h.informer.stop();
  });

  it('reports failures of the reflector as errors without a watch error handler', async () => {
    const h = new InformerHarness();
    await h.start();
    h.context.watchErrorHandler(new Error('connection refused'));
    expect(h.codes).toEqual(['KUBEFLECT_WATCH_FAILED']);
    await h.informer.stop();
  });
});

describe('SharedInformer indexers', () => {
  it('can be passed before the start or added later, over stored objects', async () => {
    const h = new InformerHarness({ itemsPerSlice: 10, indexers: { byNode: 'spec.nodeName' } });
    await h.informer.addIndexers({ byName: (e) => [e.name] });
    await h.start([
      Array.from({ length: 50 }, (_, i) => entry(`p${i}`, i + 1, { nodeName: `n${i % 2}` })),
      '50',
    ]);
    expect(h.informer.lister.byIndex('byNode', 'n1')).toHaveLength(25);
    expect(h.informer.lister.byIndex('byName', 'p3')).toHaveLength(1);

    const added = h.informer.addIndexers({ byUid: (e) => [e.uid] });
    h.store.add(entry('late', 51));
    h.store.delete(entry('p1', 52));
    await h.clock.drain();
    await added;
    expect(h.informer.lister.byIndex('byUid', 'uid-p3')).toHaveLength(1);
    expect(h.informer.lister.byIndex('byUid', 'uid-late')).toHaveLength(1);
    expect(h.informer.lister.byIndex('byUid', 'uid-p1')).toHaveLength(0);
    expect(h.informer.indexer.listIndexFuncValues('byUid')).toHaveLength(50);
    await h.informer.stop();
  });

  it('reject a name that is in use', async () => {
    const h = new InformerHarness();
    await h.start([[entry('a', 1)], '1']);
    const added = h.informer.addIndexers({ namespace: 'kind' });
    const refused = expect(added).rejects.toMatchObject({ code: 'KUBEFLECT_INDEX_CONFLICT' });
    await h.clock.drain();
    await refused;
    await h.informer.stop();
  });

  it('report a function that throws, and the object is still found by key', async () => {
    const h = new InformerHarness({
      indexers: {
        broken: () => {
          throw new Error('no');
        },
      },
    });
    await h.start([[entry('a', 1)], '1']);
    expect(h.errors).toMatchObject([{ code: 'KUBEFLECT_INDEX_FAILED', key: 'default/a' }]);
    expect(h.informer.lister.get('default/a')).toBeDefined();
    await h.informer.stop();
  });

  it.each([undefined, null, 'n1', [1], [undefined]])(
    'report a function that returns %s, and process other objects',
    async (values) => {
      const h = new InformerHarness({ indexers: { wrong: () => values as never, byName: (e) => [e.name] } });
      await h.start([[entry('a', 1)], '1']);
      expect(h.errors).toMatchObject([{ code: 'KUBEFLECT_INDEX_FAILED', key: 'default/a' }]);
      expect(h.informer.indexer.listIndexFuncValues('wrong')).toEqual([]);
      expect(h.informer.indexer.indexKeys('byName', 'a')).toEqual(['default/a']);
      await h.informer.stop();
    },
  );
});
