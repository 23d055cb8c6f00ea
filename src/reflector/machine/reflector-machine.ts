/**
 * The reflector as a state machine: no I/O, no clock, no randomness. `step` takes what happened and returns what to do.
 *
 *                                  start
 *                                    │ with a snapshot: `warming` first (warm-start.ts), which ends
 *                                    │ in `watching`, or here if the server does not confirm it
 *        streaming list enabled, and │  otherwise
 *        not known to be unsupported │
 *            ┌───────────────────────┴────────────┐
 *            ▼                                    ▼
 *      ┌───────────┐  any other failure,    ┌───────────┐
 *   ┌─▶│ streaming │  no end in time        │  listing  │◀─┐ expired, too large, older than
 *   └──│           │───────────────────────▶│           │──┘ the store: once, at version ''
 *      └───────────┘                        └───────────┘
 *   refused, 429, closed: wait │              │  │ any other failure
 *   expired, too large: at ''  │              │  └──────────────────────────┐
 *                              │ end bookmark │                             │
 *                              │ → replace    │ → replace                   │
 *                              ▼              ▼                             ▼
 *                           ┌────────────────────┐  expired, unsound:  ┌─────────┐
 *   closed, cut, stalled, ┌▶│      watching      │────── relist ──────▶│ backoff │
 *   unanswered, lost, 429,└─│                    │  anything else:     │         │
 *   refused, 500 in window: └────────────────────┘─ rewatch; relist ──▶└─────────┘
 *   wait                              ▲            if it repeats         │     │
 *                                     └────────────── rewatch ───────────┘     │
 *                                                     relist ──▶ as start ◀────┘
 *
 * `stop` leads to `stopped` from every state. A round is the way from `start` to `backoff`: one `listAndWatch` of
 * client-go. The wait in `backoff` is the backoff of client-go's outer loop. What 410 does is in `relist.ts`. After an
 * unknown field, the same request is sent again at once: the lister-watcher now asks for an encoding that has the field.
 */

import { KubeflectError } from '../../util/errors.js';
import type { ReflectorReport } from '../reflector-report.js';
import {
  closedEarly,
  type Failure,
  type FailureKind,
  isCausedByRequest,
  stalled,
  veryShort,
} from '../retry/failure.js';
import type { Input, MachineConfig, ReflectorState, Step } from './reflector-state.js';
import {
  hasRepaidList,
  isVersionRejected,
  markVersionSuspect,
  markVersionUnavailable,
  NO_UNREADABLE_RETRY,
  relistPageSize,
  relistResourceVersion,
  replaced,
  replaceWith,
  unsyncedSince,
  withUnreadable,
} from './relist.js';
import { afterClose, NO_SILENT_CLOSES } from './silent-close.js';
import {
  advanced,
  backOff,
  endRound,
  newInternalErrorWindow,
  openedStream,
  reconnect,
  reportEnded,
  reportRetried,
  retryLater,
  stop,
  watchFailed,
  withEffects,
} from './transitions.js';
import { onWarming as onWarmingWith, openWarmStart } from './warm-start.js';

/** A watch that ends sooner than this, and without an event, has failed. */
const VERY_SHORT_WATCH_MS = 1000;
/** Watches that may fail in a row before the version they start from is suspect and the collection is listed again. */
const REWATCH_LIMIT = 3;
/** The same for very short watches that the server closed without an error, as some do if a version has expired. */
const VERY_SHORT_CLOSE_LIMIT = 2;
/** Streams in a row that close before their end bookmark; after that, the list is paged instead. */
const CLOSED_STREAMS_LIMIT = 3;
/** Streaming lists that may fail in a row; after that, the server counts as not supporting them. */
const WATCH_LIST_FAILURE_LIMIT = 3;

/** A streaming list that ends like this is not repeated for a while. `cut`: several streams in a row. */
const UNSUPPORTED: ReadonlySet<FailureKind> = new Set(['invalid', 'stalled', 'cut']);

