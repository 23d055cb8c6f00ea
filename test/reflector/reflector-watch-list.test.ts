import { describe, expect, it } from 'vitest';
import { ListerWatcherFuncs } from '#dist/src/reflector/lister-watcher-funcs.js';
import { Reflector } from '#dist/src/reflector/reflector.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { DeltaFIFO } from '#dist/src/store/queue/delta-fifo.js';
import { MapStore } from '../support/informer/map-store.js';
import {
  added,
  bookmark,
  deleted,
  EXPIRED,
  errorEvent,
  INVALID,
  list,
  modified,
  type Pod,
  pod,
  refused,
  ScriptedServer,
  statusError,
  TOO_LARGE,
  TOO_MANY,
} from '../support/servers/scripted-server.js';

const END = 'true';

function streaming(options: ConstructorParameters<typeof ScriptedServer>[0] = {}): ScriptedServer {
  const server = new ScriptedServer({ useWatchList: true, ...options });
  server.lists.push(list('30', [pod('listed', '30')]));
  return server;
}

describe('Reflector, streaming list', () => {
  // TestReflectorListAndWatch, WatchList on; TestWatchList: synced after the bookmark
  it('is one watch request, and replaces the store at the end bookmark', async () => {
    const server = streaming();
    const running = server.listAndWatch();
    await server.clock.drain();
    server.watch.send(added('a', '7'), added('b', '3'));
    await server.clock.drain();
    expect(server.store.calls).toEqual([]);
    expect(server.reflector.lastSyncResourceVersion).toBe('');
    server.watch.send(bookmark('10', END));
    await server.clock.drain();
    expect(server.requests).toEqual([
      {
        verb: 'watch',
        atMs: 0,
        resourceVersion: '',
        resourceVersionMatch: 'NotOlderThan',
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        timeoutSeconds: 300,
      },
    ]);
    expect(server.store.calls).toEqual(['replace ns/a,ns/b@10']);
    expect(server.reflector.lastSyncResourceVersion).toBe('10');
    server.watch.send(modified('a', '11'));
    await server.clock.drain();
    expect(server.store.calls.at(-1)).toBe('update ns/a@11');
    expect(server.requests).toHaveLength(1);
    await server.stop(running);
  });

  it('continues as a watch in the middle of a batch', async () => {
    const a = { type: 'ADDED' as const, entry: new ObjectEntry(pod('a', '5')) };
    const end = { type: 'BOOKMARK' as const, resourceVersion: '10', initialEventsEnd: true };
    const later = { type: 'MODIFIED' as const, entry: new ObjectEntry(pod('a', '11')) };
    const store = new MapStore<Pod>();
    const controller = new AbortController();
    const reflector = new Reflector<Pod>({
      store,
      listerWatcher: {
        list: () => {
          throw new Error('not asked');
        },
        watch: async function* () {
          yield { type: 'open' };
          yield { type: 'events', events: [a, end, later] };
          controller.abort();
        },
      },
    });
    await reflector.listAndWatch(controller.signal);
    expect(store.calls).toEqual(['replace ns/a@10', 'update ns/a@11']);
    expect(reflector.lastSyncResourceVersion).toBe('11');
  });

  // TestWatchList: updates and deletes before the bookmark
  it('applies changes before the end bookmark', async () => {
    const server = streaming();
    server.answers.push([
      added('a', '1'),
      added('b', '2'),
      modified('a', '3'),
      deleted('b', '4'),
      bookmark('5', END),
    ]);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.store.contents).toEqual(['ns/a@3']);
    expect(server.reflector.lastSyncResourceVersion).toBe('5');
    await server.stop(running);
  });

  // TestWatchList: the annotation must be "true"
  it.each([undefined, 'false', 'TRUE', ''])('does not end at a bookmark annotated %j', async (end) => {
    const server = streaming();
    server.answers.push([added('a', '1'), bookmark('5', end)]);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.store.calls).toEqual([]);
    expect(server.reflector.phase).toBe('streaming');
    await server.stop(running);
  });

  // TestWatchList: any error falls back to list; unsupported server falls back
  it.each([
    ['refused as invalid', statusError(INVALID)],
    ['refused as forbidden', statusError({ code: 403, reason: 'Forbidden' })],
    ['broken by a 500', [errorEvent({ code: 500, reason: 'InternalError' })]],
    ['broken by something without a Status', [{ type: 'ERROR', object: { what: 'ever' } }]],
  ])('falls back to list and watch if it is %s', async (_, answer) => {
    const server = streaming();
    server.answers.push(answer, []);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 30']);
    expect(server.store.contents).toEqual(['ns/listed@30']);
    expect(server.errors).toEqual([]);
    await server.stop(running);
  });

  it('falls back if it is very short', async () => {
    const server = streaming();
    server.answers.push((watch) => watch.close(), []);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 30']);
    await server.stop(running);
  });

  // TestWatchList: 429 retried in place
  it.each([
    ['429 on opening', statusError(TOO_MANY)],
    ['429 in the stream', [added('lost', '1'), errorEvent(TOO_MANY)]],
    ['refused', refused()],
  ])('retries after %s, with nothing left over', async (_, answer) => {
    const server = streaming();
    server.answers.push(answer, [added('a', '2'), bookmark('5', END)]);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.sent).toEqual(['stream']);
    await server.clock.advance(800);
    expect(server.sent).toEqual(['stream', 'stream']);
    expect(server.store.contents).toEqual(['ns/a@2']);
    await server.stop(running);
  });

  // TestWatchList: closed before the bookmark restarts streaming
  it('starts over with nothing left over if it is closed before its end', async () => {
    const server = streaming();
    server.answers.push(
      (watch) => {
        watch.send(added('lost', '1'));
        watch.close();
      },
      [added('a', '2'), bookmark('5', END)],
    );
    const running = server.listAndWatch();
    await server.clock.advance(1500);
    expect(server.sent).toEqual(['stream', 'stream']);
    expect(server.store.contents).toEqual(['ns/a@2']);
    await server.stop(running);
  });

  // TestWatchList: closed after sync reopens a plain watch at the last version
  it('reopens a plain watch after it has completed', async () => {
    const server = streaming();
    server.answers.push([added('a', '2'), bookmark('5', END)], []);
    const running = server.listAndWatch();
    await server.clock.advance(2000);
    server.watch.send(modified('a', '6'));
    await server.clock.drain();
    server.watch.close();
    await server.clock.drain();
    expect(server.sent).toEqual(['stream', 'watch 6']);
    await server.stop(running);
  });

  // TestWatchList: expired on reopening is returned
  it('ends the round when reopening returns 410', async () => {
    const server = streaming();
    server.answers.push([bookmark('5', END)], statusError(EXPIRED));
    const running = server.listAndWatch();
    await server.clock.advance(2000);
    server.watch.close();
    expect((await running).error).toMatchObject({ code: 'KUBEFLECT_WATCH_FAILED' });
  });

  it.each([
    ['expired', EXPIRED],
    ['too large', TOO_LARGE],
  ])("starts over at '' at once if its version is %s", async (_, status) => {
    const server = streaming();
    server.answers.push([bookmark('5', END)], [errorEvent(status)], [bookmark('9', END)]);
    const first = server.listAndWatch();
    await server.clock.drain();
    server.watch.send(errorEvent(EXPIRED));
    await first;
    const second = server.listAndWatch();
    await server.clock.drain();
    expect(server.sent).toEqual(['stream', 'stream 5', 'stream']);
    expect(server.reflector.isLastSyncResourceVersionUnavailable).toBe(false);
    await server.stop(second);
  });

  it('closes the stream and lists if the store rejects the collection', async () => {
    const server = streaming();
    server.store.failures.push({ call: 'replace', error: new Error('full') });
    server.answers.push([bookmark('5', END)], []);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.watches[0]?.stops).toBe(1);
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 30']);
    await server.stop(running);
  });

  it('stops at any time', async () => {
    const server = streaming();
    const running = server.run();
    await server.clock.drain();
    await server.stop(running);
    expect(server.watch.stops).toBe(1);
    expect(server.clock.pendingTimers).toBe(0);
    expect(server.store.calls).toEqual([]);
  });

  it('may be as quiet as any watch once it has completed', async () => {
    const server = streaming();
    server.answers.push([bookmark('5', END)], []);
    const running = server.listAndWatch();
    await server.clock.advance(290_000);
    expect(server.sent).toEqual(['stream']);
    expect(server.reflector.phase).toBe('watching');
    await server.stop(running);
  });

  // TestInitialEventsEndBookmarkTicker
  it('reports every ten seconds without an event that the end bookmark is missing', async () => {
    const server = streaming();
    const running = server.listAndWatch();
    await server.clock.advance(10_000);
    server.watch.send(added('a', '1'));
    await server.clock.advance(15_000);
    expect(server.reported('waiting-for-initial-events-end')).toMatchObject([
      { waitedMs: 10_000, sinceLastEventMs: undefined },
      { waitedMs: 20_000, sinceLastEventMs: 10_000 },
    ]);
    server.watch.send(bookmark('5', END));
    await server.clock.advance(60_000);
    expect(server.reported('waiting-for-initial-events-end')).toHaveLength(2);
    await server.stop(running);
  });

  // TestNewReflectorWithDisablementWatchList
  it.each([
    [undefined, false, 'stream'],
    [true, false, 'stream'],
    [false, false, 'list 0 500'],
    [undefined, true, 'list 0 500'],
    [true, true, 'list 0 500'],
  ])(
    'with useWatchList %s and isWatchListUnsupported %s, requests a %s',
    async (useWatchList, unsupported, first) => {
      const requests: string[] = [];
      const controller = new AbortController();
      const listerWatcher = new ListerWatcherFuncs<Pod>({
        list: async ({ resourceVersion, limit }) => {
          requests.push(`list ${resourceVersion} ${limit}`);
          controller.abort();
          return list('1');
        },
        watch: async () => {
          requests.push('stream');
          controller.abort();
          return (async function* () {})();
        },
        isWatchListUnsupported: unsupported,
      });
      const options = { listerWatcher, store: new MapStore<Pod>() };
      const reflector = new Reflector(useWatchList === undefined ? options : { ...options, useWatchList });
      await reflector.listAndWatch(controller.signal);
      expect(requests).toEqual([first]);
    },
  );

  // TestReflectorDataConsistencyDetector
  it('is compared with a list at exactly its version by the consistency detector', async () => {
    const server = streaming({ consistencyDetector: true });
    server.lists.splice(0, 1, statusError({ code: 500 }), list('5', [pod('a', '2')]));
    server.answers.push([added('a', '2'), bookmark('5', END)]);
    const running = server.listAndWatch();
    await server.clock.advance(1000);
    expect(server.requests.slice(1)).toMatchObject([
      { verb: 'list', resourceVersion: '5', resourceVersionMatch: 'Exact' },
      { verb: 'list', resourceVersion: '5', resourceVersionMatch: 'Exact' },
    ]);
    expect(server.requests[1]).not.toHaveProperty('limit');
    expect(server.store.contents).toEqual(['ns/a@2']);
    await server.stop(running);
  });

  it('falls back to a list if the consistency detector finds a difference', async () => {
    const server = streaming({ consistencyDetector: true });
    server.lists.splice(0, 1, list('5', [pod('b', '2')]), list('6', [pod('b', '2')]));
    server.answers.push([added('a', '2'), bookmark('5', END)], []);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(server.reported('watch-list-fallback')[0]?.error.cause).toMatchObject({
      code: 'KUBEFLECT_INCONSISTENT_LIST',
    });
    expect(server.store.contents).toEqual(['ns/b@2']);
    await server.stop(running);
  });

  // TestReflectorRespectStoreTransformer, improved: client-go calls it twice for initial objects
  it('lets the store transform each object once', async () => {
    const transformed: string[] = [];
    const store = new DeltaFIFO<Pod>({
      transform: (entry) => {
        transformed.push(`${entry.key}@${entry.resourceVersion}`);
        return entry;
      },
    });
    const server = streaming({ store });
    server.answers.push([added('a', '1'), added('b', '2'), bookmark('5', END), modified('a', '6')]);
    const running = server.listAndWatch();
    await server.clock.drain();
    expect(transformed).toEqual(['ns/a@1', 'ns/b@2', 'ns/a@6']);
    await server.stop(running);
  });
});
