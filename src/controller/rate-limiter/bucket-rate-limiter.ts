import { type Clock, systemClock } from '../../util/clock.js';
import type { RateLimiter } from './rate-limiter.js';

export interface BucketOptions {
  /** Tokens that come back each second. @default 10 */
  readonly perSecond?: number;
  /** Tokens that a bucket holds. @default 100 */
  readonly burst?: number;
  readonly clock?: Clock;
}

/** A token bucket for all items together: a burst passes at once, what follows waits for its token. */
export class BucketRateLimiter<T> implements RateLimiter<T> {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Below zero: tokens that are promised to somebody already. */
  #tokens: number;
  #filledAtMs: number;

  constructor(options: BucketOptions = {}) {
    this.#msPerToken = 1000 / (options.perSecond ?? 10);
    this.#burst = options.burst ?? 100;
    this.#clock = options.clock ?? systemClock;
    this.#tokens = this.#burst;
    this.#filledAtMs = this.#clock.now();
  }

  when(_item: T): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAtMs) / this.#msPerToken);
    this.#filledAtMs = now;
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : -this.#tokens * this.#msPerToken;
  }

  forget(_item: T): void {}

  numRequeues(_item: T): number {
    return 0;
  }
}