/** @param warmFrom where the watch of a warm start begins */
export function initialState(config: MachineConfig, warmFrom?: string): ReflectorState {
  return {
    config,
    warmFrom,
    phase: 'idle',
    position: { synced: '', applied: '' },
    isLastSyncResourceVersionUnavailable: false,
    paginatedResult: false,
    list: { resourceVersion: '', pageSize: 0, isFallback: false },
    stream: openedStream('', 0),
    replacingVersion: '',
    isListAtRequestedVersion: false,
    internalErrors: newInternalErrorWindow(config),
    failedWatches: 0,
    hasWatched: false,
    unsynced: { sinceMs: undefined, lastedMs: 0, endedAtMs: 0 },
    silentCloses: NO_SILENT_CLOSES,
    unreadableAt: undefined,
    isListUnreadable: false,
    unreadableRetry: NO_UNREADABLE_RETRY,
    watchList: { restarts: 0, failures: 0, avoidUntilMs: Number.NEGATIVE_INFINITY },
    resume: { how: 'relist', minDelayMs: 0 },
  };
}

export function step(state: ReflectorState, input: Input): Step {
  if (input.type === 'stop') return stop(state);
  if (input.type === 'start') return begin(unsyncedSince(state, input.nowMs), input.nowMs);
  switch (state.phase) {
    case 'warming':
      return onWarming(state, input);
    case 'streaming':
      return onStreaming(state, input);
    case 'listing':
      return onListing(state, input);
    case 'watching':
      return onWatching(state, input);
    case 'backoff':
      return onBackoff(state, input);
    default:
      return impossible(state, input);
  }
}

function begin(state: ReflectorState, nowMs: number): Step {
  if (state.warmFrom !== undefined) return openWarmStart(state, state.warmFrom, nowMs);
  if (state.config.useWatchList && nowMs >= state.watchList.avoidUntilMs) {
    return openStreamingList({ ...state, watchList: { ...state.watchList, restarts: 0 } }, nowMs);
  }
  return openList(state);
}

function onWarming(state: ReflectorState, input: Input): Step {
  return onWarmingWith(state, input, begin, impossible);
}

// Streaming list

function openStreamingList(state: ReflectorState, nowMs: number): Step {
  const resourceVersion = state.isLastSyncResourceVersionUnavailable ? '' : state.position.synced;
  return {
    state: { ...state, phase: 'streaming', stream: openedStream(resourceVersion, nowMs) },
    effects: [{ type: 'watch', resourceVersion, isStreamingList: true }],
  };
}

function onStreaming(state: ReflectorState, input: Input): Step {
  const { nowMs } = input;
  switch (input.type) {
    case 'progress':
      return onStreamingProgress(state, input, nowMs);
    case 'initial-events-end':
      return replaceWith(withUnreadable(state, input.unreadable), input.resourceVersion, () =>
        openStreamingList(markVersionUnavailable(state), nowMs),
      );
    case 'replaced':
      return {
        state: {
          ...replaced(state, nowMs),
          watchList: { restarts: 0, failures: 0, avoidUntilMs: Number.NEGATIVE_INFINITY },
          phase: 'watching',
          stream: { ...state.stream, startedAtMs: nowMs, events: 0 },
        },
        effects: [{ type: 'read' }],
      };
    case 'replace-failed':
      return fallBackToList(state, input.failure, nowMs);
    case 'closed':
      if (isVeryShort(state, nowMs)) return fallBackToList(state, veryShort(), nowMs);
      return restartStreamingList(state, closedEarly(), nowMs);
    case 'failed':
      return onStreamingFailure(state, input.failure, input.isOpen, nowMs);
    case 'waited':
      return openStreamingList(state, nowMs);
    default:
      return impossible(state, input);
  }
}

/** Changes may come before the end bookmark, but only for a moment: a stream of nothing else is an ordinary watch. */
function onStreamingProgress(
  state: ReflectorState,
  { events, hasInitialEvents = false }: Extract<Input, { type: 'progress' }>,
  nowMs: number,
): Step {
  const { watchListIdleTimeoutMs, watchListTimeoutMs } = state.config;
  const stream = {
    ...state.stream,
    events: state.stream.events + events,
    initialEventsAtMs: hasInitialEvents ? nowMs : state.stream.initialEventsAtMs,
  };
  if (events > 0 && nowMs - stream.initialEventsAtMs > watchListIdleTimeoutMs) {
    const failure = stalled('the streaming list brings changes only, and not its end bookmark');
    return fallBackToList(state, failure, nowMs);
  }
  if (nowMs - stream.startedAtMs > watchListTimeoutMs) {
    return fallBackToList(state, stalled('the streaming list did not end in time'), nowMs);
  }
  return { state: { ...state, stream }, effects: [{ type: 'read' }] };
}

