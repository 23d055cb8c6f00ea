import type { Clock } from '../util/clock.js';
import type { Rejected } from './lister-watcher.js';
import type { FailureKind } from './retry/failure.js';

/** What a reflector does next, after a round of list and watch has ended. */
export type Resume = 'relist' | 'rewatch';

/**
 * A report of a reflector: everything that client-go logs, as data. Whatever is skipped, dropped or retried is
 * reported. Never contains object data.
 */
export type ReflectorReport =
  /** A round ended with an error, and there is no `watchErrorHandler`. */
  | { readonly type: 'error'; readonly level: 'debug' | 'error'; readonly error: Error }
  /** A stream ended with an error that is not passed to the error handler, e.g. expired. */
  | {
      readonly type: 'watch-ended';
      readonly level: 'debug' | 'warning';
      readonly kind: FailureKind;
      readonly error: Error;
      readonly resume: Resume;
    }
  /** The same watch will be requested again, after a delay. */
  | {
      readonly type: 'watch-retried';
      readonly level: 'debug';
      readonly kind: FailureKind;
      readonly error: Error;
    }
  /** An item or event that did not reach the store. */
  | { readonly type: 'rejected'; readonly level: 'error'; readonly rejected: Rejected }
  /** An event or bookmark older than the last one; dropped. */
  | { readonly type: 'stale-event'; readonly level: 'debug'; readonly resourceVersion: string }
  /** The store threw. */
  | { readonly type: 'store-failed'; readonly level: 'error'; readonly error: Error }
  /** The streaming list was abandoned for a paged one; `isRemembered` if it will not be tried for a while. */
  | {
      readonly type: 'watch-list-fallback';
      readonly level: 'debug' | 'warning';
      readonly kind: FailureKind;
      readonly error: Error;
      readonly isRemembered: boolean;
    }
  /** A streaming list is open and silent. `sinceLastEventMs` is undefined if there was no event at all. */
  | {
      readonly type: 'waiting-for-initial-events-end';
      readonly level: 'warning';
      readonly waitedMs: number;
      readonly sinceLastEventMs: number | undefined;
    }
  /** A list was requested, or is being read, and the server has been silent for this long. */
  | { readonly type: 'waiting-for-list'; readonly level: 'warning'; readonly waitedMs: number }
  /** The server's versions went back (its storage was restored): the only case in which the last version decreases. */
  | { readonly type: 'reset'; readonly level: 'warning'; readonly from: string; readonly to: string }
  /** The server did not confirm the collection of an earlier process: it is listed. */
  | {
      readonly type: 'cold-start';
      readonly level: 'warning';
      readonly kind: FailureKind;
      readonly error: Error;
    }
  | {
      readonly type: 'long-list';
      readonly level: 'warning';
      readonly durationMs: number;
      readonly steps: readonly { readonly name: string; readonly atMs: number }[];
    };

/** client-go's threshold. */
const LONG_LIST_MS = 10_000;

/** Records when the steps of a list were done, and reports a list that takes too long (client-go's trace). */
export class ListTrace {
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  readonly #steps: { readonly name: string; readonly atMs: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAtMs = clock.now();
  }

  step(name: string): void {
    this.#steps.push({ name, atMs: this.#clock.now() - this.#startedAtMs });
  }

  reportIfLong(report: (report: ReflectorReport) => void): void {
    const durationMs = this.#clock.now() - this.#startedAtMs;
    if (durationMs < LONG_LIST_MS) return;
    report({ type: 'long-list', level: 'warning', durationMs, steps: this.#steps });
  }
}
