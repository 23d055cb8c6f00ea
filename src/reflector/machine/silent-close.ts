/**
 * Watches that the server closes without an error, without an event, and long before the requested timeout.
 *
 * For one it means nothing: a server that restarts, or a proxy that closes idle connections. Several in a row may mean
 * that the server no longer has the version they start from and does not report it (a watch of Events, which no watch
 * cache serves). A server that waits for the requested timeout, or sends bookmarks, is not suspect.
 *
 *     early close 1 2 3 → list at '' → 1 2 … 6 → list at '' → 1 2 … 12 → …
 *
 * The number doubles because an idle collection behind a proxy with a short timeout looks the same, and its lists find
 * nothing new. An event or a bookmark starts over.
 */

import { closedSilently, type Failure } from '../retry/failure.js';
import type { ReflectorState } from './reflector-state.js';

const MIN_CLOSES = 3;
/** At most 96 watches between two lists. */
const MAX_DOUBLINGS = 5;

export const NO_SILENT_CLOSES: ReflectorState['silentCloses'] = { closes: 0, relists: 0 };

/** After a watch was closed. `failure`, if its version is suspect and the collection must be listed again. */
export function afterClose(
  state: ReflectorState,
  timeoutMs: number,
  nowMs: number,
): { readonly next: ReflectorState; readonly failure?: Failure } {
  const { startedAtMs, events } = state.stream;
  const isEarly = nowMs - startedAtMs < timeoutMs / 2;
  if (events > 0 || !isEarly) return { next: { ...state, silentCloses: NO_SILENT_CLOSES } };
  const closes = state.silentCloses.closes + 1;
  const { relists } = state.silentCloses;
  if (closes < MIN_CLOSES * 2 ** Math.min(relists, MAX_DOUBLINGS)) {
    return { next: { ...state, silentCloses: { closes, relists } } };
  }
  const next = { ...state, silentCloses: { closes: 0, relists: relists + 1 } };
  return { next, failure: closedSilently(closes) };
}