function onStreamingFailure(state: ReflectorState, failure: Failure, isOpen: boolean, nowMs: number): Step {
  switch (failure.kind) {
    case 'refused':
    case 'too-many-requests':
      return backOff(state, failure);
    case 'expired':
    case 'too-large':
      // At '' no other version is left to try.
      if (state.stream.resourceVersion === '')
        return fallBackToList(markVersionUnavailable(state), failure, nowMs);
      return openStreamingList(markVersionUnavailable(state), nowMs);
    case 'unknown-field':
      return withEffects([reportRetried(failure), { type: 'close-stream' }], openStreamingList(state, nowMs));
    case 'lost':
    case 'unanswered':
      return restartStreamingList(state, failure, nowMs);
    case 'cut':
      return isOpen
        ? restartStreamingList(state, failure, nowMs)
        : fallBackToList(state, veryShort(failure.error), nowMs);
    default:
      return fallBackToList(state, failure, nowMs);
  }
}

function restartStreamingList(state: ReflectorState, failure: Failure, nowMs: number): Step {
  const restarts = state.watchList.restarts + 1;
  if (restarts >= CLOSED_STREAMS_LIMIT) return fallBackToList(state, failure, nowMs);
  const next = { ...state, watchList: { ...state.watchList, restarts } };
  return reconnect(next, nowMs, openStreamingList);
}

function fallBackToList(state: ReflectorState, failure: Failure, nowMs: number): Step {
  const failures = state.watchList.failures + (isCausedByRequest(failure) ? 1 : 0);
  const isRemembered = UNSUPPORTED.has(failure.kind) || failures >= WATCH_LIST_FAILURE_LIMIT;
  const avoidUntilMs = isRemembered ? nowMs + state.config.watchListReprobeMs : state.watchList.avoidUntilMs;
  const report: ReflectorReport = {
    type: 'watch-list-fallback',
    level: failure.kind === 'invalid' ? 'debug' : 'warning',
    kind: failure.kind,
    error: failure.error,
    isRemembered,
  };
  const listing = openList({ ...state, watchList: { ...state.watchList, failures, avoidUntilMs } });
  return withEffects([{ type: 'report', report }, { type: 'close-stream' }], listing);
}

// List

function openList(state: ReflectorState): Step {
  const resourceVersion = relistResourceVersion(state);
  return requestList(state, {
    resourceVersion,
    pageSize: relistPageSize(state, resourceVersion),
    isFallback: false,
  });
}

function requestList(state: ReflectorState, list: ReflectorState['list']): Step {
  return {
    state: { ...state, phase: 'listing', list },
    effects: [{ type: 'list', resourceVersion: list.resourceVersion, pageSize: list.pageSize }],
  };
}

function onListing(state: ReflectorState, input: Input): Step {
  switch (input.type) {
    case 'listed': {
      const isListUnreadable = input.unidentified > 0;
      // The list is repeated once: it may have been damaged on the way. The second time, the rest is better than
      // nothing.
      if (isListUnreadable && !state.isListUnreadable) {
        const error = new Error(`${input.unidentified} items could not be read`);
        return failList({ ...state, isListUnreadable }, { kind: 'unreadable', error });
      }
      const isPaginated = state.paginatedResult || (state.list.resourceVersion === '0' && input.isPaginated);
      const listed = {
        ...withUnreadable(state, input.unreadable),
        isListUnreadable,
        paginatedResult: isPaginated,
      };
      return replaceWith(listed, input.resourceVersion, () => listMostRecent(listed));
    }
    case 'list-failed':
      if (isVersionRejected(input.failure) && !state.list.isFallback) return listMostRecent(state);
      return failList(state, input.failure);
    case 'replaced':
      return openWatch(replaced(state, input.nowMs), input.nowMs);
    case 'replace-failed':
      return failList(state, input.failure);
    default:
      return impossible(state, input);
  }
}

