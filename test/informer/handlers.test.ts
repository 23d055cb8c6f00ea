import { describe, expect, it } from 'vitest';
import { FilteringEventHandler } from '#dist/src/informer/handlers/event-handler.js';
import { InformerHarness, RecordingHandler } from '../support/informer/informer-harness.js';
import { entry } from '../support/objects/entries.js';

const pods = (count: number, version = 1) =>
  Array.from({ length: count }, (_, i) => entry(`p${i}`, version + i));

describe('Event handler', () => {
  it('accepts a handler with any of the three methods, or none', async () => {
    const h = new InformerHarness();
    h.informer.addEventHandler({});
    await h.start([[entry('a', 1)], '1']);
    h.store.update(entry('a', 2));
    h.store.delete(entry('a', 3));
    await h.clock.drain();
    expect(h.errors).toEqual([]);
    await h.informer.stop();
  });

  it.each([
    [() => {}, 'the handler must be an object with methods'],
    [{ onadd() {} }, 'unknown method onadd; expected one of onAdd, onUpdate, onDelete'],
    [{ onAdd: 'log' }, 'onAdd must be a function'],
  ])('rejects a handler that could never be called: %o', (handler, message) => {
    const { informer } = new InformerHarness();
    expect(() => informer.addEventHandler(handler as object)).toThrow(message);
  });

  it('names a handler by its option, its class, or a number', () => {
    const { informer } = new InformerHarness();
    expect(informer.addEventHandler({}, { name: 'mine' }).name).toBe('mine');
    expect(informer.addEventHandler(new RecordingHandler()).name).toBe('RecordingHandler-1');
    expect(informer.addEventHandler({}).name).toBe('handler-2');
  });

  it('may stop the informer, remove handlers or read the store, between any two events of a batch', async () => {
    for (const action of ['stop', 'remove itself', 'remove the other', 'throw'] as const) {
      for (let at = 1; at <= 5; at++) {
        const h = new InformerHarness();
        const seen: string[] = [];
        const other = new RecordingHandler();
        const act = (): void => {
          if (action === 'stop') void h.informer.stop();
          if (action === 'remove itself') void own.remove();
          if (action === 'remove the other') void others.remove();
          if (action === 'throw') throw new Error('a faulty handler');
        };
        const own = h.informer.addEventHandler({
          onUpdate: (_before, after) => {
            seen.push(`${after.resourceVersion} of ${h.informer.lister.entry('default/a')?.resourceVersion}`);
            if (seen.length === at) act();
          },
        });
        const others = h.informer.addEventHandler(other);
        await h.start([[entry('a', 1)], '1']);
        other.take();
        for (let version = 2; version <= 6; version++) h.store.update(entry('a', version));
        await h.clock.drain();
        h.store.update(entry('a', 7));
        await h.clock.drain();
        const isEnded = action === 'stop' || action === 'remove itself';
        const all = ['2 of 6', '3 of 6', '4 of 6', '5 of 6', '6 of 6', '7 of 7'];
        expect(seen).toEqual(isEnded ? all.slice(0, at) : all);
        const isOtherEnded = action === 'stop' || action === 'remove the other';
        expect(other.take()).toHaveLength(isOtherEnded ? 0 : 6);
        expect(h.codes).toEqual(action === 'throw' ? ['KUBEFLECT_HANDLER_FAILED'] : []);
        expect(h.informer.lister.entry('default/a')?.resourceVersion).toBe(action === 'stop' ? '6' : '7');
        await h.informer.stop();
      }
    }
  });

  it('S15 cache before call: every index of the store holds the notified state, or a newer one', async () => {
    const h = new InformerHarness({ indexers: { byNode: 'spec.nodeName' } });
    let checked = 0;
    const check = (name: string, version: string, node: string | undefined): void => {
      checked++;
      const stored = h.informer.lister.entry(`default/${name}`);
      if (stored === undefined) return;
      expect(Number(stored.resourceVersion)).toBeGreaterThanOrEqual(Number(version));
      if (stored.resourceVersion === version) {
        expect(h.informer.indexer.indexKeys('byNode', node ?? '')).toContain(`default/${name}`);
      }
    };
    h.informer.addEventHandler({
      onAdd: (e) => check(e.name, e.resourceVersion, e.object.spec?.nodeName),
      onUpdate: (_before, e) => check(e.name, e.resourceVersion, e.object.spec?.nodeName),
    });
    await h.start([[entry('a', 1, { nodeName: 'x' })], '1']);
    for (let i = 2; i < 40; i++) {
      h.store.update(entry(i % 2 ? 'a' : 'b', i, { nodeName: `n${i % 3}` }));
      if (i % 7 === 0) await h.clock.drain();
    }
    await h.clock.drain();
    expect(checked).toBe(39);
    await h.informer.stop();
  });

  it('calls an asynchronous handler again only after it has settled, in order', async () => {
    const h = new InformerHarness();
    const log: string[] = [];
    h.informer.addEventHandler({
      async onAdd(e) {
        log.push(`begin ${e.name}`);
        await new Promise<void>((resolve) => h.clock.schedule(resolve, 100));
        log.push(`end ${e.name}`);
      },
    });
    await h.start([pods(3), '3']);
    await h.clock.advance(250);
    expect(log).toEqual(['begin p0', 'end p0', 'begin p1', 'end p1', 'begin p2']);
    await h.clock.advance(100);
    expect(log).toHaveLength(6);
    await h.informer.stop();
  });

  it('skips one notification of a handler that throws or rejects, reports it by name and key, and still syncs', async () => {
    const h = new InformerHarness();
    const told: string[] = [];
    const registrations = [
      h.informer.addEventHandler(
        {
          onAdd(e) {
            told.push(e.name);
            if (e.name === 'p1') throw new TypeError('sync');
          },
        },
        { name: 'thrower' },
      ),
      h.informer.addEventHandler(
        {
          async onAdd(e) {
            if (e.name === 'p2') throw new TypeError('async');
          },
        },
        { name: 'rejecter' },
      ),
    ];
    await h.start([pods(3), '3']);
    expect(told).toEqual(['p0', 'p1', 'p2']);
    expect(h.errors).toMatchObject([
      {
        code: 'KUBEFLECT_HANDLER_FAILED',
        handlerName: 'thrower',
        key: 'default/p1',
        cause: { message: 'sync' },
      },
      {
        code: 'KUBEFLECT_HANDLER_FAILED',
        handlerName: 'rejecter',
        key: 'default/p2',
        cause: { message: 'async' },
      },
    ]);
    expect(h.errors[0]?.message).not.toContain('sync');
    // kubernetes/kubernetes#129024
    expect(registrations.map((r) => r.hasSynced)).toEqual([true, true]);
    await h.informer.stop();
  });

  it('reports a handler that hangs, without delaying other handlers', async () => {
    const h = new InformerHarness({ slowHandlerMs: 5000 });
    const other = new RecordingHandler();
    const hanging = h.informer.addEventHandler({ onAdd: () => new Promise(() => {}) }, { name: 'stuck' });
    h.informer.addEventHandler(other);
    await h.start([pods(2), '2']);
    h.store.update(entry('p0', 3));
    await h.clock.advance(5000);
    expect(h.errors).toMatchObject([
      { code: 'KUBEFLECT_HANDLER_SLOW', handlerName: 'stuck', key: 'default/p0' },
    ]);
    expect(other.take()).toEqual(['add* p0@1', 'add* p1@2', 'update p0@1→3']);
    expect(hanging.hasSynced).toBe(false);
    expect(h.informer.health().handlers[0]).toMatchObject({ name: 'stuck', pending: 2, callAgeMs: 5000 });
    await h.stop();
    expect(h.clock.pendingTimers).toBe(0);
  });

  it('reports a handler that blocks the main thread', async () => {
    const h = new InformerHarness();
    const onAdd = (): void => {
      h.clock.now = () => 150;
    };
    h.informer.addEventHandler({ onAdd }, { name: 'blocker' });
    await h.start([[entry('a', 1)], '1']);
    expect(h.errors).toMatchObject([{ code: 'KUBEFLECT_HANDLER_SLOW', handlerName: 'blocker' }]);
  });

  it('S18 isolation: a handler does not affect the notifications of another', async () => {
    const history = async (disturb: (h: InformerHarness) => void): Promise<string[]> => {
      const h = new InformerHarness({ mergeAbove: 4, itemsPerSlice: 3 });
      disturb(h);
      const witness = new RecordingHandler();
      h.informer.addEventHandler(witness);
      await h.start([pods(5), '5']);
      for (let i = 6; i < 40; i++) {
        if (i % 9 === 0) h.store.replace(pods(4, i), String(i + 4));
        else h.store.update(entry(`p${i % 3}`, i + 100));
        await h.clock.drain();
      }
      await h.stop();
      return witness.told;
    };
    const alone = await history(() => {});
    const thrower = () => {
      throw new Error('no');
    };
    expect(alone.length).toBeGreaterThan(20);
    expect(await history((h) => h.informer.addEventHandler({ onAdd: thrower, onUpdate: thrower }))).toEqual(
      alone,
    );
    expect(
      await history((h) => h.informer.addEventHandler({ onUpdate: () => new Promise(() => {}) })),
    ).toEqual(alone);
    expect(
      await history((h) => {
        const registration = h.informer.addEventHandler({ onUpdate: () => void registration.remove() });
      }),
    ).toEqual(alone);
  });

  it('lets a handler add and remove handlers and stop the informer', async () => {
    const h = new InformerHarness();
    const second = new RecordingHandler();
    const first = h.informer.addEventHandler({
      onAdd(e) {
        if (e.name === 'p0') h.informer.addEventHandler(second);
        if (e.name === 'p1') void first.remove();
        if (e.name === 'p2') throw new Error('must not be called');
      },
    });
    await h.start([pods(3), '3']);
    expect(second.take()).toEqual(['add* p0@1', 'add* p1@2', 'add* p2@3']);
    expect(h.errors).toEqual([]);
    await h.informer.stop();
  });
});

