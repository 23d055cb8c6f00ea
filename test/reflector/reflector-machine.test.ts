import { describe, expect, it } from 'vitest';
import { initialState, step } from '#dist/src/reflector/machine/reflector-machine.js';
import type {
  Effect,
  Input,
  MachineConfig,
  ReflectorState,
} from '#dist/src/reflector/machine/reflector-state.js';
import type { FailureKind } from '#dist/src/reflector/retry/failure.js';

const CONFIG: MachineConfig = {
  typeDescription: 'Pod',
  useWatchList: true,
  watchListPageSize: 0,
  maxInternalErrorRetryDurationMs: 0,
  minReconnectIntervalMs: 1000,
  watchListIdleTimeoutMs: 20_000,
  watchListTimeoutMs: 300_000,
  watchListReprobeMs: 1_800_000,
};

type Phase = ReflectorState['phase'];
type Bare = Input extends infer I ? (I extends Input ? Omit<I, 'nowMs'> : never) : never;

function failure(kind: FailureKind, retryAfterMs?: number) {
  return { kind, error: new Error(kind), ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

const failed = (kind: FailureKind, isOpen: boolean): Bare => ({
  type: 'failed',
  failure: failure(kind),
  isOpen,
});
/** Of a watch that was to last five minutes. */
const closed = (): Bare => ({ type: 'closed', timeoutMs: 300_000 });
const listFailed = (kind: FailureKind): Bare => ({ type: 'list-failed', failure: failure(kind) });
const listed = (resourceVersion: string, unidentified = 0): Bare => ({
  type: 'listed',
  resourceVersion,
  isPaginated: false,
  unreadable: unidentified,
  unidentified,
});

function stream(resourceVersion: string, startedAtMs: number, events: number): ReflectorState['stream'] {
  return { resourceVersion, startedAtMs, events, initialEventsAtMs: startedAtMs };
}

/** A state as it is in the middle of things: the store is at 10, the stream was opened at 0. */
function inPhase(phase: Phase, change: Partial<ReflectorState> = {}): ReflectorState {
  const asked = phase === 'streaming' || phase === 'watching' ? '10' : '';
  return {
    ...initialState(CONFIG),
    phase,
    position: { synced: '10', applied: '10' },
    stream: stream(asked, 0, 1),
    list: { resourceVersion: '10', pageSize: 0, isFallback: false },
    replacingVersion: '12',
    ...change,
  };
}

/** Effects as words: `close-stream`, `watch 10`, `stream 10`, `list 10/500`, `wait initConnBackoffManager`, `end-round error`. */
function words(effects: readonly Effect[]): string {
  return effects
    .map((effect) => {
      switch (effect.type) {
        case 'report':
          return effect.report.type;
        case 'list':
          return `list '${effect.resourceVersion}'/${effect.pageSize}`;
        case 'replace':
          return `replace '${effect.resourceVersion}'`;
        case 'watch':
          return `${effect.isStreamingList ? 'stream' : 'watch'} '${effect.resourceVersion}'`;
        case 'wait':
          return `wait ${effect.backoff ?? ''}${effect.isFirst === true ? ' from the first delay' : ''}${effect.minDelayMs === 0 ? '' : ` ≥${effect.minDelayMs}`}`;
        case 'end-round':
          return effect.error === undefined ? 'end-round' : 'end-round with error';
        default:
          return effect.type;
      }
    })
    .join(', ');
}

interface Row {
  readonly name: string;
  readonly from: ReflectorState;
  readonly input: Bare;
  readonly nowMs?: number;
  readonly to: Phase;
  readonly effects: string;
  readonly also?: (state: ReflectorState) => void;
}

const unavailable = (is: boolean) => (state: ReflectorState) =>
  expect(state.isLastSyncResourceVersionUnavailable).toBe(is);
const resumes = (how: string) => (state: ReflectorState) => expect(state.resume.how).toBe(how);
const avoids = (is: boolean) => (state: ReflectorState) =>
  expect(state.watchList.avoidUntilMs > 5000).toBe(is);

/** Rows take place at 5000. */
const relistAfter = (workedMs: number, lastedMs: number): Partial<ReflectorState> => ({
  resume: { how: 'relist', minDelayMs: 0 },
  unsynced: { sinceMs: undefined, lastedMs, endedAtMs: 5000 - workedMs },
});

const plain = { config: { ...CONFIG, useWatchList: false } };
const fresh = (config: MachineConfig = CONFIG) => initialState(config);
const short = { stream: stream('10', 4500, 0) };

const ROWS: Row[] = [
  // start
  {
    name: 'starts with a streaming list',
    from: fresh(),
    input: { type: 'start' },
    to: 'streaming',
    effects: "stream ''",
  },
  {
    name: 'starts with a list at 0 without streaming lists',
    from: fresh(plain.config),
    input: { type: 'start' },
    to: 'listing',
    effects: "list '0'/500",
  },
  {
    name: 'does not try a streaming list while the server is known not to support it',
    from: inPhase('backoff', { watchList: { restarts: 0, failures: 1, avoidUntilMs: 6000 } }),
    input: { type: 'start' },
    to: 'listing',
    effects: "list '10'/0",
  },
  {
    name: 'tries a streaming list again later',
    from: inPhase('backoff', { watchList: { restarts: 0, failures: 1, avoidUntilMs: 5000 } }),
    input: { type: 'start' },
    to: 'streaming',
    effects: "stream '10'",
  },
  {
    name: 'does not request a streaming list at an unavailable version',
    from: inPhase('backoff', { isLastSyncResourceVersionUnavailable: true }),
    input: { type: 'start' },
    to: 'streaming',
    effects: "stream ''",
  },
  {
    name: 'does not list at an unavailable version, and pages that list',
    from: inPhase('backoff', { ...plain, isLastSyncResourceVersionUnavailable: true }),
    input: { type: 'start' },
    to: 'listing',
    effects: "list ''/500",
  },
  {
    name: 'relists at the last version, without pages',
    from: inPhase('backoff', plain),
    input: { type: 'start' },
    to: 'listing',
    effects: "list '10'/0",
  },
  {
    name: 'pages a relist if the server has paged before',
    from: inPhase('backoff', { ...plain, paginatedResult: true }),
    input: { type: 'start' },
    to: 'listing',
    effects: "list '10'/500",
  },
  {
    name: 'uses a configured page size for every list',
    from: inPhase('backoff', { config: { ...plain.config, watchListPageSize: 7 } }),
    input: { type: 'start' },
    to: 'listing',
    effects: "list '10'/7",
  },

  // streaming
  {
    name: 'continues to read',
    from: inPhase('streaming'),
    input: { type: 'progress', events: 3 },
    to: 'streaming',
    effects: 'read',
  },
  {
    name: 'abandons a streaming list that brings changes only',
    from: inPhase('streaming'),
    input: { type: 'progress', events: 3, hasInitialEvents: false },
    nowMs: 20_001,
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list '10'/0",
    also: (state) => expect(state.watchList.avoidUntilMs).toBe(20_001 + 1_800_000),
  },
  {
    name: 'notes when it has received initial events',
    from: inPhase('streaming'),
    input: { type: 'progress', events: 3, hasInitialEvents: true },
    nowMs: 20_001,
    to: 'streaming',
    effects: 'read',
    also: (state) => expect(state.stream.initialEventsAtMs).toBe(20_001),
  },
  {
    name: 'abandons a streaming list whose initial events do not end',
    from: inPhase('streaming'),
    input: { type: 'progress', events: 3, hasInitialEvents: true },
    nowMs: 300_001,
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list '10'/0",
    also: (state) => expect(state.watchList.avoidUntilMs).toBe(300_001 + 1_800_000),
  },
  {
    name: 'replaces the store at the end bookmark',
    from: inPhase('streaming'),
    input: { type: 'initial-events-end', resourceVersion: '12', unreadable: 0 },
    to: 'streaming',
    effects: "replace '12'",
  },
  {
    name: 'does not accept a streaming list that is older than the store',
    from: inPhase('streaming'),
    input: { type: 'initial-events-end', resourceVersion: '9', unreadable: 0 },
    to: 'streaming',
    effects: "stream ''",
    also: unavailable(true),
  },
  {
    name: 'accepts it if it is the most recent state, and reports it',
    from: inPhase('streaming', { stream: stream('', 0, 1) }),
    input: { type: 'initial-events-end', resourceVersion: '9', unreadable: 0 },
    to: 'streaming',
    effects: "reset, replace '9'",
  },
  {
    name: 'continues to read the same stream',
    from: inPhase('streaming', {
      failedWatches: 2,
      watchList: { restarts: 2, failures: 2, avoidUntilMs: 0 },
    }),
    input: { type: 'replaced' },
    to: 'watching',
    effects: 'read',
    also: (state) => {
      expect(state.position).toEqual({ synced: '12', applied: '12' });
      expect(state.failedWatches).toBe(0);
      expect(state.watchList.failures).toBe(0);
      expect(state.stream).toMatchObject({ startedAtMs: 5000, events: 0 });
    },
  },
  {
    name: 'falls back if the store rejects the collection, and closes the stream',
    from: inPhase('streaming'),
    input: { type: 'replace-failed', failure: failure('store') },
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list '10'/0",
  },
  {
    name: 'starts over after a close before the end bookmark',
    from: inPhase('streaming'),
    input: closed(),
    to: 'streaming',
    effects: "close-stream, stream '10'",
  },
  {
    name: 'starts over after a wait if the stream was young',
    from: inPhase('streaming', { stream: stream('10', 4900, 1) }),
    input: closed(),
    to: 'streaming',
    effects: 'close-stream, wait  ≥900',
  },
  {
    name: 'falls back after the third close, and remembers',
    from: inPhase('streaming', { watchList: { restarts: 2, failures: 0, avoidUntilMs: 0 } }),
    input: closed(),
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list '10'/0",
    also: avoids(true),
  },
  {
    name: 'falls back after a very short stream',
    from: inPhase('streaming', short),
    input: closed(),
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list '10'/0",
  },
  {
    name: 'starts over after the wait',
    from: inPhase('streaming'),
    input: { type: 'waited' },
    to: 'streaming',
    effects: "stream '10'",
  },
  ...(['refused', 'too-many-requests'] as const).flatMap((kind) =>
    [false, true].map((isOpen) => ({
      name: `waits in place after ${kind} (open: ${isOpen})`,
      from: inPhase('streaming'),
      input: failed(kind, isOpen),
      to: 'streaming' as const,
      effects: 'watch-retried, close-stream, wait initConnBackoffManager',
    })),
  ),
  ...(['expired', 'too-large'] as const).flatMap((kind) =>
    [false, true].map((isOpen) => ({
      name: `starts over at '' after ${kind} (open: ${isOpen})`,
      from: inPhase('streaming'),
      input: failed(kind, isOpen),
      to: 'streaming' as const,
      effects: "stream ''",
      also: unavailable(true),
    })),
  ),
  {
    name: "falls back if even '' is expired, instead of asking for ever",
    from: inPhase('streaming', { stream: stream('', 0, 0) }),
    input: failed('expired', true),
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list ''/500",
  },
  {
    name: 'starts over after a lost connection',
    from: inPhase('streaming'),
    input: failed('cut', true),
    to: 'streaming',
    effects: "close-stream, stream '10'",
  },
  {
    name: 'falls back after a connection that is lost before the response',
    from: inPhase('streaming'),
    input: failed('cut', false),
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list '10'/0",
  },
  ...(['internal', 'other', 'unreadable', 'unreachable'] as const).map((kind) => ({
    name: `falls back after ${kind}, and will try again`,
    from: inPhase('streaming'),
    input: failed(kind, true),
    to: 'listing' as const,
    effects: "watch-list-fallback, close-stream, list '10'/0",
    also: avoids(false),
  })),
  {
    name: 'remembers the third failure in a row',
    from: inPhase('streaming', { watchList: { restarts: 0, failures: 2, avoidUntilMs: 0 } }),
    input: failed('internal', true),
    to: 'listing',
    effects: "watch-list-fallback, close-stream, list '10'/0",
    also: avoids(true),
  },
  ...(['denied', 'unreachable'] as const).map((kind) => ({
    name: `does not hold ${kind} against streaming lists, however often`,
    from: inPhase('streaming', { watchList: { restarts: 0, failures: 2, avoidUntilMs: 0 } }),
    input: failed(kind, false),
    to: 'listing' as const,
    effects: "watch-list-fallback, close-stream, list '10'/0",
    also: avoids(false),
  })),
  ...(['invalid', 'stalled'] as const).map((kind) => ({
    name: `falls back after ${kind}, and remembers`,
    from: inPhase('streaming'),
    input: failed(kind, false),
    to: 'listing' as const,
    effects: "watch-list-fallback, close-stream, list '10'/0",
    also: avoids(true),
  })),
  ...(['lost', 'unanswered'] as const).flatMap((kind) => [
    ...[true, false].map((isOpen) => ({
      name: `asks for the same stream again when it is ${kind}, ${isOpen ? 'open' : 'before the answer'}`,
      from: inPhase('streaming'),
      input: failed(kind, isOpen),
      to: 'streaming' as const,
      effects: "close-stream, stream '10'",
    })),
    {
      name: `pages once when streams are ${kind} again and again, and does not hold it against the server`,
      from: inPhase('streaming', { watchList: { restarts: 3, failures: 2, avoidUntilMs: 0 } }),
      input: failed(kind, true),
      to: 'listing' as const,
      effects: "watch-list-fallback, close-stream, list '10'/0",
      also: avoids(false),
    },
  ]),

  ...[true, false].map((isOpen) => ({
    name: `asks for the stream again at once after an unknown field, ${isOpen ? 'open' : 'before the answer'}`,
    from: inPhase('streaming', {
      stream: stream('10', 4999, 0),
      watchList: { restarts: 2, failures: 2, avoidUntilMs: 0 },
    }),
    input: failed('unknown-field', isOpen),
    to: 'streaming' as const,
    effects: "watch-retried, close-stream, stream '10'",
    also: (state: ReflectorState) => expect(state.watchList).toMatchObject({ restarts: 2, failures: 2 }),
  })),

  // listing
  {
    name: 'replaces the store',
    from: inPhase('listing'),
    input: listed('12'),
    to: 'listing',
    effects: "replace '12'",
    also: unavailable(false),
  },
  {
    name: 'remembers that the server pages what its watch cache should answer',
    from: inPhase('listing', { list: { resourceVersion: '0', pageSize: 500, isFallback: false } }),
    input: { type: 'listed', resourceVersion: '12', isPaginated: true, unreadable: 0, unidentified: 0 },
    to: 'listing',
    effects: "replace '12'",
    also: (state) => expect(state.paginatedResult).toBe(true),
  },
  {
    name: 'does not remember it after a list at a version',
    from: inPhase('listing'),
    input: { type: 'listed', resourceVersion: '12', isPaginated: true, unreadable: 0, unidentified: 0 },
    to: 'listing',
    effects: "replace '12'",
    also: (state) => expect(state.paginatedResult).toBe(false),
  },
  {
    name: 'does not accept a list that is older than the store',
    from: inPhase('listing'),
    input: listed('9'),
    to: 'listing',
    effects: "list ''/0",
    also: unavailable(true),
  },
  {
    name: 'accepts it if it is the most recent state, and reports it',
    from: inPhase('listing', { list: { resourceVersion: '', pageSize: 500, isFallback: true } }),
    input: listed('9'),
    to: 'listing',
    effects: "reset, replace '9'",
  },
  {
    name: 'repeats a list with unidentified unreadable items, after a backoff',
    from: inPhase('listing'),
    input: listed('12', 2),
    to: 'backoff',
    effects: 'close-stream, end-round with error',
    also: resumes('relist'),
  },
  {
    name: 'accepts such a list the second time',
    from: inPhase('listing', { isListUnreadable: true }),
    input: listed('12', 2),
    to: 'listing',
    effects: "replace '12'",
  },
  ...(['expired', 'too-large'] as const).map((kind) => ({
    name: `lists at '' after ${kind}, at once and with the same page size`,
    from: inPhase('listing'),
    input: listFailed(kind),
    to: 'listing' as const,
    effects: "list ''/0",
    also: unavailable(true),
  })),
  {
    name: 'does so only once',
    from: inPhase('listing', { list: { resourceVersion: '', pageSize: 0, isFallback: true } }),
    input: listFailed('expired'),
    to: 'backoff',
    effects: 'close-stream, end-round with error',
    also: resumes('relist'),
  },
  ...(['other', 'internal', 'refused', 'cut', 'too-many-requests', 'stalled'] as const).map((kind) => ({
    name: `ends the round after ${kind}`,
    from: inPhase('listing'),
    input: listFailed(kind),
    to: 'backoff' as const,
    effects: 'close-stream, end-round with error',
    also: resumes('relist'),
  })),
  {
    name: 'watches from the version of the list',
    from: inPhase('listing', { failedWatches: 2, unreadableAt: '10' }),
    input: { type: 'replaced' },
    to: 'watching',
    effects: "watch '12'",
    also: (state) => {
      expect(state.position).toEqual({ synced: '12', applied: '12' });
      expect(state.failedWatches).toBe(0);
      expect(state.unreadableAt).toBeUndefined();
    },
  },
  {
    name: 'keeps the old version if the store rejects the list',
    from: inPhase('listing'),
    input: { type: 'replace-failed', failure: failure('store') },
    to: 'backoff',
    effects: 'close-stream, end-round with error',
    also: (state) => expect(state.position.synced).toBe('10'),
  },

  // watching
  {
    name: 'continues to read from the version of the store',
    from: inPhase('watching', { failedWatches: 2 }),
    input: { type: 'progress', events: 1, position: { synced: '11', applied: '11' } },
    to: 'watching',
    effects: 'read',
    also: (state) => {
      expect(state.position.synced).toBe('11');
      expect(state.failedWatches).toBe(0);
    },
  },
  {
    name: 'does not count an opened stream as progress',
    from: inPhase('watching', { failedWatches: 2 }),
    input: { type: 'progress', events: 0 },
    to: 'watching',
    effects: 'read',
    also: (state) => expect(state.failedWatches).toBe(2),
  },
  {
    name: 'reopens a stream that was closed',
    from: inPhase('watching'),
    input: closed(),
    to: 'watching',
    effects: "close-stream, watch '10'",
  },
  {
    name: 'waits before reopening a stream that lasted less than the minimum interval',
    from: inPhase('watching', { stream: stream('10', 4900, 1) }),
    input: closed(),
    to: 'watching',
    effects: 'close-stream, wait  ≥900',
  },
  {
    name: 'opens after the wait',
    from: inPhase('watching'),
    input: { type: 'waited' },
    to: 'watching',
    effects: "watch '10'",
  },
  ...(['closed', 'cut'] as const).map((how) => ({
    name: `takes a very short watch for a failure (${how})`,
    from: inPhase('watching', short),
    input: how === 'closed' ? closed() : failed('cut', true),
    to: 'backoff' as const,
    effects: 'short-watch, watch-ended, close-stream, end-round',
    also: resumes('rewatch'),
  })),
  {
    name: 'does not count a second without events as very short, but remembers it',
    from: inPhase('watching', { stream: stream('10', 4000, 0) }),
    input: closed(),
    to: 'watching',
    effects: "close-stream, watch '10'",
    also: (state) => expect(state.silentCloses).toEqual({ closes: 1, relists: 0 }),
  },
  {
    name: "lists at '' after the third early close without an event",
    from: inPhase('watching', { stream: stream('10', 0, 0), silentCloses: { closes: 2, relists: 0 } }),
    input: closed(),
    to: 'backoff',
    effects: 'short-watch, watch-ended, close-stream, end-round',
    also: (state) => {
      expect(state.resume.how).toBe('relist');
      expect(state.isLastSyncResourceVersionUnavailable).toBe(true);
      expect(state.silentCloses).toEqual({ closes: 0, relists: 1 });
    },
  },
  {
    name: 'waits twice as long before the next list because of early closes',
    from: inPhase('watching', { stream: stream('10', 0, 0), silentCloses: { closes: 4, relists: 1 } }),
    input: closed(),
    to: 'watching',
    effects: "close-stream, watch '10'",
    also: (state) => expect(state.silentCloses).toEqual({ closes: 5, relists: 1 }),
  },
  {
    name: 'does not hold the requested timeout against a server',
    from: inPhase('watching', { stream: stream('10', 0, 0), silentCloses: { closes: 2, relists: 1 } }),
    input: closed(),
    nowMs: 300_000,
    to: 'watching',
    effects: "close-stream, watch '10'",
    also: (state) => expect(state.silentCloses).toEqual({ closes: 0, relists: 0 }),
  },
  {
    name: 'does not count an early close after an event or a bookmark',
    from: inPhase('watching', { silentCloses: { closes: 2, relists: 0 } }),
    input: closed(),
    to: 'watching',
    effects: "close-stream, watch '10'",
    also: (state) => expect(state.silentCloses).toEqual({ closes: 0, relists: 0 }),
  },
  ...(['refused', 'too-many-requests'] as const).map((kind) => ({
    name: `waits in place when the watch is refused with ${kind}`,
    from: inPhase('watching'),
    input: failed(kind, false),
    to: 'watching' as const,
    effects: 'watch-retried, close-stream, wait initConnBackoffManager',
  })),
  {
    name: 'backs off without ending the round after a 429 in the stream',
    from: inPhase('watching'),
    input: failed('too-many-requests', true),
    to: 'watching',
    effects: 'watch-retried, close-stream, wait initConnBackoffManager from the first delay',
  },
  ...Object.entries({
    'without an event': stream('10', 0, 0),
    'within a second': stream('10', 4500, 1),
  }).map(([when, young]) => ({
    name: `does not start the backoff anew after a 429 in the stream ${when}`,
    from: inPhase('watching', { stream: young }),
    input: failed('too-many-requests', true),
    to: 'watching' as const,
    effects: 'watch-retried, close-stream, wait initConnBackoffManager',
  })),
  {
    name: 'counts a connection that is lost before the response as a very short watch',
    from: inPhase('watching'),
    input: failed('cut', false),
    to: 'backoff',
    effects: 'short-watch, watch-ended, close-stream, end-round',
    also: resumes('rewatch'),
  },
  ...(['unreachable', 'unanswered'] as const).map((kind) => ({
    name: `does not list because the server is ${kind}, however often`,
    from: inPhase('watching', { failedWatches: 9 }),
    input: failed(kind, false),
    to: 'backoff' as const,
    effects: 'close-stream, end-round with error',
    also: resumes('rewatch'),
  })),
  ...(['expired', 'too-large', 'invalid'] as const).map((kind) => ({
    name: `lists, after the error handler, when the watch is refused with ${kind}`,
    from: inPhase('watching'),
    input: failed(kind, false),
    to: 'backoff' as const,
    effects: 'close-stream, end-round with error',
    also: resumes('relist'),
  })),
  ...(['internal', 'other'] as const).map((kind) => ({
    name: `watches again, after the error handler, when the watch is refused with ${kind}`,
    from: inPhase('watching'),
    input: failed(kind, false),
    to: 'backoff' as const,
    effects: 'watch-ended, close-stream, end-round with error',
    also: resumes('rewatch'),
  })),
  {
    name: 'relists when the third watch in a row failed',
    from: inPhase('watching', { failedWatches: 2 }),
    input: failed('other', false),
    to: 'backoff',
    effects: 'watch-ended, close-stream, end-round with error',
    also: resumes('relist'),
  },
  ...(['cut', 'stalled', 'unanswered'] as const).map((kind) => ({
    name: `reopens after ${kind}`,
    from: inPhase('watching'),
    input: failed(kind, true),
    to: 'watching' as const,
    effects: "watch-retried, close-stream, watch '10'",
  })),
  ...[true, false].map((isOpen) => ({
    name: `never lists because a worker is lost, ${isOpen ? 'open' : 'before the answer'}`,
    from: inPhase('watching', { failedWatches: 2, unreadableRetry: { lists: 1, reconnectsLeft: 1 } }),
    input: failed('lost', isOpen),
    to: 'watching' as const,
    effects: "watch-retried, close-stream, watch '10'",
    also: (state: ReflectorState) => expect(state.failedWatches).toBe(2),
  })),
  ...[true, false].map((isOpen) => ({
    name: `watches at once, and never lists, after an unknown field, ${isOpen ? 'open' : 'before the answer'}`,
    from: inPhase('watching', {
      stream: stream('10', 4999, 0),
      failedWatches: 2,
      unreadableRetry: { lists: 1, reconnectsLeft: 1 },
    }),
    input: failed('unknown-field', isOpen),
    to: 'watching' as const,
    effects: "watch-retried, close-stream, watch '10'",
    also: (state: ReflectorState) => expect(state.failedWatches).toBe(2),
  })),
  ...(['expired', 'too-large', 'storage-read', 'unsound-bookmark'] as const).map((kind) => ({
    name: `lists, without the error handler, after ${kind} in the stream`,
    from: inPhase('watching'),
    input: failed(kind, true),
    to: 'backoff' as const,
    effects: 'watch-ended, close-stream, end-round',
    also: resumes('relist'),
  })),
  ...(['internal', 'other', 'resync'] as const).map((kind) => ({
    name: `watches again after ${kind} in the stream`,
    from: inPhase('watching'),
    input: failed(kind, true),
    to: 'backoff' as const,
    effects: 'watch-ended, close-stream, end-round',
    also: resumes('rewatch'),
  })),
  {
    name: 'retries a 500 in the stream without a relist while its window is open',
    from: inPhase('watching', initialStateWindow(1000)),
    input: failed('internal', true),
    to: 'watching',
    effects: "watch-retried, close-stream, watch '10'",
  },
  ...(['unreadable', 'store'] as const).flatMap((kind) => [
    {
      name: `watches again after an event was ${kind}`,
      from: inPhase('watching'),
      input: failed(kind, true),
      to: 'backoff' as const,
      effects: 'watch-ended, close-stream, end-round',
      also: resumes('rewatch'),
    },
    {
      name: `lists if it is ${kind} again at the same place`,
      from: inPhase('watching', { unreadableAt: '10' }),
      input: failed(kind, true),
      to: 'backoff' as const,
      effects: 'watch-ended, close-stream, end-round',
      also: resumes('relist'),
    },
    {
      name: `watches again if the ${kind} one is at another place`,
      from: inPhase('watching', { unreadableAt: '8' }),
      input: failed(kind, true),
      to: 'backoff' as const,
      effects: 'watch-ended, close-stream, end-round',
      also: resumes('rewatch'),
    },
  ]),

  ...[0, 1, 3].map((lists) => ({
    name: `after ${lists} lists in a row with unreadable objects, tries again after ${lists === 0 ? 'no' : 2 ** lists} streams`,
    from: inPhase('listing', { unreadableRetry: { lists, reconnectsLeft: 0 } }),
    input: {
      type: 'listed',
      resourceVersion: '12',
      isPaginated: false,
      unreadable: 1,
      unidentified: 0,
    } as const,
    to: 'listing' as const,
    effects: "replace '12'",
    also: (state: ReflectorState) =>
      expect(state.unreadableRetry).toEqual({ lists: lists + 1, reconnectsLeft: 2 ** lists }),
  })),
  {
    name: 'forgets about unreadable objects after a list that has none',
    from: inPhase('listing', { unreadableRetry: { lists: 3, reconnectsLeft: 4 } }),
    input: listed('12'),
    to: 'listing',
    effects: "replace '12'",
    also: (state) => expect(state.unreadableRetry.lists).toBe(0),
  },
  {
    name: 'reopens a stream after a list with unreadable objects',
    from: inPhase('watching', { unreadableRetry: { lists: 2, reconnectsLeft: 2 } }),
    input: closed(),
    to: 'watching',
    effects: "close-stream, watch '10'",
    also: (state) => expect(state.unreadableRetry.reconnectsLeft).toBe(1),
  },
  {
    name: 'relists when enough streams have ended after a list with unreadable objects',
    from: inPhase('watching', { unreadableRetry: { lists: 2, reconnectsLeft: 1 } }),
    input: closed(),
    to: 'backoff',
    effects: 'watch-ended, close-stream, end-round',
    also: resumes('relist'),
  },

  {
    name: 'marks a version suspect that a list returned unchanged and a watch then rejected',
    from: inPhase('watching', { replacingVersion: '10', isListAtRequestedVersion: true }),
    input: failed('expired', true),
    to: 'backoff',
    effects: 'watch-ended, close-stream, end-round',
    also: unavailable(true),
  },
  {
    name: 'does not mark it suspect if the list returned a newer version',
    from: inPhase('watching', { replacingVersion: '10', isListAtRequestedVersion: false }),
    input: failed('expired', false),
    to: 'backoff',
    effects: 'close-stream, end-round with error',
    also: unavailable(false),
  },
  {
    name: 'does not mark it suspect if the watch had advanced',
    from: inPhase('watching', { replacingVersion: '9', isListAtRequestedVersion: true }),
    input: failed('expired', true),
    to: 'backoff',
    effects: 'watch-ended, close-stream, end-round',
    also: unavailable(false),
  },

  // resting
  {
    name: "waits for the backoff, and at least for the server's Retry-After",
    from: inPhase('backoff', { resume: { how: 'relist', minDelayMs: 7000 } }),
    input: { type: 'backoff' },
    to: 'backoff',
    effects: 'wait backoffManager ≥7000',
  },
  ...(['refused', 'too-many-requests'] as const).map((kind) => ({
    name: `starts the backoff anew when a watch is refused with ${kind} after one that has worked`,
    from: inPhase('watching', { hasWatched: true }),
    input: failed(kind, false),
    to: 'watching' as const,
    effects: 'watch-retried, close-stream, wait initConnBackoffManager from the first delay',
    also: (state: ReflectorState) => expect(state.hasWatched).toBe(false),
  })),
  {
    name: 'starts the backoff anew before it rewatches after a watch that has worked',
    from: inPhase('backoff', { hasWatched: true, resume: { how: 'rewatch', minDelayMs: 0 } }),
    input: { type: 'backoff' },
    to: 'backoff',
    effects: 'wait backoffManager from the first delay',
    also: (state) => expect(state.hasWatched).toBe(false),
  },
  {
    name: 'starts the backoff anew before it relists if the watch has worked for four times as long as the last list took',
    from: inPhase('backoff', { ...relistAfter(4000, 1000), hasWatched: true }),
    input: { type: 'backoff' },
    to: 'backoff',
    effects: 'wait backoffManager from the first delay',
    also: (state) => expect(state.hasWatched).toBe(false),
  },
  ...[
    { when: 'the watch has worked for less', hasWatched: true, ...relistAfter(3999, 1000) },
    { when: 'no watch has worked, however long ago the last list was', ...relistAfter(4000, 1000) },
  ].map(({ when, ...change }) => ({
    name: `does not start the backoff anew before it relists if ${when}`,
    from: inPhase('backoff', change),
    input: { type: 'backoff' } as const,
    to: 'backoff' as const,
    effects: 'wait backoffManager',
    also: (state: ReflectorState) => expect(state.unsynced.sinceMs).toBe(5000),
  })),
  {
    name: 'counts the time without a list from the first of several failures',
    from: inPhase('backoff', {
      resume: { how: 'relist', minDelayMs: 0 },
      unsynced: { sinceMs: 3000, lastedMs: 0, endedAtMs: 0 },
    }),
    input: { type: 'backoff' },
    to: 'backoff',
    effects: 'wait backoffManager',
    also: (state) => expect(state.unsynced.sinceMs).toBe(3000),
  },
  {
    name: 'rewatches',
    from: inPhase('backoff', { resume: { how: 'rewatch', minDelayMs: 0 } }),
    input: { type: 'waited' },
    to: 'watching',
    effects: "watch '10'",
  },
  {
    name: 'relists',
    from: inPhase('backoff', { ...plain, resume: { how: 'relist', minDelayMs: 0 } }),
    input: { type: 'waited' },
    to: 'listing',
    effects: "list '10'/0",
  },

  // stop
  ...(['idle', 'streaming', 'listing', 'watching', 'backoff', 'stopped'] as const).map((phase) => ({
    name: 'stops',
    from: inPhase(phase),
    input: { type: 'stop' } as const,
    to: 'stopped' as const,
    effects: 'close-stream, end-round',
  })),
  {
    name: 'starts again at the last version',
    from: inPhase('stopped', plain),
    input: { type: 'start' },
    to: 'listing',
    effects: "list '10'/0",
  },
];

function initialStateWindow(maxInternalErrorRetryDurationMs: number): Partial<ReflectorState> {
  const config = { ...CONFIG, maxInternalErrorRetryDurationMs };
  return { config, internalErrors: initialState(config).internalErrors };
}

describe('Reflector state machine', () => {
  it.each(ROWS.map((row) => [row.from.phase, row.name, row] as const))('%s: %s', (_, __, row) => {
    const before = structuredClone({ ...row.from, internalErrors: undefined });
    const { state, effects } = step(row.from, { ...row.input, nowMs: row.nowMs ?? 5000 } as Input);
    expect(words(effects)).toBe(row.effects);
    expect(state.phase).toBe(row.to);
    row.also?.(state);
    expect({ ...row.from, internalErrors: undefined }).toEqual(before);
  });

  it('ends every step with exactly one activity', () => {
    for (const row of ROWS) {
      const { effects } = step(row.from, { ...row.input, nowMs: row.nowMs ?? 5000 } as Input);
      const activities = effects.map(
        (effect) => !['report', 'close-stream', 'short-watch'].includes(effect.type),
      );
      expect(activities.filter(Boolean)).toHaveLength(1);
      expect(activities.at(-1)).toBe(true);
    }
  });

  it('throws on an input that does not belong to the state', () => {
    expect(() => step(inPhase('listing'), { type: 'closed', timeoutMs: 300_000, nowMs: 0 })).toThrow(
      /bug in the reflector/,
    );
    expect(() => step(inPhase('idle'), { type: 'waited', nowMs: 0 })).toThrow(/bug in the reflector/);
  });

  it("keeps the server's Retry-After", () => {
    const input: Input = { type: 'list-failed', nowMs: 0, failure: failure('too-many-requests', 9000) };
    expect(step(inPhase('listing'), input).state.resume.minDelayMs).toBe(9000);
    const open: Input = {
      type: 'failed',
      nowMs: 0,
      isOpen: false,
      failure: failure('too-many-requests', 9000),
    };
    expect(words(step(inPhase('watching'), open).effects)).toContain('wait initConnBackoffManager ≥9000');
  });
});
