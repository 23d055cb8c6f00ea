import { exponentialDelayMs } from '../util/backoff.js';

export interface RestartBackoffOptions {
  /** Before the second start in a row; the first is at once. @default 250 */
  readonly initialMs?: number;
  /** Short enough that a stream that waits for its only thread is not taken for dead meanwhile. @default 10_000 */
  readonly maxMs?: number;
  /** A thread that ran for this long is healthy: the next restart is at once again. @default 60_000 */
  readonly healthyMs?: number;
}

/** How long to wait before a thread is started again: doubling for as long as it keeps failing. One per thread. */
export class RestartBackoff {
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #healthyMs: number;
  #failures = 0;

  constructor(options: RestartBackoffOptions = {}) {
    this.#initialMs = options.initialMs ?? 250;
    this.#maxMs = options.maxMs ?? 10_000;
    this.#healthyMs = options.healthyMs ?? 60_000;
  }

  /** `ranMs`: how long it ran; 0 if it could not start, which is never tried again at once. */
  next(ranMs: number): number {
    if (ranMs >= this.#healthyMs) this.#failures = 0;
    const doublings = ranMs === 0 ? this.#failures : this.#failures - 1;
    this.#failures++;
    return doublings < 0 ? 0 : exponentialDelayMs(this.#initialMs, doublings, this.#maxMs);
  }
}
