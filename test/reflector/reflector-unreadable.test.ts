import { describe, expect, it } from 'vitest';
import type { ListerWatcher, WatchEntry } from '#dist/src/reflector/lister-watcher.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { added, list, modified, type Pod, pod, ScriptedServer } from '../support/servers/scripted-server.js';

function watching(options: ConstructorParameters<typeof ScriptedServer>[0] = {}): ScriptedServer {
  const server = new ScriptedServer(options);
  server.lists.push(list('10'));
  return server;
}

describe('Reflector, event that could not be stored', () => {
  it('is repeated by a new watch', async () => {
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

  it('is read by a list if the new watch does not help', async () => {
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

  it('causes no request storm', async () => {
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

describe('Reflector, event that could not be read', () => {
  it('stops the stream before it, and is repeated', async () => {
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

  it('is listed if it stays unreadable; the store keeps the old state of that key, and everything else converges', async () => {
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

  it('causes a list if it may be the deletion of an unreadable key', async () => {
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

  it('is applied once it is readable again', async () => {
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

  it('fails a list once if it has no key; the second time the rest is accepted', async () => {
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
  ])('is not lost if it %s', async (_, event) => {
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
  ])('is reported and skipped if it is %s', async (_, event) => {
    const server = watching();
    server.answers.push([event, added('a', '11')]);
    const running = server.run();
    await server.clock.drain();
    expect(server.store.contents).toEqual(['ns/a@11']);
    expect(server.reported('rejected')).toHaveLength(1);
    await server.stop(running);
  });

  // Found by the simulation.
  it('keeps the failure of an event when a resync fails afterwards', async () => {
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
});
