/** What client-go is known to do badly (spec/client-go.md §5) and this reflector does better: one test or more for each. */

import { describe, expect, it } from 'vitest';
import type { ListerWatcher, WatchEntry } from '#dist/src/reflector/lister-watcher.js';
import { ListerWatcherFuncs } from '#dist/src/reflector/lister-watcher-funcs.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import {
  added,
  bookmark,
  EXPIRED,
  errorEvent,
  INVALID,
  list,
  modified,
  type Pod,
  pod,
  ScriptedServer,
  statusError,
  TOO_MANY,
} from '../support/servers/scripted-server.js';

function watching(options: ConstructorParameters<typeof ScriptedServer>[0] = {}): ScriptedServer {
  const server = new ScriptedServer(options);
  server.lists.push(list('10'));
  return server;
}

const lists = (server: ScriptedServer) => server.sent.filter((sent) => sent.startsWith('list'));
const streams = (server: ScriptedServer) => server.sent.filter((sent) => sent.startsWith('stream'));

describe('a streaming list whose end bookmark never comes', () => {
  it('is given up after 30 s of silence', async () => {
    const server = watching({ useWatchList: true });
    server.answers.push([added('a', '1')], []);
    const running = server.run();
    await server.clock.advance(29_999);
    expect(server.sent).toEqual(['stream']);
    await server.clock.advance(2);
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 10']);
    expect(server.watches[0]?.stops).toBe(1);
    await server.stop(running);
  });

  it('is given up after 5 minutes of talk', async () => {
    const server = watching({ useWatchList: true });
    const running = server.run();
    await server.clock.drain();
    for (let i = 0; i < 20; i++) {
      server.watches[0]?.send(added(`a${i}`, String(i + 1)));
      await server.clock.advance(20_000);
    }
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 10']);
    await server.stop(running);
  });

  it('is given up after the fourth close', async () => {
    const server = watching({ useWatchList: true });
    server.answers.push((watch) => {
      watch.send(added('a', '1'));
      watch.close();
    });
    const running = server.listAndWatch();
    await server.clock.advance(10_000);
    expect(streams(server)).toHaveLength(4);
    expect(lists(server)).toEqual(['list 0 500']);
    await server.stop(running);
  });

  it('is not given up because this thread was busy', async () => {
    const server = watching({ useWatchList: true });
    const running = server.listAndWatch();
    await server.clock.drain();
    // The events have arrived, but the timer that fell due meanwhile is called first.
    server.clock.yield = () => {
      server.watch.send(added('a', '1'), bookmark('5', 'true'));
      return server.clock.flush();
    };
    await server.clock.advance(30_000);
    expect(server.sent).toEqual(['stream']);
    expect(server.reflector.lastSyncResourceVersion).toBe('5');
    await server.stop(running);
  });
});

describe('a server without streaming lists', () => {
  it('is not asked again on each relist, but after half an hour', async () => {
    const server = watching({ useWatchList: true });
    server.answers.push(statusError(INVALID), [errorEvent(EXPIRED)]);
    const running = server.run();
    await server.clock.advance(1_799_000);
    expect(streams(server)).toHaveLength(1);
    expect(lists(server).length).toBeGreaterThan(5);
    server.answers.splice(0, Infinity, [bookmark('10', 'true')]);
    await server.clock.advance(120_000);
    expect(streams(server)).toHaveLength(2);
    await server.stop(running);
  });
});

