import type { Clock } from '../util/clock.js';
import { statusErrorOf } from './status.js';

/** A failure that lasts is reported again after this time. */
const REMINDER_MS = 600_000;
/** More different failures than this are reported again. */
const MAX_FAILURES = 20;

/**
 * Which failures of requests have been reported since one was last accepted: a definition that is missing, or a
 * permission, is one report and not one for each attempt. All attempts are counted in the metrics.
 */
export class RepeatedFailures {
  readonly #clock: Clock;
  readonly #reportedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if the failure was reported lately. Notes it otherwise. */
  isRepeated(error: Error): boolean {
    const id = idOf(error);
    const nowMs = this.#clock.now();
    const reportedAtMs = this.#reportedAtMs.get(id);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < REMINDER_MS) return true;
    if (this.#reportedAtMs.size >= MAX_FAILURES) this.#reportedAtMs.clear();
    this.#reportedAtMs.set(id, nowMs);
    return false;
  }

  /** The server has accepted a request. */
  recovered(): void {
    this.#reportedAtMs.clear();
  }
}

/** A server that has no such collection responds to lists and watches alike. */
function idOf(error: Error): string {
  const status = statusErrorOf(error)?.status;
  return status === undefined ? error.message : `${status.code} ${status.message}`;
}
