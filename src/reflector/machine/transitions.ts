/** The transitions that several states of the reflector's machine share: reconnect, back off, end the round. */

import { KubeflectError } from '../../util/errors.js';
import type { Resume } from '../reflector-report.js';
import type { Failure } from '../retry/failure.js';
import { RetryWithDeadline } from '../retry/retry-with-deadline.js';
import type { Position } from '../watch/resource-version-cursor.js';
import type { Effect, MachineConfig, ReflectorState, Step, StreamState } from './reflector-state.js';
import { NO_SILENT_CLOSES } from './silent-close.js';

/** A minute without in-stream 500s opens a new window for them. */
const INTERNAL_ERROR_RESET_MS = 60_000;

/**
 * A batch of events was applied. Field by field: this is the step of every event, and V8 makes a new hidden class for
 * the copy of a copy of an object, unless it is written out.
 */
export function advanced(
  state: ReflectorState,
  events: number,
  position: Position = state.position,
): ReflectorState {
  const { stream } = state;
  return {
    config: state.config,
    warmFrom: state.warmFrom,
    phase: state.phase,
    position,
    isLastSyncResourceVersionUnavailable: state.isLastSyncResourceVersionUnavailable,
    paginatedResult: state.paginatedResult,
    list: state.list,
    stream: {
      resourceVersion: stream.resourceVersion,
      startedAtMs: stream.startedAtMs,
      events: stream.events + events,
      initialEventsAtMs: stream.initialEventsAtMs,
    },
    replacingVersion: state.replacingVersion,
    isListAtRequestedVersion: state.isListAtRequestedVersion,
    internalErrors: state.internalErrors,
    failedWatches: events > 0 ? 0 : state.failedWatches,
    silentCloses: events > 0 ? NO_SILENT_CLOSES : state.silentCloses,
    hasWatched: state.hasWatched,
    unsynced: state.unsynced,
    unreadableAt: state.unreadableAt,
    isListUnreadable: state.isListUnreadable,
    unreadableRetry: state.unreadableRetry,
    watchList: state.watchList,
    resume: state.resume,
  };
}

export function openedStream(resourceVersion: string, nowMs: number): StreamState {
  return { resourceVersion, startedAtMs: nowMs, events: 0, initialEventsAtMs: nowMs };
}

/** Opens at once if the last stream is old enough, else waits: a server that closes every stream is not hammered. */
export function reconnect(
  state: ReflectorState,
  nowMs: number,
  open: (state: ReflectorState, nowMs: number) => Step,
): Step {
  const minDelayMs = state.stream.startedAtMs + state.config.minReconnectIntervalMs - nowMs;
  if (minDelayMs <= 0) return withEffects([{ type: 'close-stream' }], open(state, nowMs));
  return { state, effects: [{ type: 'close-stream' }, { type: 'wait', minDelayMs }] };
}

/** Retries the same request after the backoff for connections, without ending the round. */
export function backOff(state: ReflectorState, failure: Failure): Step {
  const waiting = retryLater(state, 'initConnBackoffManager', failure.retryAfterMs ?? 0);
  return withEffects([reportRetried(failure), { type: 'close-stream' }], waiting);
}

/**
 * A watch that has worked ends a series of failures, however soon the next one follows: else an informer on servers
 * that are restarted in turn would at last wait for up to a minute after each restart. Before a relist, which costs a
 * server more, it must have worked for longer: see `hasRepaidList`.
 */
export function retryLater(
  state: ReflectorState,
  backoff: 'backoffManager' | 'initConnBackoffManager',
  minDelayMs: number,
): Step {
  const wait = { type: 'wait', backoff, minDelayMs } as const;
  return {
    state: { ...state, hasWatched: false },
    effects: [state.hasWatched ? { ...wait, isFirst: true } : wait],
  };
}

export function endRound(
  state: ReflectorState,
  how: Resume,
  failure: Failure,
  error: Error | undefined,
): Step {
  return {
    state: { ...state, phase: 'backoff', resume: { how, minDelayMs: failure.retryAfterMs ?? 0 } },
    effects: [{ type: 'close-stream' }, { type: 'end-round', error }],
  };
}

export function stop(state: ReflectorState): Step {
  return {
    state: { ...state, phase: 'stopped' },
    effects: [{ type: 'close-stream' }, { type: 'end-round', error: undefined }],
  };
}

/** The step with these effects before its own. */
export function withEffects(effects: readonly Effect[], next: Step): Step {
  return { state: next.state, effects: [...effects, ...next.effects] };
}

export function reportEnded(failure: Failure, resume: Resume): Effect {
  const level = failure.kind === 'expired' ? 'debug' : 'warning';
  return {
    type: 'report',
    report: { type: 'watch-ended', level, kind: failure.kind, error: failure.error, resume },
  };
}

export function reportRetried(failure: Failure): Effect {
  return {
    type: 'report',
    report: { type: 'watch-retried', level: 'debug', kind: failure.kind, error: failure.error },
  };
}

export function watchFailed(state: ReflectorState, failure: Failure): Error {
  const message = `failed to watch ${state.config.typeDescription}: ${failure.error.message}`;
  return new KubeflectError('KUBEFLECT_WATCH_FAILED', message, { cause: failure.error });
}

export function newInternalErrorWindow(config: MachineConfig): RetryWithDeadline {
  return new RetryWithDeadline(config.maxInternalErrorRetryDurationMs, INTERNAL_ERROR_RESET_MS);
}