describe('waits', () => {
  it.each([
    ['429 in a streaming list', { useWatchList: true }],
    ['429 in a watch', {}],
  ])('end at once when the signal aborts: %s', async (_, options) => {
    const server = watching(options);
    server.answers.push(statusError(TOO_MANY, 3_600_000));
    const running = server.run();
    await server.clock.drain();
    await server.stop(running);
    expect(server.clock.pendingTimers).toBe(0);
  });

  it('end at once between rounds', async () => {
    const server = new ScriptedServer();
    server.lists.push(statusError(TOO_MANY, 3_600_000));
    const running = server.run();
    await server.clock.drain();
    await server.stop(running);
    expect(server.clock.pendingTimers).toBe(0);
  });

  it('end at once even if the source does not listen to its signal', async () => {
    const never = new Promise<never>(() => {});
    const deaf = new ListerWatcherFuncs<Pod>({ list: () => never, watch: () => never });
    for (const useWatchList of [true, false]) {
      const server = new ScriptedServer({ listerWatcher: deaf, useWatchList });
      const running = server.run();
      await server.clock.drain();
      await server.stop(running);
      expect(server.clock.pendingTimers).toBe(0);
    }
  });
});

describe('hot reconnects', () => {
  it('do not happen: one event per connection still means a second between them', async () => {
    const server = watching();
    let version = 10;
    server.answers.push((watch) => {
      watch.send(added('a', String(++version)));
      watch.close();
    });
    const running = server.run();
    await server.clock.advance(10_000);
    expect(server.sent.length).toBeLessThanOrEqual(12);
    expect(lists(server)).toHaveLength(1);
    await server.stop(running);
  });

  it('are spread by chance', async () => {
    const server = watching({ random: () => 0.5 });
    server.answers.push((watch) => {
      watch.send(added('a', '11'));
      watch.close();
    }, []);
    const running = server.run();
    await server.clock.advance(1249);
    expect(server.sent).toHaveLength(2);
    await server.clock.advance(1);
    expect(server.sent).toHaveLength(3);
    await server.stop(running);
  });
});

