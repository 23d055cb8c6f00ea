/** The types of the reflector's state machine: its state, its inputs, its effects. */

import type { ReflectorReport, Resume } from '../reflector-report.js';
import type { Failure } from '../retry/failure.js';
import type { RetryWithDeadline } from '../retry/retry-with-deadline.js';
import type { Position } from '../watch/resource-version-cursor.js';

/** Never changes after construction. */
export interface MachineConfig {
  readonly typeDescription: string;
  readonly useWatchList: boolean;
  readonly watchListPageSize: number;
  readonly maxInternalErrorRetryDurationMs: number;
  readonly minReconnectIntervalMs: number;
  readonly watchListIdleTimeoutMs: number;
  readonly watchListTimeoutMs: number;
  readonly watchListReprobeMs: number;
}

export interface ReflectorState {
  readonly config: MachineConfig;
  /** Where the watch of a warm start begins, until the server has confirmed the collection or it is listed. */
  readonly warmFrom: string | undefined;
  readonly phase: 'idle' | 'warming' | 'streaming' | 'listing' | 'watching' | 'backoff' | 'stopped';
  readonly position: Position;
  readonly isLastSyncResourceVersionUnavailable: boolean;
  readonly paginatedResult: boolean;
  /** The list request under way; the last one otherwise. */
  readonly list: {
    readonly resourceVersion: string;
    readonly pageSize: number;
    readonly isFallback: boolean;
  };
  /** The stream under way; the last one otherwise. */
  readonly stream: StreamState;
  /** The version of the collection that the store is being replaced with. */
  readonly replacingVersion: string;
  /** It is exactly the requested version: the list returned nothing newer. */
  readonly isListAtRequestedVersion: boolean;
  readonly internalErrors: RetryWithDeadline;
  /** Watches in a row that failed without an event, for a reason that has no rule of its own. */
  readonly failedWatches: number;
  /** Since the last backoff, a watch has worked: it was not very short, and brought events or ended without an error. */
  readonly hasWatched: boolean;
  /** Since when the store waits for a list; how long it waited the last time, and when that ended. */
  readonly unsynced: {
    readonly sinceMs: number | undefined;
    readonly lastedMs: number;
    readonly endedAtMs: number;
  };
  /** Watches in a row that were closed early and without an event, and lists in a row because of them. */
  readonly silentCloses: { readonly closes: number; readonly relists: number };
  /** Where an event could not be read or stored, if it was at the present position. */
  readonly unreadableAt: string | undefined;
  /** The last list had items that could not be read and had no key. */
  readonly isListUnreadable: boolean;
  /** Lists in a row with unreadable objects, and how many streams may still reconnect before the next list. */
  readonly unreadableRetry: { readonly lists: number; readonly reconnectsLeft: number };
  readonly watchList: {
    /** Streams of this list that were closed before their end. */
    readonly restarts: number;
    /** Streaming lists in a row that ended in a paged one. */
    readonly failures: number;
    /** Streaming lists are not tried before this time. */
    readonly avoidUntilMs: number;
  };
  /** How to continue after `backoff`. */
  readonly resume: { readonly how: Resume; readonly minDelayMs: number };
}

export interface StreamState {
  readonly resourceVersion: string;
  /** Before the request is sent: some proxies hold the headers back until the first event. */
  readonly startedAtMs: number;
  /** Events accepted, bookmarks included. */
  readonly events: number;
  /** Of a streaming list: when it last brought initial events; its start before that. */
  readonly initialEventsAtMs: number;
}

/** What happened. Times are the driver's clock. */
export type Input = { readonly nowMs: number } & (
  | { readonly type: 'start' }
  | {
      readonly type: 'listed';
      readonly resourceVersion: string;
      readonly isPaginated: boolean;
      /** Items that could not be read, and how many of them have no key. */
      readonly unreadable: number;
      readonly unidentified: number;
    }
  | { readonly type: 'list-failed'; readonly failure: Failure }
  | { readonly type: 'replaced' }
  | { readonly type: 'replace-failed'; readonly failure: Failure }
  /** A batch was read and applied. In a streaming list the position is not the store's yet and is left out. */
  | {
      readonly type: 'progress';
      readonly events: number;
      readonly position?: Position;
      /** Of a streaming list: the batch has initial events, not only changes since. */
      readonly hasInitialEvents?: boolean;
    }
  | { readonly type: 'initial-events-end'; readonly resourceVersion: string; readonly unreadable: number }
  /** `timeoutMs`: after which the server was asked to close it. */
  | { readonly type: 'closed'; readonly timeoutMs: number }
  /** `isOpen`: the stream had been opened before it failed. */
  | { readonly type: 'failed'; readonly failure: Failure; readonly isOpen: boolean }
  | { readonly type: 'waited' }
  | { readonly type: 'backoff' }
  | { readonly type: 'stop' }
);

/** Done at once, in order. */
export type Report = { readonly type: 'report'; readonly report: ReflectorReport };
export type Instant = Report | { readonly type: 'close-stream' } | { readonly type: 'short-watch' };

/** Takes time and ends in the next input. `end-round` returns to the caller. */
export type Activity =
  | { readonly type: 'list'; readonly resourceVersion: string; readonly pageSize: number }
  | { readonly type: 'replace'; readonly resourceVersion: string }
  | {
      readonly type: 'watch';
      readonly resourceVersion: string;
      readonly isStreamingList: boolean;
      /** Its first event has to confirm what an earlier process stored. */
      readonly isWarmStart?: true;
    }
  | { readonly type: 'read' }
  | {
      readonly type: 'wait';
      /** The backoff to advance, if any; the longer of the two delays counts. */
      readonly backoff?: 'backoffManager' | 'initConnBackoffManager';
      /** The failures before have ended: the backoff starts at its first delay. */
      readonly isFirst?: boolean;
      readonly minDelayMs: number;
    }
  | { readonly type: 'end-round'; readonly error: Error | undefined };

export type Effect = Instant | Activity;

/** The last effect is the only activity. */
export interface Step {
  readonly state: ReflectorState;
  readonly effects: readonly Effect[];
}
