import { describe, expect, it } from 'vitest';
import { ListerWatcherFuncs } from '#dist/src/reflector/lister-watcher-funcs.js';
import {
  added,
  EXPIRED,
  errorEvent,
  list,
  type Pod,
  pod,
  ScriptedServer,
  statusError,
  TOO_LARGE,
} from '../support/servers/scripted-server.js';

/** Runs one round to its end: the watch fails with 410. */
async function round(server: ScriptedServer): Promise<Error | undefined> {
  server.answers.splice(0, Infinity, [errorEvent(EXPIRED)]);
  return (await server.listAndWatch()).error;
}

describe('Reflector, list', () => {
  // TestReflectorListAndWatch, WatchList off
  it('lists first at 0, in pages of 500, and watches from there', async () => {
    const server = new ScriptedServer();
    server.lists.push(list('10', [pod('a', '5')]));
    const running = server.listAndWatch();
    await server.clock.drain();
    server.watch.send(added('b', '11'));
    await server.clock.drain();
    expect(server.sent).toEqual(['list 0 500', 'watch 10']);
    expect(server.requests[1]).toMatchObject({ allowWatchBookmarks: true });
    expect(server.requests[1]).not.toHaveProperty('sendInitialEvents');
    expect(server.store.contents).toEqual(['ns/a@5', 'ns/b@11']);
    expect(server.reflector.lastSyncResourceVersion).toBe('11');
    await server.stop(running);
  });

  // TestReflectorResyncWithResourceVersion
  it('relists at the last version, without a limit', async () => {
    const server = new ScriptedServer();
    server.lists.push(list('10'), list('11'));
    await round(server);
    await round(server);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'list 10 -', 'watch 11']);
  });

  // TestReflectorExpiredExactResourceVersion
  it("lists the most recent state at once if the last version has expired: 0, 10, ''", async () => {
    const server = new ScriptedServer();
    server.lists.push(list('10'), statusError(EXPIRED), list('11'));
    await round(server);
    await round(server);
    expect(server.sent.filter((sent) => sent.startsWith('list'))).toEqual([
      'list 0 500',
      'list 10 -',
      'list  -',
    ]);
    expect(server.clock.now()).toBe(0);
    expect(server.reflector.isLastSyncResourceVersionUnavailable).toBe(false);
  });

  // TestReflectorFullListIfExpired
  it("lists all at the original version if page 2 has expired: 0, 10, '', 10", async () => {
    const server = new ScriptedServer({ watchListPageSize: 4 });
    server.lists.push(
      list('10', [pod('a', '1')]),
      list('11', [pod('a', '1')], 'token'),
      statusError(EXPIRED),
      list('11', [pod('a', '1'), pod('b', '2')]),
    );
    await round(server);
    await round(server);
    expect(server.sent.filter((sent) => sent.startsWith('list'))).toEqual([
      'list 0 4',
      'list 10 4',
      'list  4 token',
      'list 10 -',
    ]);
    expect(server.store.contents).toEqual(['ns/a@1', 'ns/b@2']);
  });

  // TestReflectorFullListIfTooLarge
  it.each([
    ['as since 1.18.6', TOO_LARGE],
    [
      'by a cause',
      { code: 504, reason: 'Timeout', details: { causes: [{ message: 'Too large resource version' }] } },
    ],
    ['by its message', { code: 504, message: 'Timeout: Too large resource version: 20, current: 10' }],
  ])("recovers from a version that is too large, said %s: 0, 20, ''", async (_, status) => {
    const server = new ScriptedServer();
    server.lists.push(list('20'), statusError(status), list('20'));
    await round(server);
    await round(server);
    expect(server.sent.filter((sent) => sent.startsWith('list'))).toEqual([
      'list 0 500',
      'list 20 -',
      'list  -',
    ]);
  });

  // TestReflectorWatchListPageSize
  it('uses a configured page size, also with a version, and joins the pages', async () => {
    const server = new ScriptedServer({ watchListPageSize: 4 });
    server.lists.push(
      list('10', [pod('a', '1')], 'x'),
      list('10', [pod('b', '2')], 'y'),
      list('10', [pod('c', '3')]),
    );
    await round(server);
    expect(server.sent.slice(0, 3)).toEqual(['list 0 4', 'list  4 x', 'list  4 y']);
    expect(server.store.calls).toEqual(['replace ns/a,ns/b,ns/c@10']);
  });

  // TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled
  it('pages relists if the list at 0 was paged', async () => {
    const server = new ScriptedServer();
    server.lists.push(list('10', [pod('a', '1')], 'x'), list('10', [pod('b', '2')]), list('11'));
    await round(server);
    expect(server.reflector.paginatedResult).toBe(true);
    await round(server);
    expect(server.sent.at(-2)).toBe('list 10 500');
  });

  it("watches from the first page's version", async () => {
    const server = new ScriptedServer();
    server.lists.push(list('10', [pod('a', '1')], 'x'), list('12', [pod('b', '2')]));
    await round(server);
    expect(server.sent.at(-1)).toBe('watch 10');
  });

  it('reports what failed, with the cause', async () => {
    const server = new ScriptedServer({ expectedType: 'Pod' });
    const cause = statusError({ code: 403, reason: 'Forbidden', message: 'pods is forbidden' });
    server.lists.push(cause);
    const { error } = await server.listAndWatch();
    expect(error).toMatchObject({ code: 'KUBEFLECT_LIST_FAILED', cause });
    expect(error?.message).toBe('failed to list Pod: pods is forbidden');
    expect(server.sent).toEqual(['list 0 500']);
  });

  it('does not record the version of a list that the store rejected', async () => {
    const server = new ScriptedServer();
    server.lists.push(list('10'));
    server.store.failures.push({ call: 'replace', error: new Error('full') });
    expect((await server.listAndWatch()).error).toMatchObject({ code: 'KUBEFLECT_LIST_FAILED' });
    expect(server.reflector.lastSyncResourceVersion).toBe('');
  });

  // TestReflectorListAndWatchWithErrors
  it('survives failing lists and watches; the next list reconciles', async () => {
    const server = new ScriptedServer();
    server.lists.push(
      list('3', [pod('a', '1'), pod('b', '2')]),
      statusError({ code: 500, message: 'boom' }),
      list('10', [pod('b', '7'), pod('c', '8')]),
    );
    await round(server);
    expect((await server.listAndWatch()).error?.message).toContain('boom');
    expect(server.store.contents).toEqual(['ns/a@1', 'ns/b@2']);
    await round(server);
    expect(server.store.contents).toEqual(['ns/b@7', 'ns/c@8']);
  });

  // TestIsUnsupportedTableObject
  it.each(['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'])(
    'rejects a list that is a Table of %s',
    async (apiVersion) => {
      const server = new ScriptedServer();
      server.lists.push({ kind: 'Table', apiVersion, items: [] });
      expect((await server.listAndWatch()).error?.message).toContain('Table');
    },
  );

  it('fails a list that is silent for too long', async () => {
    const listerWatcher = new ListerWatcherFuncs<Pod>({
      list: () => new Promise(() => {}),
      watch: async () => (async function* () {})(),
    });
    const server = new ScriptedServer({ listerWatcher });
    const running = server.listAndWatch();
    await server.clock.advance(119_999);
    expect(server.reflector.phase).toBe('listing');
    await server.clock.advance(2);
    expect((await running).error?.message).toContain('silent');
  });

  it('fails a truncated list, and leaves the store unchanged', async () => {
    const server = new ScriptedServer();
    server.lists.push(
      list('10', [pod('a', '1')]),
      list('11', [pod('b', '2')], 'x'),
      new Error('socket hang up'),
    );
    await round(server);
    const relist = new ScriptedServer({ watchListPageSize: 1 });
    relist.lists.push(list('10', [pod('a', '1')], 'x'), new Error('socket hang up'));
    expect((await relist.listAndWatch()).error?.message).toContain('socket hang up');
    expect(relist.store.calls).toEqual([]);
  });

  it('reports the duration of the steps of a long list', async () => {
    const server = new ScriptedServer();
    const listerWatcher = new ListerWatcherFuncs<Pod>({
      list: () => new Promise((resolve) => server.clock.schedule(() => resolve(list('10')), 11_000)),
      watch: async () => (async function* () {})(),
    });
    const slow = new ScriptedServer({ listerWatcher, clock: server.clock });
    const running = slow.listAndWatch();
    await server.clock.advance(11_000);
    await running;
    expect(slow.reported('long-list')).toEqual([
      {
        type: 'long-list',
        level: 'warning',
        durationMs: 11_000,
        steps: [
          { name: 'Objects listed', atMs: 11_000 },
          { name: 'SyncWith done', atMs: 11_000 },
        ],
      },
    ]);
  });

  it('goes back in time only if the most recent state is older, and reports it', async () => {
    const server = new ScriptedServer();
    server.lists.push(list('20', [pod('a', '20')]), list('12'), list('13', [pod('a', '13')]));
    await round(server);
    await round(server);
    expect(server.sent.filter((sent) => sent.startsWith('list'))).toEqual([
      'list 0 500',
      'list 20 -',
      'list  -',
    ]);
    expect(server.reported('reset')).toEqual([{ type: 'reset', level: 'warning', from: '20', to: '13' }]);
    expect(server.reflector.lastSyncResourceVersion).toBe('13');
  });
});
