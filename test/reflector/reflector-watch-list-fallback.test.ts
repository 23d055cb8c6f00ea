import { describe, expect, it } from 'vitest';
import {
  added,
  bookmark,
  EXPIRED,
  errorEvent,
  INVALID,
  list,
  modified,
  ScriptedServer,
  statusError,
} from '../support/servers/scripted-server.js';

function watching(options: ConstructorParameters<typeof ScriptedServer>[0] = {}): ScriptedServer {
  const server = new ScriptedServer(options);
  server.lists.push(list('10'));
  return server;
}

const lists = (server: ScriptedServer) => server.sent.filter((sent) => sent.startsWith('list'));
const streams = (server: ScriptedServer) => server.sent.filter((sent) => sent.startsWith('stream'));

describe('Reflector, streaming list without its end bookmark', () => {
  it('is abandoned after 20 s of silence', async () => {
    const server = watching({ useWatchList: true });
    server.answers.push([added('a', '1')], []);
    const running = server.run();
    await server.clock.advance(19_999);
    expect(server.sent).toEqual(['stream']);
    await server.clock.advance(2);
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 10']);
    expect(server.watches[0]?.stops).toBe(1);
    await server.stop(running);
  });

  it('is abandoned after 5 minutes of events', async () => {
    const server = watching({ useWatchList: true });
    const running = server.run();
    await server.clock.drain();
    // In the order of keys, not of versions: these are initial events.
    for (let i = 0; i < 32; i++) {
      server.watches[0]?.send(added(`a${i}`, String(100 - i)));
      await server.clock.advance(10_000);
    }
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 10']);
    await server.stop(running);
  });

  it('is abandoned after 20 s of changes, because initial events come before changes', async () => {
    const server = watching({ useWatchList: true });
    const running = server.run();
    await server.clock.drain();
    server.watch.send(added('a', '3'), added('b', '1'));
    for (let i = 0; i < 101; i++) {
      expect(server.sent).toEqual(['stream']);
      await server.clock.advance(200);
      server.watches[0]?.send(modified('a', String(i + 10)));
    }
    await server.clock.drain();
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 10']);
    expect(server.reported('watch-list-fallback')).toMatchObject([{ kind: 'stalled', isRemembered: true }]);
    await server.stop(running);
  });

  it('is abandoned after 20 s in which objects were created one by one', async () => {
    const server = watching({ useWatchList: true });
    const running = server.run();
    await server.clock.drain();
    server.watch.send(added('a', '3'), added('b', '1'));
    for (let i = 0; i < 101; i++) {
      expect(server.sent).toEqual(['stream']);
      await server.clock.advance(200);
      server.watches[0]?.send(added(`c${i}`, String(i + 10)));
    }
    await server.clock.drain();
    expect(server.sent).toEqual(['stream', 'list 0 500', 'watch 10']);
    await server.stop(running);
  });

  it('is abandoned after the third close, and not tried again for half an hour', async () => {
    const server = watching({ useWatchList: true });
    server.answers.push((watch) => {
      watch.send(added('a', '1'));
      watch.close();
    });
    const running = server.listAndWatch();
    await server.clock.advance(10_000);
    expect(streams(server)).toHaveLength(3);
    expect(lists(server)).toEqual(['list 0 500']);
    expect(server.reported('watch-list-fallback')).toMatchObject([{ kind: 'cut', isRemembered: true }]);
    await server.stop(running);
  });

  it('is not abandoned because this thread was busy', async () => {
    const server = watching({ useWatchList: true });
    const running = server.listAndWatch();
    await server.clock.drain();
    // The events have arrived, but the timer that fell due meanwhile is called first.
    server.clock.yield = () => {
      server.watch.send(added('a', '1'), bookmark('5', 'true'));
      return server.clock.flush();
    };
    await server.clock.advance(20_000);
    expect(server.sent).toEqual(['stream']);
    expect(server.reflector.lastSyncResourceVersion).toBe('5');
    await server.stop(running);
  });
});

describe('Reflector, server without streaming lists', () => {
  it('is not tried again on each relist, but after half an hour', async () => {
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