describe('Event handler that falls behind', () => {
  it('receives fewer states, in order, without missing a deletion, and catches up', async () => {
    const h = new InformerHarness({ mergeAbove: 2 });
    const handler = new RecordingHandler();
    let release: () => void = () => {};
    const { onAdd } = handler;
    handler.onAdd = (e, details) => {
      onAdd(e, details);
      if (e.name !== 'a' || e.resourceVersion !== '1') return;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    };
    h.informer.addEventHandler(handler);
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    for (let i = 3; i < 1000; i++) h.store.update(entry('b', i));
    h.store.delete(entry('a', 1000));
    h.store.add(entry('a', 1001, { uid: 'again' }));
    h.store.add(entry('gone', 1002));
    h.store.delete(entry('gone', 1003));
    await h.clock.drain();
    expect(h.informer.health().handlers[0]?.isMerging).toBe(true);
    expect(h.informer.health().handlers[0]?.pending).toBeLessThanOrEqual(4);
    release();
    await h.clock.drain();
    expect(handler.take()).toEqual(['add* a@1', 'add* b@999', 'delete a@1000', 'add a@1001']);
    expect(h.informer.health().handlers[0]?.isMerging).toBe(false);
    await h.informer.stop();
  });

  it('needs memory independent of the number of relists', async () => {
    const h = new InformerHarness({ mergeAbove: 2 });
    const registration = h.informer.addEventHandler({ onAdd: () => new Promise(() => {}) });
    await h.start([pods(10), '10']);
    for (let i = 1; i <= 50; i++) {
      h.store.replace(pods(10, i * 100), String(i * 100 + 10));
      await h.clock.drain();
    }
    expect(registration.pending).toBeLessThanOrEqual(20);
    await h.stop();
  });
});

