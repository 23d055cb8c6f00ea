/** The moves that several states of the reflector's machine share. */

import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import { KubeflectError } from '../../util/errors.js';
import type { ReflectorReport, Resume } from '../reflector-report.js';
import type { Failure } from '../retry/failure.js';
import { RetryWithDeadline } from '../retry/retry-with-deadline.js';
import type { Effect, MachineConfig, Position, ReflectorState, Step } from './reflector-state.js';

/** client-go's default page, and kubectl's. */
const DEFAULT_PAGE_SIZE = 500;
/** A minute without in-stream 500s opens a new window for them. */
const INTERNAL_ERROR_RESET_MS = 60_000;
/** At most 64 streams, about eight hours, between two tries to read what could not be read. */
const MAX_HOLES_DOUBLINGS = 6;
export const NO_HOLES: ReflectorState['holes'] = { lists: 0, closesLeft: 0 };

/** client-go's relistResourceVersion. */
export function relistResourceVersion(state: ReflectorState): string {
  if (state.isLastSyncResourceVersionUnavailable) return '';
  return state.position.synced === '' ? '0' : state.position.synced;
}

/** 0 is no limit. A list at a known version is not paged, so that the server's watch cache can answer it. */
export function pageSizeFor(state: ReflectorState, resourceVersion: string): number {
  if (state.config.watchListPageSize !== 0) return state.config.watchListPageSize;
  if (state.paginatedResult) return DEFAULT_PAGE_SIZE;
  return resourceVersion === '' || resourceVersion === '0' ? DEFAULT_PAGE_SIZE : 0;
}

/** Asks for a replace, unless the collection is older than what the store has; then `askAgain`, if there is a better question. */
export function replaceWith(state: ReflectorState, resourceVersion: string, askAgain: () => Step): Step {
  const from = state.position.synced;
  const asked = state.phase === 'streaming' ? state.stream.resourceVersion : state.list.resourceVersion;
  const isBack = compareResourceVersion(resourceVersion, from) === -1;
  if (isBack && asked !== '') return askAgain();
  const next = {
    ...state,
    isLastSyncResourceVersionUnavailable: false,
    replacing: resourceVersion,
    isListUnmoved: resourceVersion === asked,
  };
  const replace: Effect = { type: 'replace', resourceVersion };
  if (!isBack) return { state: next, effects: [replace] };
  const report: ReflectorReport = { type: 'reset', level: 'warning', from, to: resourceVersion };
  return { state: next, effects: [{ type: 'report', report }, replace] };
}

/** The store holds the collection as of `replacing`: whatever went wrong before is over. */
export function synced(state: ReflectorState): ReflectorState {
  return {
    ...state,
    position: { synced: state.replacing, applied: state.replacing },
    internalErrors: freshWindow(state.config),
    failedWatches: 0,
    unreadableAt: undefined,
  };
}

export function advanced(
  state: ReflectorState,
  events: number,
  position: Position = state.position,
): ReflectorState {
  return {
    ...state,
    position,
    stream: { ...state.stream, events: state.stream.events + events },
    failedWatches: events > 0 ? 0 : state.failedWatches,
  };
}

export function unavailable(state: ReflectorState): ReflectorState {
  return { ...state, isLastSyncResourceVersionUnavailable: true };
}

/**
 * A watch from the present version was refused. If that is also the version that a list was asked for and gave back,
 * asking for it once more gives the same: a list with a limit is answered at exactly its version for as long as the
 * storage has it, long after watches from there have expired. client-go goes round until the storage is compacted.
 */
export function doubted(state: ReflectorState): ReflectorState {
  const isStillThere = state.isListUnmoved && state.position.synced === state.replacing;
  return isStillThere ? unavailable(state) : state;
}

export function withHoles(state: ReflectorState, unreadable: number): ReflectorState {
  if (unreadable === 0) return { ...state, holes: NO_HOLES };
  const lists = state.holes.lists + 1;
  return { ...state, holes: { lists, closesLeft: 2 ** Math.min(lists - 1, MAX_HOLES_DOUBLINGS) } };
}

/** Opens at once if the last stream is old enough, else waits: a server that closes every stream is not hammered. */
export function reconnect(
  state: ReflectorState,
  nowMs: number,
  open: (state: ReflectorState, nowMs: number) => Step,
): Step {
  const atLeastMs = state.stream.startedAtMs + state.config.minReconnectIntervalMs - nowMs;
  if (atLeastMs <= 0) return before([{ type: 'close-stream' }], open(state, nowMs));
  return { state, effects: [{ type: 'close-stream' }, { type: 'wait', atLeastMs }] };
}

export function waitOnLadder(state: ReflectorState, failure: Failure): Step {
  const atLeastMs = failure.retryAfterMs ?? 0;
  return {
    state,
    effects: [
      retried(failure),
      { type: 'close-stream' },
      { type: 'wait', ladder: 'initConnBackoffManager', atLeastMs },
    ],
  };
}

export function endRound(
  state: ReflectorState,
  how: Resume,
  failure: Failure,
  error: Error | undefined,
): Step {
  return {
    state: { ...state, phase: 'resting', resume: { how, atLeastMs: failure.retryAfterMs ?? 0 } },
    effects: [{ type: 'close-stream' }, { type: 'end-round', error }],
  };
}

export function endStopped(state: ReflectorState): Step {
  return {
    state: { ...state, phase: 'stopped' },
    effects: [{ type: 'close-stream' }, { type: 'end-round', error: undefined }],
  };
}

export function before(effects: readonly Effect[], next: Step): Step {
  return { state: next.state, effects: [...effects, ...next.effects] };
}

export function ended(failure: Failure, resume: Resume): Effect {
  const level = failure.kind === 'expired' ? 'debug' : 'warning';
  return {
    type: 'report',
    report: { type: 'watch-ended', level, kind: failure.kind, error: failure.error, resume },
  };
}

export function retried(failure: Failure): Effect {
  return {
    type: 'report',
    report: { type: 'watch-retried', level: 'debug', kind: failure.kind, error: failure.error },
  };
}

export function watchFailed(state: ReflectorState, failure: Failure): Error {
  const message = `failed to watch ${state.config.typeDescription}: ${failure.error.message}`;
  return new KubeflectError('KUBEFLECT_WATCH_FAILED', message, { cause: failure.error });
}

export function freshWindow(config: MachineConfig): RetryWithDeadline {
  return new RetryWithDeadline(config.maxInternalErrorRetryDurationMs, INTERNAL_ERROR_RESET_MS);
}
