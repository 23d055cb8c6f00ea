/**
 * Relisting: from which resource version the collection is listed again, and what its result means for the version.
 *
 *     410 Gone / Expired      the version is too old    ┐ while listing: list once more at '' (most recent)
 *     too large resource ver. the version is too new    ┘ while watching: back off, then relist
 *
 * A version that the server has rejected is marked unavailable; the next list is then at '' (a consistent read), and
 * its result makes a version available again.
 */

import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import type { ReflectorReport } from '../reflector-report.js';
import type { Failure } from '../retry/failure.js';
import { positionOfList } from '../watch/resource-version-cursor.js';
import type { Effect, ReflectorState, Step } from './reflector-state.js';
import { newInternalErrorWindow } from './transitions.js';

/** client-go's default page, and kubectl's. */
const DEFAULT_PAGE_SIZE = 500;
/** How much longer than the last list, and the wait before it, a watch must have worked for the backoff to start anew. */
const WORK_PER_LIST = 4;
/** At most 64 streams, about eight hours, between two attempts to read what could not be read. */
const MAX_UNREADABLE_DOUBLINGS = 6;

export const NO_UNREADABLE_RETRY: ReflectorState['unreadableRetry'] = { lists: 0, reconnectsLeft: 0 };

/** client-go's relistResourceVersion. */
export function relistResourceVersion(state: ReflectorState): string {
  if (state.isLastSyncResourceVersionUnavailable) return '';
  return state.position.synced === '' ? '0' : state.position.synced;
}

/** 0 is no limit. A list at a known version is not paged, so that the server's watch cache can answer it. */
export function relistPageSize(state: ReflectorState, resourceVersion: string): number {
  if (state.config.watchListPageSize !== 0) return state.config.watchListPageSize;
  if (state.paginatedResult) return DEFAULT_PAGE_SIZE;
  return resourceVersion === '' || resourceVersion === '0' ? DEFAULT_PAGE_SIZE : 0;
}

/** 410 Gone or "too large resource version": the server cannot serve this version, but may serve another. */
export function isVersionRejected(failure: Failure): boolean {
  return failure.kind === 'expired' || failure.kind === 'too-large';
}

/** The next list or streaming list asks for the most recent state. */
export function markVersionUnavailable(state: ReflectorState): ReflectorState {
  return { ...state, isLastSyncResourceVersionUnavailable: true };
}

/**
 * A watch from the present version was rejected. If that is also the version that a list was asked for and returned,
 * asking for it once more returns the same: a list with a limit is answered at exactly its version for as long as the
 * storage has it, long after watches from there have expired. client-go loops until the storage is compacted.
 */
export function markVersionSuspect(state: ReflectorState): ReflectorState {
  const isSameVersion = state.isListAtRequestedVersion && state.position.synced === state.replacingVersion;
  return isSameVersion ? markVersionUnavailable(state) : state;
}

/**
 * Asks for a replace of the store, unless the collection is older than what the store has; then `listMostRecent`,
 * unless the list was at the most recent version already: then the server's storage was restored, and the store goes
 * back too.
 */
export function replaceWith(
  state: ReflectorState,
  resourceVersion: string,
  listMostRecent: () => Step,
): Step {
  const from = state.position.synced;
  const requested = state.phase === 'streaming' ? state.stream.resourceVersion : state.list.resourceVersion;
  const isOlder = compareResourceVersion(resourceVersion, from) === -1;
  if (isOlder && requested !== '') return listMostRecent();
  const next = {
    ...state,
    isLastSyncResourceVersionUnavailable: false,
    replacingVersion: resourceVersion,
    isListAtRequestedVersion: resourceVersion === requested,
  };
  const replace: Effect = { type: 'replace', resourceVersion };
  if (!isOlder) return { state: next, effects: [replace] };
  const report: ReflectorReport = { type: 'reset', level: 'warning', from, to: resourceVersion };
  return { state: next, effects: [{ type: 'report', report }, replace] };
}

/** The store holds the collection as of `replacingVersion`: earlier failures no longer matter. */
export function replaced(state: ReflectorState, nowMs: number): ReflectorState {
  const { sinceMs = nowMs } = state.unsynced;
  return {
    ...state,
    unsynced: { sinceMs: undefined, lastedMs: nowMs - sinceMs, endedAtMs: nowMs },
    position: positionOfList(state.replacingVersion),
    internalErrors: newInternalErrorWindow(state.config),
    failedWatches: 0,
    silentCloses: { ...state.silentCloses, closes: 0 },
    unreadableAt: undefined,
  };
}

/** The store waits for a list, if it does not already. */
export function unsyncedSince(state: ReflectorState, nowMs: number): ReflectorState {
  return { ...state, unsynced: { ...state.unsynced, sinceMs: state.unsynced.sinceMs ?? nowMs } };
}

/**
 * Whether the watch has worked for so long that another list costs little: lists and the waits before them then take a
 * fifth of the time at most.
 */
export function hasRepaidList({ unsynced }: ReflectorState, nowMs: number): boolean {
  return nowMs - unsynced.endedAtMs >= WORK_PER_LIST * unsynced.lastedMs;
}

/** After a list with unreadable objects, the number of reconnects before the next list doubles each time. */
export function withUnreadable(state: ReflectorState, unreadable: number): ReflectorState {
  if (unreadable === 0) return { ...state, unreadableRetry: NO_UNREADABLE_RETRY };
  const lists = state.unreadableRetry.lists + 1;
  const reconnectsLeft = 2 ** Math.min(lists - 1, MAX_UNREADABLE_DOUBLINGS);
  return { ...state, unreadableRetry: { lists, reconnectsLeft } };
}
