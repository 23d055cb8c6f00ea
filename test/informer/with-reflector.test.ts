import { describe, expect, it } from 'vitest';
import { ApiStatusError } from '#dist/src/kube/status.js';
import { Reflector } from '#dist/src/reflector/reflector.js';
import {
  type HarnessOptions,
  InformerHarness,
  RecordingHandler,
} from '../support/informer/informer-harness.js';
import type { Pod } from '../support/objects/entries.js';
import { MemoryServer } from '../support/servers/memory-server.js';

function informerOf(server: MemoryServer, options: HarnessOptions = {}): InformerHarness {
  const h: InformerHarness = new InformerHarness({
    run: ({ watchErrorHandler, ...context }, signal) =>
      new Reflector<Pod>({
        ...context,
        listerWatcher: server.listerWatcher,
        clock: h.clock,
        random: () => 0.5,
        watchErrorHandler: (_reflector, error) => watchErrorHandler(error),
      }).run(signal),
    ...options,
  });
  return h;
}

describe('SharedInformer with a Reflector', () => {
  it('caches a collection from its first list on', async () => {
    const server = new MemoryServer();
    server.write('a');
    const h = informerOf(server);
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    h.informer.start();
    await h.clock.advance(0);
    expect(h.informer.hasSynced).toBe(true);
    server.write('b');
    server.write('a');
    server.remove('b');
    await h.clock.advance(0);
    expect(handler.take()).toEqual(['add* a@2', 'add b@3', 'update a@2→4', 'delete b@5']);
    expect(h.informer.lastStoreSyncResourceVersion).toBe('5');
    await h.stop();
    expect(h.clock.pendingTimers).toBe(0);
  });

  it('continues after a lost connection without a list, and misses nothing', async () => {
    const server = new MemoryServer();
    server.write('a');
    const h = informerOf(server);
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    h.informer.start();
    await h.clock.advance(60_000);
    server.cut({ forget: false });
    server.write('a');
    server.write('b');
    await h.clock.advance(60_000);
    expect(handler.take()).toEqual(['add* a@2', 'update a@2→3', 'add b@4']);
    expect(server.lists).toBe(1);
    await h.stop();
  });

  it('notifies of changes found by a relist: deletions first, unchanged objects not at all', async () => {
    const server = new MemoryServer();
    for (const name of ['gone', 'same', 'changed']) server.write(name);
    const h = informerOf(server);
    const handler = new RecordingHandler();
    h.informer.addEventHandler(handler);
    h.informer.start();
    await h.clock.advance(60_000);
    handler.take();
    server.cut({ forget: false });
    server.goDark();
    server.remove('gone');
    server.write('changed');
    server.write('new');
    await h.clock.advance(120_000);
    expect(handler.take()).toEqual(['delete? gone@2', 'update changed@4→6', 'add new@7']);
    expect(server.lists).toBe(2);
    await h.stop();
  });

  it('passes failed lists to the watch error handler, and syncs when they succeed', async () => {
    const server = new MemoryServer();
    server.write('a');
    server.listError = new ApiStatusError({ code: 403, reason: 'Forbidden', message: 'no' });
    const seen: Error[] = [];
    const h = informerOf(server, { watchErrorHandler: (error) => void seen.push(error) });
    h.informer.start();
    await h.clock.advance(0);
    expect(h.informer.hasSynced).toBe(false);
    expect(seen).toHaveLength(1);
    await h.clock.advance(60_000);
    expect(h.informer.hasSynced).toBe(true);
    await h.stop();
  });

  it('resyncs handlers that are due, triggered by the reflector', async () => {
    const server = new MemoryServer();
    server.write('a');
    const h = informerOf(server, { resyncPeriodMs: 10_000 });
    const often = new RecordingHandler();
    const seldom = new RecordingHandler();
    h.informer.addEventHandler(often);
    h.informer.addEventHandler(seldom, { resyncPeriodMs: 30_000 });
    h.informer.start();
    await h.clock.advance(65_000);
    expect(often.take()).toEqual(['add* a@2', ...Array.from({ length: 6 }, () => 'resync a@2')]);
    expect(seldom.take()).toEqual(['add* a@2', 'resync a@2', 'resync a@2']);
    await h.stop();
  });

  it('stops in any phase without leaving anything behind', async () => {
    for (const afterMs of [0, 1, 100, 1000, 5000]) {
      const server = new MemoryServer();
      server.write('a');
      if (afterMs % 2 === 0) server.listError = new ApiStatusError({ code: 500, message: 'no' });
      const h = informerOf(server);
      h.informer.start();
      await h.clock.advance(afterMs);
      await h.stop();
      expect(h.clock.pendingTimers).toBe(0);
      expect(h.codes).not.toContain('KUBEFLECT_STOP_TIMEOUT');
    }
  });
});
