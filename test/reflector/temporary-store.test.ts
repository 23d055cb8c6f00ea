import { describe, expect, it } from 'vitest';
import { TemporaryStore } from '#dist/src/reflector/list/temporary-store.js';
import type { WatchEntry } from '#dist/src/reflector/lister-watcher.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { EXPIRED, type Pod, pod } from '../support/servers/scripted-server.js';

const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, rv: string): WatchEntry<Pod> => ({
  type,
  entry: new ObjectEntry(pod(name, rv)),
});
const bookmark = (resourceVersion: string, initialEventsEnd = false): WatchEntry<Pod> => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd,
});

function gathered(...events: WatchEntry<Pod>[]) {
  const store = new TemporaryStore<Pod>(() => {});
  const consumed = events.map((event) => store.consume(event));
  return { store, consumed, contents: Array.from(store.entries, (e) => `${e.name}@${e.resourceVersion}`) };
}

describe('TemporaryStore', () => {
  it('keeps the order of first appearance', () => {
    const { contents, store } = gathered(
      event('ADDED', 'b', '2'),
      event('ADDED', 'a', '9'),
      event('MODIFIED', 'b', '10'),
    );
    expect(contents).toEqual(['b@10', 'a@9']);
    expect(store.size).toBe(2);
  });

  // TestWatchListResourceVersion
  it.each<[string, WatchEntry<Pod>[], string]>([
    ['only ADDED', [event('ADDED', 'a', '5')], ''],
    ['ADDED and the end', [event('ADDED', 'a', '5'), bookmark('8', true)], '8'],
    ['MODIFIED', [event('ADDED', 'a', '5'), event('MODIFIED', 'a', '6')], '6'],
    ['ADDED after MODIFIED', [event('MODIFIED', 'a', '6'), event('ADDED', 'b', '7')], '7'],
    ['a bookmark older than an event', [event('DELETED', 'a', '12'), bookmark('10', true)], '12'],
  ])('has a version after %s', (_, events, resourceVersion) => {
    expect(gathered(...events).store.resourceVersion).toBe(resourceVersion);
  });

  it.each<[is: boolean, name: string, before: WatchEntry<Pod>[], events: WatchEntry<Pod>[]]>([
    [true, 'the first objects', [], [event('ADDED', 'a', '5')]],
    [true, 'objects in the order of keys', [event('ADDED', 'a', '5')], [event('ADDED', 'b', '3')]],
    [false, 'an object created since', [event('ADDED', 'a', '5')], [event('ADDED', 'b', '6')]],
    [
      true,
      'many objects at once, also if they were created in this order',
      [event('ADDED', 'a', '5')],
      Array.from({ length: 64 }, (_, i) => event('ADDED', `b${i}`, String(i + 6))),
    ],
    [false, 'changes', [event('ADDED', 'a', '5')], [event('MODIFIED', 'a', '6'), event('DELETED', 'a', '7')]],
    [false, 'an object after a change', [event('MODIFIED', 'a', '6')], [event('ADDED', 'b', '3')]],
    [false, 'nothing', [event('ADDED', 'a', '5')], []],
  ])('reports %s for initial events: %s', (is, _, before, events) => {
    const { store } = gathered(...before);
    store.takeInitialEvents();
    for (const one of events) store.consume(one);
    expect(store.takeInitialEvents()).toBe(is);
  });

  it('ignores older versions of a key, also after its deletion', () => {
    expect(gathered(event('ADDED', 'a', '5'), event('MODIFIED', 'a', '4')).contents).toEqual(['a@5']);
    expect(
      gathered(event('ADDED', 'a', '5'), event('DELETED', 'a', '7'), event('ADDED', 'a', '5')).contents,
    ).toEqual([]);
    expect(gathered(event('DELETED', 'a', '7'), event('ADDED', 'a', '8')).contents).toEqual(['a@8']);
  });

  it('keeps initial objects that are older than a change before them', () => {
    expect(
      gathered(event('ADDED', 'a', '5'), event('MODIFIED', 'a', '9'), event('ADDED', 'b', '3')).contents,
    ).toEqual(['a@9', 'b@3']);
  });

  it('fails on an ERROR event', () => {
    expect(gathered({ type: 'ERROR', status: EXPIRED }).consumed[0]).toMatchObject({ kind: 'expired' });
  });

  it('records keys that exist and cannot be read', () => {
    const rejected = { reason: 'undecodable' as const, message: 'bad', key: 'ns/a', eventType: 'ADDED' };
    const { store } = gathered({ type: 'REJECTED', rejected });
    expect([...store.unreadableKeys]).toEqual(['ns/a']);
    expect([
      ...gathered({ type: 'REJECTED', rejected }, event('MODIFIED', 'a', '5')).store.unreadableKeys,
    ]).toEqual([]);
  });

  it.each([
    ['without a key', {}],
    ['that may be a deletion', { key: 'ns/a' }],
    ['that is a deletion', { key: 'ns/a', eventType: 'DELETED' }],
  ])('fails on an unreadable event %s', (_, place) => {
    const rejected = { reason: 'undecodable' as const, message: 'bad', ...place };
    expect(gathered({ type: 'REJECTED', rejected }).consumed[0]).toMatchObject({ kind: 'unreadable' });
  });
});
