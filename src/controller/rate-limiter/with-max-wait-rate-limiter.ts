import type { RateLimiter } from './rate-limiter.js';

/** Another limiter, whose waits are never longer than this. */
export class WithMaxWaitRateLimiter<T> implements RateLimiter<T> {
  readonly #limiter: RateLimiter<T>;
  readonly #maxMs: number;

  constructor(limiter: RateLimiter<T>, maxMs: number) {
    this.#limiter = limiter;
    this.#maxMs = maxMs;
  }

  when(item: T): number {
    return Math.min(this.#limiter.when(item), this.#maxMs);
  }

  forget(item: T): void {
    this.#limiter.forget(item);
  }

  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item);
  }
}