/** The second and last attempt, with the page size of the first, as in client-go. */
function listMostRecent(state: ReflectorState): Step {
  return requestList(markVersionUnavailable(state), { ...state.list, resourceVersion: '', isFallback: true });
}

function failList(state: ReflectorState, failure: Failure): Step {
  const message = `failed to list ${state.config.typeDescription}: ${failure.error.message}`;
  const error = new KubeflectError('KUBEFLECT_LIST_FAILED', message, { cause: failure.error });
  return endRound(state, 'relist', failure, error);
}

// Watch

function openWatch(state: ReflectorState, nowMs: number): Step {
  const resourceVersion = state.position.synced;
  return {
    state: { ...state, phase: 'watching', stream: openedStream(resourceVersion, nowMs) },
    effects: [{ type: 'watch', resourceVersion, isStreamingList: false }],
  };
}

function onWatching(state: ReflectorState, input: Input): Step {
  const { nowMs } = input;
  switch (input.type) {
    case 'progress':
      return { state: advanced(state, input.events, input.position), effects: [{ type: 'read' }] };
    case 'closed':
      if (isVeryShort(state, nowMs)) return failVeryShort(state);
      return onWatchClosed(state, input.timeoutMs, nowMs);
    case 'failed': {
      const { failure } = input;
      const internalErrors =
        failure.kind === 'internal' && input.isOpen
          ? state.internalErrors.after(nowMs)
          : state.internalErrors;
      if (!input.isOpen) return onOpenFailure(state, failure, nowMs);
      const hasWatched = state.hasWatched || hasWorked(state, nowMs, failure);
      return onStreamFailure({ ...state, internalErrors, hasWatched }, failure, nowMs);
    }
    case 'waited':
      return openWatch(state, nowMs);
    default:
      return impossible(state, input);
  }
}

function onWatchClosed(state: ReflectorState, timeoutMs: number, nowMs: number): Step {
  const { next, failure } = afterClose(state, timeoutMs, nowMs);
  if (failure === undefined) {
    return reopenWatch({ ...next, hasWatched: next.hasWatched || hasLasted(state, nowMs) }, nowMs);
  }
  return withEffects(
    [{ type: 'short-watch' }, reportEnded(failure, 'relist')],
    endRound(markVersionUnavailable(next), 'relist', failure, undefined),
  );
}

/** The watch could not be opened. As in client-go, all failures but refused and 429 reach the error handler. */
function onOpenFailure(state: ReflectorState, failure: Failure, nowMs: number): Step {
  switch (failure.kind) {
    case 'unknown-field':
      return rewatchAtOnce(state, failure, nowMs);
    case 'lost':
      return withEffects([reportRetried(failure)], reconnect(state, nowMs, openWatch));
    case 'refused':
    case 'too-many-requests':
      return backOff(state, failure);
    case 'cut':
      return failVeryShort(state, failure.error);
    case 'unreachable':
    case 'unanswered':
      return endRound(state, 'rewatch', failure, watchFailed(state, failure));
    case 'expired':
    case 'too-large':
    case 'invalid':
      return endRound(markVersionSuspect(state), 'relist', failure, watchFailed(state, failure));
    default:
      return failWatch(state, failure, watchFailed(state, failure));
  }
}

