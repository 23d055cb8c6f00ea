import { FailureCounts } from './failure-counts.js';
import type { RateLimiter } from './rate-limiter.js';

/** Each failure of an item doubles its wait, up to a limit. */
export class ItemExponentialFailureRateLimiter<T> implements RateLimiter<T> {
  readonly #baseMs: number;
  readonly #maxMs: number;
  readonly #failures = new FailureCounts<T>();

  constructor(baseMs = 5, maxMs = 1_000_000) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  when(item: T): number {
    // However many failures: the power grows to Infinity, and the limit is less.
    return Math.min(this.#baseMs * 2 ** this.#failures.add(item), this.#maxMs);
  }

  forget(item: T): void {
    this.#failures.forget(item);
  }

  numRequeues(item: T): number {
    return this.#failures.of(item);
  }
}
