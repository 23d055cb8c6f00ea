import { describe, expect, it } from 'vitest';
import {
  added,
  bookmark,
  EXPIRED,
  errorEvent,
  list,
  modified,
  pod,
  ScriptedServer,
} from '../support/servers/scripted-server.js';

function watching(options: ConstructorParameters<typeof ScriptedServer>[0] = {}): ScriptedServer {
  const server = new ScriptedServer(options);
  server.lists.push(list('10'));
  return server;
}

describe('Reflector, resource versions', () => {
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
  it('cause a relist if an event is older than a bookmark before it', async () => {
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

describe('Reflector, version at which lists succeed and watches have expired', () => {
  // Found by the simulation: with a page size, servers answer a relist at exactly its version for as long as etcd has it.
  it('is not requested a second time', async () => {
    const server = new ScriptedServer({ watchListPageSize: 2 });
    server.lists.push(list('10'), list('10'), list('20'));
    server.answers.push([errorEvent(EXPIRED)], [errorEvent(EXPIRED)], []);
    const running = server.run();
    await server.clock.advance(10_000);
    expect(server.sent).toEqual(['list 0 2', 'watch 10', 'list 10 2', 'watch 10', 'list  2', 'watch 20']);
    await server.stop(running);
  });
});
