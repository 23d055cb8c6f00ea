/** client-go's rate limiters (util/workqueue). Durations are milliseconds. */

import { exponentialDelayMs } from '../util/backoff.js';
import { type Clock, systemClock } from '../util/clock.js';

/** Decides how long an item waits before it is retried (client-go's TypedRateLimiter). */
export interface RateLimiter<T> {
  /** Milliseconds from now. Each call counts as a failure of the item. */
  when(item: T): number;
  /** Resets the item's failures, because it succeeded or will not be retried. */
  forget(item: T): void;
  /** Failures since the item was last forgotten. */
  numRequeues(item: T): number;
}

/**
 * client-go's default: per item 5 ms, doubling up to 1000 s; over all items ten retries a second, after a burst of a
 * hundred.
 */
export function defaultControllerRateLimiter<T>(clock: Clock = systemClock): RateLimiter<T> {
  return new MaxOfRateLimiter<T>(new ItemExponentialFailureRateLimiter(), new BucketRateLimiter({ clock }));
}

export interface BucketOptions {
  /** Tokens added per second. @default 10 */
  readonly perSecond?: number;
  /** Capacity of the bucket. @default 100 */
  readonly burst?: number;
  readonly clock?: Clock;
}

/** A token bucket shared by all items: a burst passes immediately, later items wait for their token. */
export class BucketRateLimiter<T> implements RateLimiter<T> {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Negative: tokens that are reserved by items that are already waiting. */
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

/** Counts failures per item; subclasses turn the count into a delay. */
abstract class PerItemRateLimiter<T> implements RateLimiter<T> {
  readonly #failures = new Map<T, number>();

  protected abstract delayAfter(failures: number): number;

  when(item: T): number {
    const failures = this.numRequeues(item);
    this.#failures.set(item, failures + 1);
    return this.delayAfter(failures);
  }

  forget(item: T): void {
    this.#failures.delete(item);
  }

  numRequeues(item: T): number {
    return this.#failures.get(item) ?? 0;
  }
}

/** Each failure of an item doubles its delay, up to `maxMs`. */
export class ItemExponentialFailureRateLimiter<T> extends PerItemRateLimiter<T> {
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor(baseMs = 5, maxMs = 1_000_000) {
    super();
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  protected override delayAfter(failures: number): number {
    return exponentialDelayMs(this.#baseMs, failures, this.#maxMs);
  }
}

/** `maxFastAttempts` quick retries per item, then slow ones. */
export class ItemFastSlowRateLimiter<T> extends PerItemRateLimiter<T> {
  readonly #fastMs: number;
  readonly #slowMs: number;
  readonly #maxFastAttempts: number;

  constructor(fastMs: number, slowMs: number, maxFastAttempts: number) {
    super();
    this.#fastMs = fastMs;
    this.#slowMs = slowMs;
    this.#maxFastAttempts = maxFastAttempts;
  }

  protected override delayAfter(failures: number): number {
    return failures < this.#maxFastAttempts ? this.#fastMs : this.#slowMs;
  }
}

/** The longest delay of several limiters, each of which counts every failure. */
export class MaxOfRateLimiter<T> implements RateLimiter<T> {
  readonly #limiters: readonly RateLimiter<T>[];

  constructor(...limiters: readonly RateLimiter<T>[]) {
    this.#limiters = limiters;
  }

  when(item: T): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(item)));
  }

  forget(item: T): void {
    for (const limiter of this.#limiters) limiter.forget(item);
  }

  numRequeues(item: T): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.numRequeues(item)));
  }
}

/** Caps the delays of another limiter at `maxMs`. */
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