/** The stream broke. As in client-go, this is reported, but not to the error handler. */
function onStreamFailure(state: ReflectorState, failure: Failure, nowMs: number): Step {
  switch (failure.kind) {
    case 'cut':
      if (isVeryShort(state, nowMs)) return failVeryShort(state, failure.error);
      return withEffects([reportRetried(failure)], reopenWatch(state, nowMs));
    case 'stalled':
    case 'unanswered':
      return withEffects([reportRetried(failure)], reopenWatch(state, nowMs));
    case 'unknown-field':
      return rewatchAtOnce(state, failure, nowMs);
    case 'lost':
      return withEffects([reportRetried(failure)], reconnect(state, nowMs, openWatch));
    case 'too-many-requests':
      return backOff(state, failure);
    case 'internal': {
      const { isRetry, next } = state.internalErrors.shouldRetry(nowMs);
      const internal = { ...state, internalErrors: next };
      if (!isRetry) return failWatch(internal, failure, undefined);
      return withEffects([reportRetried(failure)], reconnect(internal, nowMs, openWatch));
    }
    case 'expired':
    case 'too-large':
    case 'storage-read':
    case 'unsound-bookmark':
      return withEffects(
        [reportEnded(failure, 'relist')],
        endRound(markVersionSuspect(state), 'relist', failure, undefined),
      );
    case 'unreadable':
    case 'store': {
      // The version did not advance past it, so a new watch repeats it; if it fails again, only a list helps.
      const { synced } = state.position;
      const how = state.unreadableAt === synced ? 'relist' : 'rewatch';
      const next = { ...state, unreadableAt: synced };
      return withEffects([reportEnded(failure, how)], endRound(next, how, failure, undefined));
    }
    default:
      return failWatch(state, failure, undefined);
  }
}

/** All that was applied was complete, so the next watch begins after it, and no list is needed. */
function rewatchAtOnce(state: ReflectorState, failure: Failure, nowMs: number): Step {
  return withEffects([reportRetried(failure), { type: 'close-stream' }], openWatch(state, nowMs));
}

/**
 * A list with unreadable objects is repeated when a stream ends anyway: after the first one, then the second, the
 * fourth, so that objects damaged on the way are soon repaired and a permanently unreadable object costs little.
 */
function reopenWatch(state: ReflectorState, nowMs: number): Step {
  const { lists, reconnectsLeft } = state.unreadableRetry;
  if (lists === 0) return reconnect(state, nowMs, openWatch);
  if (reconnectsLeft > 1) {
    return reconnect(
      { ...state, unreadableRetry: { lists, reconnectsLeft: reconnectsLeft - 1 } },
      nowMs,
      openWatch,
    );
  }
  const failure: Failure = { kind: 'unreadable', error: new Error('the last list had unreadable items') };
  return withEffects([reportEnded(failure, 'relist')], endRound(state, 'relist', failure, undefined));
}

function failVeryShort(state: ReflectorState, cause?: Error): Step {
  const limit = cause === undefined ? VERY_SHORT_CLOSE_LIMIT : REWATCH_LIMIT;
  return withEffects([{ type: 'short-watch' }], failWatch(state, veryShort(cause), undefined, limit));
}

function failWatch(
  state: ReflectorState,
  failure: Failure,
  error: Error | undefined,
  limit = REWATCH_LIMIT,
): Step {
  const failedWatches = state.failedWatches + 1;
  const how = failedWatches >= limit ? 'relist' : 'rewatch';
  return withEffects([reportEnded(failure, how)], endRound({ ...state, failedWatches }, how, failure, error));
}

function onBackoff(state: ReflectorState, input: Input): Step {
  switch (input.type) {
    case 'backoff': {
      const { how, minDelayMs } = state.resume;
      if (how === 'rewatch') return retryLater(state, 'backoffManager', minDelayMs);
      const hasWatched = state.hasWatched && hasRepaidList(state, input.nowMs);
      return retryLater(unsyncedSince({ ...state, hasWatched }, input.nowMs), 'backoffManager', minDelayMs);
    }
    case 'waited':
      return state.resume.how === 'rewatch' ? openWatch(state, input.nowMs) : begin(state, input.nowMs);
    default:
      return impossible(state, input);
  }
}

function isVeryShort(state: ReflectorState, nowMs: number): boolean {
  return state.stream.events === 0 && !hasLasted(state, nowMs);
}

function hasLasted(state: ReflectorState, nowMs: number): boolean {
  return nowMs - state.stream.startedAtMs >= VERY_SHORT_WATCH_MS;
}

/** Whether a watch had worked before this failure ended it. */
function hasWorked(state: ReflectorState, nowMs: number, { kind }: Failure): boolean {
  return hasLasted(state, nowMs) && (state.stream.events > 0 || kind === 'cut');
}

function impossible(state: ReflectorState, input: Input): never {
  throw new Error(`'${input.type}' while ${state.phase}: this is a bug in the reflector's driver`);
}
