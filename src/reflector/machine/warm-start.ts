/**
 * A warm start: the watch that takes the place of the first list, with what an earlier process stored.
 *
 *                     the last event again
 *     ┌─────────┐  ──────────────────────────▶ replace, then `watching` on the same stream
 *     │ warming │  expired, too large, another event, silence, closed repeatedly, …
 *     └─────────┘  ──────────────────────────▶ cold start: as without a snapshot, and never again
 *       │     ▲
 *       └─────┘    the server was not reached, or refused for now: the same watch again, later
 */

import { closedEarly, type Failure } from '../retry/failure.js';
import type { Input, ReflectorState, Step } from './reflector-state.js';
import { replaced, replaceWith } from './relist.js';
import {
  backOff,
  endRound,
  openedStream,
  reconnect,
  reportRetried,
  watchFailed,
  withEffects,
} from './transitions.js';

/** Streams in a row that close before the event that confirms the collection. */
const CLOSED_LIMIT = 3;

export function openWarmStart(state: ReflectorState, warmFrom: string, nowMs: number): Step {
  return {
    state: { ...state, phase: 'warming', stream: openedStream(warmFrom, nowMs) },
    effects: [{ type: 'watch', resourceVersion: warmFrom, isStreamingList: false, isWarmStart: true }],
  };
}

/** @param begin starts without a snapshot */
export function onWarming(
  state: ReflectorState,
  input: Input,
  begin: (state: ReflectorState, nowMs: number) => Step,
  impossible: (state: ReflectorState, input: Input) => never,
): Step {
  const { nowMs } = input;
  const coldStart = (failure: Failure): Step =>
    withEffects(
      [
        { type: 'report', report: { type: 'cold-start', level: 'warning', ...causeOf(failure) } },
        { type: 'close-stream' },
      ],
      begin(
        { ...state, warmFrom: undefined, watchList: { ...state.watchList, restarts: 0 }, failedWatches: 0 },
        nowMs,
      ),
    );
  const reopen = (next: ReflectorState): Step => openWarmStart(next, next.stream.resourceVersion, nowMs);
  const restart = (failure: Failure): Step => {
    const restarts = state.watchList.restarts + 1;
    if (restarts >= CLOSED_LIMIT) return coldStart(failure);
    return reconnect({ ...state, watchList: { ...state.watchList, restarts } }, nowMs, reopen);
  };
  switch (input.type) {
    case 'progress':
      return { state, effects: [{ type: 'read' }] };
    case 'initial-events-end':
      return replaceWith(state, input.resourceVersion, () => coldStart(closedEarly()));
    case 'replaced':
      return {
        state: {
          ...replaced(state, nowMs),
          warmFrom: undefined,
          watchList: { ...state.watchList, restarts: 0 },
          phase: 'watching',
          stream: { ...state.stream, startedAtMs: nowMs, events: 0 },
        },
        effects: [{ type: 'read' }],
      };
    case 'replace-failed':
      return coldStart(input.failure);
    case 'closed':
      return restart(closedEarly());
    case 'waited':
      return reopen(state);
    case 'failed':
      return onFailure(state, input.failure, { coldStart, restart, reopen });
    default:
      return impossible(state, input);
  }
}

function onFailure(
  state: ReflectorState,
  failure: Failure,
  {
    coldStart,
    restart,
    reopen,
  }: Readonly<Record<'coldStart' | 'restart', (failure: Failure) => Step>> & {
    readonly reopen: (state: ReflectorState) => Step;
  },
): Step {
  switch (failure.kind) {
    case 'refused':
    case 'too-many-requests':
      return backOff(state, failure);
    case 'unknown-field':
      return withEffects([reportRetried(failure), { type: 'close-stream' }], reopen(state));
    case 'lost':
    case 'unanswered':
    case 'cut':
      return restart(failure);
    case 'unreachable':
    case 'denied':
      return endRound(state, 'relist', failure, watchFailed(state, failure));
    default:
      return coldStart(failure);
  }
}

function causeOf({ kind, error }: Failure): Pick<Failure, 'kind' | 'error'> {
  return { kind, error };
}
