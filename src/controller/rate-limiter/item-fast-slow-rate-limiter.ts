import { FailureCounts } from './failure-counts.js';
import type { RateLimiter } from './rate-limiter.js';

/** A few quick tries per item, then slow ones. */
export class ItemFastSlowRateLimiter<T> implements RateLimiter<T> {
  readonly #fastMs: number;
  readonly #slowMs: number;
  readonly #fastTries: number;
  readonly #failures = new FailureCounts<T>();

  constructor(fastMs: number, slowMs: number, fastTries: number) {
    this.#fastMs = fastMs;
    this.#slowMs = slowMs;
    this.#fastTries = fastTries;
  }

  when(item: T): number {
    return this.#failures.add(item) < this.#fastTries ? this.#fastMs : this.#slowMs;
  }

  forget(item: T): void {
    this.#failures.forget(item);
  }

  numRequeues(item: T): number {
    return this.#failures.of(item);
  }
}
