import { describe, expect, it } from 'vitest';
import { type EarlierEvent, earlierEvent } from '#dist/src/engine/snapshots/earlier-event.js';
import type { WatchChunk, WatchEntry, WatchOptions } from '#dist/src/reflector/lister-watcher.js';
import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { EXPIRED, type Pod, pod, statusError } from '../../support/servers/scripted-server.js';
import { VirtualClock } from '../../support/time/virtual-clock.js';

const NEWEST = new ObjectEntry(pod('b', '10'));
/** The list was at 20. */
const LISTED = '20';

const event =
  (type: 'ADDED' | 'MODIFIED' | 'DELETED') =>
  (name: string, version: string): WatchEntry<Pod> => ({ type, entry: new ObjectEntry(pod(name, version)) });
const added = event('ADDED');
const modified = event('MODIFIED');
const deleted = event('DELETED');
const bookmark = (resourceVersion: string): WatchEntry<Pod> => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd: false,
});

interface Answer {
  readonly events?: readonly WatchEntry<Pod>[];
  readonly error?: Error;
  /** The watch stays open. */
  readonly isHeld?: boolean;
}

async function lookUp({ events = [], error, isHeld }: Answer): Promise<EarlierEvent<Pod>> {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const source = {
    async *watch(options: WatchOptions, signal: AbortSignal): AsyncGenerator<WatchChunk<Pod>> {
      asked.push(options.resourceVersion);
      if (error !== undefined) throw error;
      yield { type: 'open' };
      for (const event of events) yield { type: 'events', events: [event] };
      if (isHeld) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const found = earlierEvent(
    source,
    { newest: NEWEST, resourceVersion: LISTED },
    clock,
    new AbortController().signal,
  );
  await clock.advance(20_000);
  expect(asked).toEqual(['9']);
  expect(clock.pendingTimers).toBe(0);
  return found;
}

describe('the event before a list', () => {
  it('is that of the newest object if a bookmark shows that there was none since', async () => {
    const found = await lookUp({ events: [modified('b', '10'), bookmark('20')] });
    expect(found).toMatchObject({ type: 'Updated', entry: { key: 'ns/b', resourceVersion: '10' } });
  });

  it('may be a deletion, which the list does not show', async () => {
    const found = await lookUp({
      events: [added('b', '10'), modified('c', '12'), deleted('c', '15'), bookmark('14'), bookmark('25')],
    });
    expect(found).toMatchObject({ type: 'Deleted', entry: { key: 'ns/c', resourceVersion: '15' } });
  });

  it.each<[string, Answer]>([
    ['the watch ends before a bookmark', { events: [modified('b', '10')] }],
    ['no bookmark reaches the list', { events: [modified('b', '10'), bookmark('19')] }],
    ['nothing comes', { isHeld: true }],
    ['another event comes first', { events: [modified('a', '11'), bookmark('20')] }],
    ['the newest object has another version', { events: [modified('b', '11'), bookmark('20')] }],
    [
      'an event is newer than the list',
      { events: [modified('b', '10'), modified('a', '21'), bookmark('21')] },
    ],
    [
      'events are out of order',
      { events: [modified('b', '10'), modified('a', '12'), deleted('c', '11'), bookmark('20')] },
    ],
    ['the server refuses', { error: statusError({ code: 403 }) }],
  ])('is not known if %s', async (_, answer) => {
    expect(await lookUp(answer)).toBeUndefined();
  });

  it.each<[string, Answer]>([
    ['an event', { events: [{ type: 'ERROR', status: EXPIRED }] }],
    ['a response', { error: statusError(EXPIRED) }],
  ])('is too old if the server says so with %s', async (_, answer) => {
    expect(await lookUp(answer)).toBe('too-old');
  });
});
