import { describe, expect, it } from 'vitest';
import type { WarmStart } from '#dist/src/reflector/list/warm-start.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import {
  added,
  bookmark,
  deleted,
  EXPIRED,
  errorEvent,
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

/** The store of an earlier process: a@5, and b@10, whose event was the last one. */
function warmStart(): WarmStart<Pod> {
  return {
    entries: [new ObjectEntry(pod('a', '5')), new ObjectEntry(pod('b', '10'))],
    size: 2,
    resourceVersion: '9',
    isLastEvent: ({ type, entry }) =>
      type !== 'DELETED' && entry.key === 'ns/b' && entry.resourceVersion === '10',
  };
}

function warm(): ScriptedServer {
  const server = new ScriptedServer({ warmStart: warmStart() });
  server.lists.push(list('20', [pod('a', '15')]));
  return server;
}

const CONFIRMATION_MS = 15_000;

describe('a warm start', () => {
  it('is confirmed by the last event alone', async () => {
    const server = warm();
    server.answers.push([]);
    const running = server.run();
    await server.clock.advance(1000);
    expect(server.store.calls).toEqual([]);
    server.watch.send(modified('b', '10'));
    await server.clock.advance(0);
    expect(server.sent).toEqual(['watch 9']);
    expect([...server.store.entries.keys()]).toEqual(['ns/a', 'ns/b']);
    server.watch.send(modified('a', '11'), deleted('b', '12'));
    await server.clock.advance(0);
    expect([...server.store.entries.keys()]).toEqual(['ns/a']);
    expect(server.reflector.lastSyncResourceVersion).toBe('12');
    expect(server.reported('cold-start')).toEqual([]);
    await server.stop(running);
  });

  it('continues after the last event when the watch ends', async () => {
    const server = warm();
    server.answers.push((watch) => watch.send(modified('b', '10')), []);
    const running = server.run();
    await server.clock.advance(5000);
    server.watch.close();
    await server.clock.advance(5000);
    expect(server.sent).toEqual(['watch 9', 'watch 10']);
    await server.stop(running);
  });

  it.each([
    ['another object at its version', [modified('c', '10')], 'other-history'],
    ['another version of its object', [modified('b', '11')], 'other-history'],
    ['a deletion', [deleted('b', '10')], 'other-history'],
    ['a bookmark', [bookmark('30')], 'other-history'],
    ['an expired version', [errorEvent(EXPIRED)], 'expired'],
    ['silence', [], 'stalled'],
  ] as const)('is a cold start, once, after %s', async (_, events, kind) => {
    const server = warm();
    server.answers.push(events, []);
    const running = server.run();
    await server.clock.advance(CONFIRMATION_MS + 1000);
    expect(server.sent).toEqual(['watch 9', 'list 0 500', 'watch 20']);
    expect(server.reported('cold-start')).toMatchObject([{ kind, level: 'warning' }]);
    expect([...server.store.entries.keys()]).toEqual(['ns/a']);
    await server.stop(running);
  });

  it.each([
    ['410', statusError(EXPIRED), 'expired'],
    ['too large resource version', statusError(TOO_LARGE), 'too-large'],
  ])('is a cold start if the watch is refused with %s', async (_, error, kind) => {
    const server = warm();
    server.answers.push(error, []);
    const running = server.run();
    await server.clock.advance(1000);
    expect(server.sent).toEqual(['watch 9', 'list 0 500', 'watch 20']);
    expect(server.reported('cold-start')).toMatchObject([{ kind }]);
    await server.stop(running);
  });

  it.each([
    ['is not up', refused()],
    ['is busy', statusError(TOO_MANY)],
  ])('is tried again while the server %s', async (_, error) => {
    const server = warm();
    server.answers.push(error, error, error, error, [modified('b', '10')]);
    const running = server.run();
    await server.clock.advance(60_000);
    expect(new Set(server.sent)).toEqual(new Set(['watch 9']));
    expect([...server.store.entries.keys()]).toEqual(['ns/a', 'ns/b']);
    await server.stop(running);
  });

  it('is a cold start if the watch is closed three times before the event', async () => {
    const server = warm();
    server.answers.push(
      (watch) => watch.close(),
      (watch) => watch.close(),
      (watch) => watch.close(),
      [],
    );
    const running = server.run();
    await server.clock.advance(60_000);
    expect(server.sent).toEqual(['watch 9', 'watch 9', 'watch 9', 'list 0 500', 'watch 20']);
    await server.stop(running);
  });

  it('does not count an event of another type', async () => {
    const server = new ScriptedServer({ warmStart: warmStart(), expectedType: 'Pod' });
    const other = {
      type: 'ADDED',
      object: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
    } as const;
    server.answers.push([other, modified('b', '10'), added('c', '11')]);
    const running = server.run();
    await server.clock.advance(0);
    expect([...server.store.entries.keys()]).toEqual(['ns/a', 'ns/b', 'ns/c']);
    await server.stop(running);
  });
});