describe('HandlerRegistration.hasSynced', () => {
  it('S13 becomes true only when the calls for every initial object have returned', async () => {
    const h = new InformerHarness();
    const waiting: (() => void)[] = [];
    const slow = h.informer.addEventHandler({
      onAdd: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    });
    const quick = h.informer.addEventHandler({});
    await h.start([pods(2), '2']);
    expect([h.informer.hasSynced, quick.hasSynced, slow.hasSynced]).toEqual([true, true, false]);
    waiting[0]?.();
    await h.clock.drain();
    expect(slow.hasSynced).toBe(false);
    waiting[1]?.();
    await h.clock.drain();
    expect(slow.hasSynced).toBe(true);
    await slow.synced;
    await h.informer.stop();
  });

  it('is not delayed by objects created after the initial list', async () => {
    const h = new InformerHarness();
    const registration = h.informer.addEventHandler({
      onAdd: (e) => (e.name === 'later' ? new Promise(() => {}) : undefined),
    });
    await h.start([pods(1), '1']);
    h.store.add(entry('later', 2));
    await h.clock.drain();
    expect(registration.hasSynced).toBe(true);
    await h.stop();
  });

  it('becomes true even if an initial object is deleted before the handler was notified of it', async () => {
    const h = new InformerHarness({ mergeAbove: 0 });
    let release: () => void = () => {};
    const told: string[] = [];
    const registration = h.informer.addEventHandler({
      onAdd(e) {
        told.push(`add ${e.name}`);
        if (e.name !== 'a') return;
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
      onDelete: (e) => void told.push(`delete ${e.name}`),
    });
    await h.start([[entry('a', 1), entry('b', 2)], '2']);
    h.store.delete(entry('b', 3));
    await h.clock.drain();
    expect(registration.hasSynced).toBe(false);
    release();
    await h.clock.drain();
    expect(told).toEqual(['add a', 'add b', 'delete b']);
    expect(registration.hasSynced).toBe(true);
    await h.informer.stop();
  });
});

describe('Event handler that is added after the start', () => {
  it('S14 receives everything that is stored, then every later change once', async () => {
    const h = new InformerHarness({ itemsPerSlice: 4 });
    await h.start([pods(10), '10']);
    h.store.add(entry('x', 11));
    const late = new RecordingHandler();
    const registration = h.informer.addEventHandler(late);
    h.store.update(entry('p3', 12));
    h.store.delete(entry('p4', 13));
    expect(registration.hasSynced).toBe(false);
    await h.clock.drain();
    const fold = new Map<string, string>();
    for (const line of late.told) {
      const [what, name = '', version = ''] = line.split(/[ @]/);
      if (what?.startsWith('add')) expect(fold.has(name)).toBe(false);
      else expect(fold.has(name)).toBe(true);
      if (what?.startsWith('delete')) fold.delete(name);
      else fold.set(name, version.split('→').at(-1) ?? '');
    }
    expect([...fold].sort()).toEqual(
      h.informer.indexer
        .list()
        .map((e) => [e.name, e.resourceVersion])
        .sort(),
    );
    expect(registration.hasSynced).toBe(true);
    await h.informer.stop();
  });

  it('receives only the new list if it is added during a relist', async () => {
    const h = new InformerHarness({ itemsPerSlice: 3 });
    await h.start([pods(10), '10']);
    h.store.replace(pods(10, 100), '200');
    h.clock.turn();
    await h.clock.flush();
    const late = new RecordingHandler();
    h.informer.addEventHandler(late);
    await h.clock.drain();
    expect(late.told).toEqual(pods(10, 100).map((e) => `add* ${e.name}@${e.resourceVersion}`));
    await h.informer.stop();
  });

  it('receives no change twice if it is added while a relist is distributed one by one', async () => {
    const h = new InformerHarness({ itemsPerSlice: 3, mergeAbove: 0 });
    h.informer.addEventHandler({ onAdd: () => new Promise(() => {}) });
    await h.start([pods(10), '10']);
    h.store.replace(pods(10, 100), '200');
    while (h.informer.lastStoreSyncResourceVersion !== '200') {
      h.clock.turn();
      await h.clock.flush();
    }
    const late = new RecordingHandler();
    h.informer.addEventHandler(late);
    await h.clock.drain();
    expect(late.told).toEqual(pods(10, 100).map((e) => `add* ${e.name}@${e.resourceVersion}`));
    await h.stop();
  });

  it('receives the first list like other handlers if it is added before it', async () => {
    const h = new InformerHarness();
    await h.start();
    const late = new RecordingHandler();
    const registration = h.informer.addEventHandler(late);
    await h.clock.drain();
    expect(registration.hasSynced).toBe(false);
    h.store.replace(pods(1), '1');
    await h.clock.drain();
    expect(late.take()).toEqual(['add* p0@1']);
    expect(registration.hasSynced).toBe(true);
    await h.informer.stop();
  });

  it('is never called if it is removed before its replay begins', async () => {
    const h = new InformerHarness();
    await h.start([pods(3), '3']);
    const late = new RecordingHandler();
    await h.informer.addEventHandler(late).remove();
    h.store.add(entry('x', 4));
    await h.clock.drain();
    expect(late.told).toEqual([]);
    await h.informer.stop();
  });
});

describe('removeEventHandler', () => {
  it('takes effect at once, drops what is queued, and leaves other handlers running', async () => {
    const h = new InformerHarness({ itemsPerSlice: 5 });
    const kept = new RecordingHandler();
    const told: string[] = [];
    h.informer.addEventHandler(kept);
    const registration = h.informer.addEventHandler({
      onAdd(e) {
        told.push(e.name);
        if (told.length === 2) void registration.remove();
      },
    });
    await h.start([pods(10), '10']);
    h.store.add(entry('x', 11));
    await h.clock.drain();
    expect(told).toEqual(['p0', 'p1']);
    expect(kept.told).toHaveLength(11);
    expect(h.informer.health().handlers).toHaveLength(1);
    await expect(registration.synced).rejects.toMatchObject({ code: 'KUBEFLECT_INFORMER_STOPPED' });
    await h.informer.stop();
  });

  it('delivers what is queued with drain, but nothing newer', async () => {
    const h = new InformerHarness({ itemsPerSlice: 2 });
    const handler = new RecordingHandler();
    const registration = h.informer.addEventHandler(handler);
    h.informer.start();
    h.store.replace(pods(10), '10');
    while (handler.told.length === 0) {
      h.clock.turn();
      await h.clock.flush();
    }
    const removed = registration.remove({ drain: true });
    h.store.add(entry('x', 11));
    await h.clock.drain();
    await removed;
    expect(handler.told).toHaveLength(10);
    await h.informer.stop();
  });

  it('resolves when the running call has settled, and does not interrupt it', async () => {
    const h = new InformerHarness();
    let finish: () => void = () => {};
    const registration = h.informer.addEventHandler({
      onAdd: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    });
    await h.start([pods(2), '2']);
    let isRemoved = false;
    const removed = registration.remove().then(() => {
      isRemoved = true;
    });
    await h.clock.drain();
    expect(isRemoved).toBe(false);
    finish();
    await removed;
    await h.informer.stop();
  });

  it('does nothing the second time, or for a registration of another informer', async () => {
    const h = new InformerHarness();
    const other = new InformerHarness();
    const registration = h.informer.addEventHandler({});
    const foreign = other.informer.addEventHandler({});
    await h.informer.removeEventHandler(foreign);
    expect(other.informer.health().handlers).toHaveLength(1);
    await h.informer.removeEventHandler(registration);
    await h.informer.removeEventHandler(registration);
    expect(h.informer.health().handlers).toHaveLength(0);
  });

  it('keeps the other registrations of the same handler', async () => {
    const h = new InformerHarness();
    const handler = new RecordingHandler();
    const first = h.informer.addEventHandler(handler);
    h.informer.addEventHandler(handler);
    await first.remove();
    await h.start([pods(1), '1']);
    expect(handler.take()).toEqual(['add* p0@1']);
    await h.informer.stop();
  });

  it('is called by an aborted signal and at the end of await using', async () => {
    const h = new InformerHarness();
    const abort = new AbortController();
    h.informer.addEventHandler({}, { signal: abort.signal });
    h.informer.addEventHandler({}, { signal: AbortSignal.abort() });
    expect(h.informer.health().handlers).toHaveLength(1);
    abort.abort();
    expect(h.informer.health().handlers).toHaveLength(0);
    {
      await using _registration = h.informer.addEventHandler({});
    }
    expect(h.informer.health().handlers).toHaveLength(0);
  });

  it('works together with addEventHandler during thousands of events', async () => {
    const h = new InformerHarness({ itemsPerSlice: 16 });
    await h.start([pods(20), '20']);
    const finals: RecordingHandler[] = [];
    for (let i = 0; i < 5000; i++) {
      h.store.update(entry(`p${i % 20}`, 21 + i));
      if (i % 50 === 0) {
        const handler = new RecordingHandler();
        const registration = h.informer.addEventHandler(handler);
        if (i % 100 === 0) void registration.remove({ drain: i % 200 === 0 });
        else finals.push(handler);
        h.clock.turn();
        await h.clock.flush();
      }
    }
    await h.clock.drain();
    for (const handler of finals) {
      const last = new Map(handler.told.map((line) => [line.split(/[ @]/)[1], line.split(/[@→]/).at(-1)]));
      expect([...last.values()].sort()).toEqual(
        h.informer.indexer
          .list()
          .map((e) => e.resourceVersion)
          .sort(),
      );
    }
    expect(h.informer.health().handlers).toHaveLength(50);
    await h.informer.stop();
  });
});

describe('FilteringEventHandler', () => {
  it('turns updates into adds and deletions where the filter starts or stops matching', async () => {
    const h = new InformerHarness();
    const inner = new RecordingHandler();
    h.informer.addEventHandler(new FilteringEventHandler((e) => e.object.spec?.nodeName === 'mine', inner));
    await h.start([[entry('a', 1), entry('b', 2, { nodeName: 'mine' })], '2']);
    expect(inner.take()).toEqual(['add* b@2']);
    h.store.update(entry('a', 3));
    h.store.update(entry('a', 4, { nodeName: 'mine' }));
    h.store.update(entry('a', 5, { nodeName: 'mine' }));
    h.store.update(entry('a', 6));
    h.store.delete(entry('a', 7));
    h.store.replace([], '8');
    await h.clock.drain();
    expect(inner.take()).toEqual(['add a@4', 'update a@4→5', 'delete a@5', 'delete? b@2']);
    await h.informer.stop();
  });

  it('deletes an object whose last change, which made it fail, was merged with its deletion', async () => {
    const h = new InformerHarness();
    const inner = new RecordingHandler();
    h.informer.addEventHandler(new FilteringEventHandler((e) => e.object.spec?.nodeName === 'mine', inner));
    await h.start([[entry('a', 1, { nodeName: 'mine' })], '2']);
    inner.take();
    h.store.delete(entry('a', 7, { nodeName: 'other' }));
    await h.clock.drain();
    expect(inner.take()).toEqual(['delete a@1']);
    await h.informer.stop();
  });
});
