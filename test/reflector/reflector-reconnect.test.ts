import { describe, expect, it } from 'vitest';
import { ListerWatcherFuncs } from '#dist/src/reflector/lister-watcher-funcs.js';
import { TransportError } from '#dist/src/util/errors.js';
import {
  added,
  EXPIRED,
  errorEvent,
  list,
  type Pod,
  refused,
  ScriptedServer,
  statusError,
  TOO_MANY,
  type WatchResponse,
} from '../support/servers/scripted-server.js';

function watching(options: ConstructorParameters<typeof ScriptedServer>[0] = {}): ScriptedServer {
  const server = new ScriptedServer(options);
  server.lists.push(list('10'));
  return server;
}

const lists = (server: ScriptedServer) => server.sent.filter((sent) => sent.startsWith('list'));

describe('Reflector, delays', () => {
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

describe('Reflector, reconnects', () => {
  it('are a second apart even if each connection has an event', async () => {
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

  it('have a random jitter', async () => {
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

describe('Reflector, rewatch before relist', () => {
  it.each([
    ['a very short watch', (watch: { close(): void }) => watch.close()],
    ['an error of no known class', [errorEvent({ code: 418 })]],
    ['a 500 in the stream', [errorEvent({ code: 500, reason: 'InternalError' })]],
    ['a watch refused with 503', statusError({ code: 503 })],
  ])('rewatches after %s', async (_, answer) => {
    const server = watching();
    server.answers.push(answer, []);
    const running = server.run();
    await server.clock.advance(5000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10']);
    await server.stop(running);
  });

  it('relists after the third failure in a row', async () => {
    const server = watching();
    server.lists.push(list('12'));
    server.answers.push(...Array.from({ length: 3 }, () => [errorEvent({ code: 418 })]), []);
    const running = server.run();
    await server.clock.advance(20_000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10', 'watch 10', 'list 10 -', 'watch 12']);
    await server.stop(running);
  });

  it('relists after the second very short watch that was closed without an error', async () => {
    const server = watching();
    server.lists.push(list('12'));
    const close = (watch: { close(): void }): void => watch.close();
    server.answers.push(close, close, []);
    const running = server.run();
    await server.clock.advance(10_000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10', 'list 10 -', 'watch 12']);
    await server.stop(running);
  });

  it('counts failures anew after an event', async () => {
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

describe('Reflector, watches that are closed early and without an event', () => {
  /** Each watch is closed after this time; the last one stays open. */
  function closing(afterMs: number, watches = Number.POSITIVE_INFINITY): ScriptedServer {
    const server = new ScriptedServer();
    server.lists.push(list('10'));
    server.answers.push((watch) => {
      if (server.watches.length <= watches) server.clock.schedule(() => watch.close(), afterMs);
    });
    return server;
  }
  const lists = (server: ScriptedServer) => server.requests.filter(({ verb }) => verb === 'list');

  it('cause a list of the most recent state within ten seconds', async () => {
    const server = closing(1500, 3);
    const running = server.run();
    await server.clock.advance(10_000);
    expect(server.sent).toEqual(['list 0 500', 'watch 10', 'watch 10', 'watch 10', 'list  500', 'watch 10']);
    expect(server.reported('watch-ended')).toMatchObject([{ kind: 'closed-silently', resume: 'relist' }]);
    await server.stop(running);
  });

  it('cause fewer and fewer lists, because the collection may only be idle', async () => {
    const server = closing(1500);
    const running = server.run();
    await server.clock.advance(3_600_000);
    // 2,300 watches: after 3, 6, 12, 24, 48, and then after every 96.
    expect(lists(server).length).toBeGreaterThan(20);
    expect(lists(server).length).toBeLessThan(31);
    await server.stop(running);
  });

  it('cause no list if the server keeps the requested timeout, for however long the collection is idle', async () => {
    const server = new ScriptedServer();
    server.lists.push(list('10'));
    server.answers.push((watch) => {
      const request = server.requests.at(-1);
      const timeoutSeconds = request?.verb === 'watch' ? request.timeoutSeconds : 0;
      server.clock.schedule(() => watch.close(), timeoutSeconds * 1000);
    });
    const running = server.run();
    await server.clock.advance(24 * 3_600_000);
    expect(lists(server)).toHaveLength(1);
    expect(server.requests.length).toBeLessThanOrEqual(1 + 24 * 12 + 1);
    await server.stop(running);
  });
});

describe('Reflector, an empty collection for an hour', () => {
  it('and then one object: it arrives by the open watch, after one list and a watch every five to ten minutes', async () => {
    const server = new ScriptedServer({ random: Math.random });
    server.lists.push(list('10'));
    server.answers.push((watch) => {
      const request = server.requests.at(-1);
      const timeoutSeconds = request?.verb === 'watch' ? request.timeoutSeconds : 0;
      server.clock.schedule(() => watch.close(), timeoutSeconds * 1000);
    });
    const running = server.run();
    await server.clock.advance(3_600_000);
    server.watch.send(added('a', '11'));
    await server.clock.drain();
    expect(server.reflector.lastSyncResourceVersion).toBe('11');
    const watches = server.requests.filter(({ verb }) => verb === 'watch').length;
    expect(lists(server)).toHaveLength(1);
    expect(watches).toBeGreaterThanOrEqual(6);
    expect(watches).toBeLessThanOrEqual(13);
    await server.stop(running);
  });
});

describe('Reflector, backoff in an outage', () => {
  it('stays at its maximum: fewer than 3 attempts in two minutes, where client-go 1.36 makes 6', async () => {
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

describe('Reflector, backoff after watches that have worked', () => {
  /** After the list, a watch with an event that is cut after this time, then a failure, and so on; and its delays. */
  async function delaysAfter(failure: WatchResponse, cutAfterMs: number): Promise<number[]> {
    const server = watching();
    let version = 10;
    const worked: WatchResponse = (watch) => {
      watch.send(added('a', String(++version)));
      server.clock.schedule(() => watch.fail(new TransportError('ECONNRESET', 'reset')), cutAfterMs);
    };
    server.answers.push(...Array.from({ length: 20 }, () => [worked, failure]).flat(), []);
    const running = server.run();
    await server.clock.advance(3_600_000);
    expect(lists(server)).toHaveLength(1);
    await server.stop(running);
    const times = server.requests
      .filter(({ verb }) => verb === 'watch')
      .map(({ atMs }) => atMs)
      .slice(0, 41);
    return times.flatMap((time, index) =>
      index > 0 && index % 2 === 0 ? [time - (times[index - 1] ?? 0)] : [],
    );
  }

  it.each<[string, WatchResponse]>([
    ['429, as an API server that has just started responds for custom resources', statusError(TOO_MANY)],
    ['a refused connection', refused()],
    ['503', statusError({ code: 503 })],
    ['404', statusError({ code: 404, reason: 'NotFound' })],
  ])('starts anew each time: %s', async (_, failure) => {
    const delays = await delaysAfter(failure, 4000);
    expect(delays).toEqual(Array.from({ length: 20 }, () => 800));
  });

  it('goes on if the watches are cut within a second, event or not', async () => {
    const delays = await delaysAfter(statusError(TOO_MANY), 500);
    expect(delays.slice(0, 8)).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  });

  /** The lists in ten minutes if every watch has an event, and expires after this time. */
  async function listsOfExpiring(expiresAfterMs: number): Promise<number> {
    const server = watching();
    server.lists.push(...Array.from({ length: 400 }, (_, index) => list(String(20 + 10 * index))));
    server.answers.push((watch) => {
      watch.send(added('a', String(Number(server.reflector.lastSyncResourceVersion) + 1)));
      server.clock.schedule(() => watch.send(errorEvent(EXPIRED)), expiresAfterMs);
    });
    const running = server.run();
    await server.clock.advance(600_000);
    await server.stop(running);
    return lists(server).length;
  }

  it('starts anew before a relist if the watch has worked for four times as long as the wait before it', async () => {
    // 5 s and then 0.8 s.
    expect(await listsOfExpiring(5000)).toBe(Math.ceil(600 / 5.8));
  });

  it('goes on before each relist if every watch expires after two seconds', async () => {
    // 63 s for the first six, then every 32 s.
    expect(await listsOfExpiring(2000)).toBeLessThan(25);
  });
});

describe('Reflector, watch', () => {
  // Found by the simulation.
  it('is requested at once even if the store is behind, while the server still has the version', async () => {
    const server = watching();
    server.store.isBehind = true;
    const running = server.run();
    await server.clock.drain();
    expect(server.sent).toEqual(['list 0 500', 'watch 10']);
    await server.stop(running);
  });
});