describe('a rewatch is tried before a relist', () => {
  it.each([
    ['a very short watch', (watch: { close(): void }) => watch.close()],
    ['an error of no known class', [errorEvent({ code: 418 })]],
    ['a 500 in the stream', [errorEvent({ code: 500, reason: 'InternalError' })]],
    ['a watch refused with 503', statusError({ code: 503 })],
  ])('after %s', async (_, answer) => {
    const server = watching();
    server.answers.push(answer, []);
    const running = server.run();
    await server.clock.advance(5000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10']);
    await server.stop(running);
  });

  it('but not for ever: the third failure in a row lists', async () => {
    const server = watching();
    server.lists.push(list('12'));
    server.answers.push(...Array.from({ length: 3 }, () => [errorEvent({ code: 418 })]), []);
    const running = server.run();
    await server.clock.advance(20_000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10', 'watch 10', 'list 10 -', 'watch 12']);
    await server.stop(running);
  });

  it('and progress forgives', async () => {
    const server = watching();
    let version = 10;
    server.answers.push((watch) => watch.send(added('a', String(++version)), errorEvent({ code: 418 })));
    const running = server.run();
    await server.clock.advance(60_000);
    expect(lists(server)).toHaveLength(1);
    expect(server.sent.length).toBeGreaterThan(5);
    await server.stop(running);
  });
});

describe('the ladder in an outage', () => {
  it('stays at its plateau: fewer than 3 attempts in two minutes, where client-go 1.36 makes 6', async () => {
    const server = new ScriptedServer({ random: () => 0.5 });
    server.lists.push(statusError({ code: 503 }));
    const running = server.run();
    await server.clock.advance(3_600_000);
    const before = server.requests.length;
    await server.clock.advance(1_200_000);
    expect((server.requests.length - before) / 10).toBeLessThan(3);
    await server.stop(running);
  });
});

describe('an event that could not be stored', () => {
  it('comes again with a new watch', async () => {
    const server = watching();
    server.answers.push(
      [added('a', '11'), modified('a', '12'), added('b', '13')],
      [modified('a', '12'), added('b', '13')],
    );
    server.store.failures.push({ call: 'update', error: new Error('no room') });
    const running = server.run();
    await server.clock.drain();
    expect(server.reflector.lastSyncResourceVersion).toBe('11');
    expect(server.store.contents).toEqual(['ns/a@11']);
    await server.clock.advance(1000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 11']);
    expect(server.store.contents).toEqual(['ns/a@12', 'ns/b@13']);
    expect(server.reported('store-failed')).toHaveLength(1);
    await server.stop(running);
  });

  it('comes with a list if the new watch does not help', async () => {
    const server = watching();
    server.lists.push(list('12', [pod('a', '12')]));
    server.answers.push([added('a', '11')], [added('a', '11')], []);
    for (let i = 0; i < 2; i++) server.store.failures.push({ call: 'add', error: new Error('no room') });
    const running = server.run();
    await server.clock.advance(5000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10', 'list 10 -', 'watch 12']);
    expect(server.store.contents).toEqual(['ns/a@12']);
    await server.stop(running);
  });

  it('is never a storm', async () => {
    const server = watching();
    server.answers.push([added('a', '11')]);
    for (let i = 0; i < 1000; i++) server.store.failures.push({ call: 'add', error: new Error('never') });
    const running = server.run();
    await server.clock.advance(3_600_000);
    expect(server.requests.length).toBeLessThan(200);
    await server.stop(running);
  });
});

/** A source of batches as workers send them: headers and rejections. */
function batches(script: {
  lists: { entries: string[]; rejected?: { key?: string }[]; resourceVersion: string }[];
  watches: WatchEntry<Pod>[][];
  requests: string[];
}): ListerWatcher<Pod> {
  const take = <V>(values: V[]): V => (values.length > 1 ? (values.shift() as V) : (values[0] as V));
  return {
    isWatchListUnsupported: true,
    async *list({ resourceVersion }) {
      script.requests.push(`list ${resourceVersion}`);
      const page = take(script.lists);
      const rejected = page.rejected?.map((item) => ({
        reason: 'undecodable' as const,
        message: 'bad',
        ...item,
      }));
      const entries = page.entries.map((name) => new ObjectEntry(pod(name, page.resourceVersion)));
      yield { type: 'items', entries, ...(rejected && { rejected }) };
      yield { type: 'end', resourceVersion: page.resourceVersion, continue: '' };
    },
    async *watch({ resourceVersion }, signal) {
      script.requests.push(`watch ${resourceVersion}`);
      yield { type: 'open' };
      yield { type: 'events', events: take(script.watches) };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
}

const change = (name: string, rv: string): WatchEntry<Pod> => ({
  type: 'MODIFIED',
  entry: new ObjectEntry(pod(name, rv)),
});
const broken = (rejected: { key?: string; eventType?: string }): WatchEntry<Pod> => ({
  type: 'REJECTED',
  rejected: { reason: 'undecodable', message: 'bad byte at 17', ...rejected },
});

describe('an event that could not be read', () => {
  it('stops the stream before it, and comes again', async () => {
    const requests: string[] = [];
    const listerWatcher = batches({
      requests,
      lists: [{ entries: ['a'], resourceVersion: '10' }],
      watches: [
        [change('a', '11'), broken({}), change('a', '13')],
        [change('b', '12'), change('a', '13')],
      ],
    });
    const server = new ScriptedServer({ listerWatcher });
    const running = server.run();
    await server.clock.drain();
    expect(server.store.contents).toEqual(['ns/a@11']);
    await server.clock.advance(1000);
    expect(requests).toEqual(['list 0', 'watch 10', 'watch 11']);
    expect(server.store.contents).toEqual(['ns/a@13', 'ns/b@12']);
    await server.stop(running);
  });

  it('is listed if it stays unreadable; the store keeps what it has of a poisoned key, and everything else converges', async () => {
    const requests: string[] = [];
    const poison = { key: 'ns/poison', eventType: 'MODIFIED' };
    const listerWatcher = batches({
      requests,
      lists: [
        { entries: ['a', 'poison'], resourceVersion: '10' },
        { entries: ['a'], rejected: [{ key: 'ns/poison' }], resourceVersion: '12' },
      ],
      watches: [
        [broken(poison)],
        [broken(poison)],
        [broken(poison), change('a', '14'), broken(poison), change('a', '16')],
      ],
    });
    const server = new ScriptedServer({ listerWatcher });
    const running = server.run();
    await server.clock.advance(300_000);
    expect(requests).toEqual(['list 0', 'watch 10', 'watch 10', 'list 10', 'watch 12']);
    expect(server.store.contents).toEqual(['ns/a@16', 'ns/poison@10']);
    await server.stop(running);
  });

  it('is a reason to list if it may be the deletion of a poisoned key', async () => {
    const requests: string[] = [];
    const listerWatcher = batches({
      requests,
      lists: [
        { entries: [], rejected: [{ key: 'ns/poison' }], resourceVersion: '10' },
        { entries: ['a'], resourceVersion: '12' },
      ],
      watches: [[broken({ key: 'ns/poison', eventType: 'DELETED' })], [broken({ key: 'ns/poison' })], []],
    });
    const server = new ScriptedServer({ listerWatcher });
    const running = server.run();
    await server.clock.advance(10_000);
    expect(requests).toEqual(['list 0', 'watch 10', 'watch 10', 'list 10', 'watch 12']);
    expect(server.store.contents).toEqual(['ns/a@12']);
    await server.stop(running);
  });

  it('is readable again when it is: the key is no longer special', async () => {
    const requests: string[] = [];
    const poison = broken({ key: 'ns/poison', eventType: 'MODIFIED' });
    const listerWatcher = batches({
      requests,
      lists: [{ entries: [], rejected: [{ key: 'ns/poison' }], resourceVersion: '10' }],
      watches: [[poison, change('poison', '12'), poison], []],
    });
    const server = new ScriptedServer({ listerWatcher });
    const running = server.run();
    await server.clock.advance(1000);
    expect(requests).toEqual(['list 0', 'watch 10', 'watch 12']);
    expect(server.store.contents).toEqual(['ns/poison@12']);
    await server.stop(running);
  });

  it('in a list and without a key fails the list once; the second time the rest is taken', async () => {
    const requests: string[] = [];
    const listerWatcher = batches({
      requests,
      lists: [{ entries: ['a'], rejected: [{}], resourceVersion: '10' }],
      watches: [[]],
    });
    const server = new ScriptedServer({ listerWatcher });
    const running = server.run();
    await server.clock.drain();
    expect(server.errors).toHaveLength(1);
    expect(server.store.calls).toEqual([]);
    await server.clock.advance(1000);
    expect(requests).toEqual(['list 0', 'list 0', 'watch 10']);
    expect(server.store.contents).toEqual(['ns/a@10']);
    // The hole is not forgotten: when the watch ends by its timeout, a list follows.
    await server.clock.advance(340_000);
    expect(requests.slice(3)).toEqual(['list 10', 'watch 10']);
    await server.stop(running);
  });

  it.each([
    ['has no metadata', { type: 'MODIFIED', object: { apiVersion: 'v1', kind: 'Pod' } }],
    [
      'has no version',
      { type: 'MODIFIED', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } },
    ],
    ['is of an unknown type and has an object', { type: 'RENAMED', object: pod('a', '11') }],
  ])('because it %s is not lost', async (_, event) => {
    const server = watching();
    server.lists.push(list('12', [pod('a', '12')]));
    server.answers.push([event], [event], []);
    const running = server.run();
    await server.clock.advance(5000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10', 'list 10 -', 'watch 12']);
    await server.stop(running);
  });

  it.each([
    ['of an unknown type without an object', { type: 'HEARTBEAT', object: {} }],
    [
      'a bookmark without a version',
      { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Pod', metadata: {} } },
    ],
  ])('and is %s is reported and skipped', async (_, event) => {
    const server = watching();
    server.answers.push([event, added('a', '11')]);
    const running = server.run();
    await server.clock.drain();
    expect(server.store.contents).toEqual(['ns/a@11']);
    expect(server.reported('rejected')).toHaveLength(1);
    await server.stop(running);
  });
});

describe('resource versions', () => {
  it('never go back: repeated and stale events are dropped', async () => {
    const server = watching();
    const running = server.run();
    await server.clock.drain();
    server.watch.send(
      added('a', '20'),
      modified('a', '15'),
      added('a', '20'),
      added('b', '9'),
      bookmark('19'),
    );
    await server.clock.drain();
    expect(server.store.calls).toEqual(['replace @10', 'add ns/a@20']);
    expect(server.reflector.lastSyncResourceVersion).toBe('20');
    expect(server.reported('stale-event')).toHaveLength(4);
    await server.stop(running);
  });

  it('are compared as strings, beyond 2^53', async () => {
    const server = new ScriptedServer();
    server.lists.push(list('9007199254740992'));
    const running = server.run();
    await server.clock.drain();
    server.watch.send(added('a', '9007199254740993'), modified('a', '10000000000000000000000'));
    await server.clock.drain();
    expect(server.reflector.lastSyncResourceVersion).toBe('10000000000000000000000');
    expect(server.store.contents).toEqual(['ns/a@10000000000000000000000']);
    await server.stop(running);
  });

  // etcd#15220
  it('of an event after a bookmark that ruled it out make a new list', async () => {
    const server = watching();
    server.lists.push(list('20', [pod('a', '15')]));
    server.answers.push([bookmark('20'), added('a', '15')], []);
    const running = server.run();
    await server.clock.advance(1000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'list 20 -', 'watch 20']);
    expect(server.store.contents).toEqual(['ns/a@15']);
    expect(server.reported('watch-ended')[0]).toMatchObject({ kind: 'unsound-bookmark', resume: 'relist' });
    await server.stop(running);
  });
});

describe('a version at which lists succeed and watches have expired', () => {
  // Found by the simulation: with a page size, servers answer a relist at exactly its version for as long as etcd has it.
  it('is not asked for a second time', async () => {
    const server = new ScriptedServer({ watchListPageSize: 2 });
    server.lists.push(list('10'), list('10'), list('20'));
    server.answers.push([errorEvent(EXPIRED)], [errorEvent(EXPIRED)], []);
    const running = server.run();
    await server.clock.advance(10_000);
    expect(server.sent).toEqual(['list 0 2', 'watch 10', 'list 10 2', 'watch 10', 'list  2', 'watch 20']);
    await server.stop(running);
  });
});

describe('a watch', () => {
  // Found by the simulation.
  it('that has found an event it cannot take does not forget that over a failing resync', async () => {
    const requests: string[] = [];
    const listerWatcher = batches({
      requests,
      lists: [
        { entries: [], resourceVersion: '10' },
        { entries: ['a'], resourceVersion: '20' },
      ],
      watches: [
        [{ type: 'BOOKMARK', resourceVersion: '20', initialEventsEnd: false }, change('a', '15')],
        [],
      ],
    });
    const server = new ScriptedServer({ listerWatcher, resyncPeriodMs: 1000 });
    server.store.failures.push({ call: 'resync', error: new Error('no') });
    server.store.bookmark = () => {
      server.store.isBehind = true;
    };
    const running = server.run();
    await server.clock.advance(1000);
    server.store.catchUp();
    await server.clock.advance(2000);
    expect(requests).toEqual(['list 0', 'watch 10', 'list 20', 'watch 20']);
    await server.stop(running);
  });

  // Found by the simulation.
  it('is asked for at once even if the store is behind: the server may not have the version for long', async () => {
    const server = watching();
    server.store.isBehind = true;
    const running = server.run();
    await server.clock.drain();
    expect(server.sent).toEqual(['list 0 500', 'watch 10']);
    await server.stop(running);
  });
});
