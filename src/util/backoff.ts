import type { Clock, Random } from './clock.js';

/** `baseMs · factor^failures`, at most `maxMs`. The power may grow to Infinity; the limit holds anyway. */
export function exponentialDelayMs(baseMs: number, failures: number, maxMs: number, factor = 2): number {
  // Not 0 times Infinity, which is NaN.
  return baseMs === 0 ? 0 : Math.min(baseMs * factor ** failures, maxMs);
}

/** Computes the delay before the next attempt. An instance belongs to one reflector: it counts the attempts. */
export interface BackoffManager {
  /** Milliseconds to wait now; each call is one more attempt. */
  backoff(): number;
  /** The next delay is the first one again. */
  reset?(): void;
}

export interface ExponentialBackoffOptions {
  /** @default 800 */
  readonly initMs?: number;
  /** @default 30_000 */
  readonly maxMs?: number;
  /** After this long without a backoff, delays start at `initMs` again. @default 120_000 */
  readonly resetMs?: number;
  /** @default 2 */
  readonly factor?: number;
  /** Each delay is extended by up to this share of itself, at random. @default 1 */
  readonly jitter?: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The backoff of client-go's reflector: 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, then 30 s, each with a jitter of up to its own
 * length, so that delays settle between 30 and 60 s.
 *
 * By itself it is reset only after `resetMs` without any backoff, as client-go documents it. client-go 1.36 counts from
 * the last reset instead, which starts again at 0.8 s every two minutes in the middle of an outage.
 */
export class ExponentialBackoffManager implements BackoffManager {
  readonly #initMs: number;
  readonly #maxMs: number;
  readonly #resetMs: number;
  readonly #factor: number;
  readonly #jitter: number;
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #lastBackoffAtMs: number;

  constructor(options: ExponentialBackoffOptions) {
    this.#initMs = options.initMs ?? 800;
    this.#maxMs = options.maxMs ?? 30_000;
    this.#resetMs = options.resetMs ?? 120_000;
    this.#factor = options.factor ?? 2;
    this.#jitter = options.jitter ?? 1;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#lastBackoffAtMs = this.#clock.now();
  }

  backoff(): number {
    const nowMs = this.#clock.now();
    if (nowMs - this.#lastBackoffAtMs > this.#resetMs) this.#failures = 0;
    const baseMs = exponentialDelayMs(this.#initMs, this.#failures++, this.#maxMs, this.#factor);
    const delayMs = baseMs + this.#random() * this.#jitter * baseMs;
    // The delay itself does not count towards the reset: it may last up to a minute.
    this.#lastBackoffAtMs = nowMs + delayMs;
    return delayMs;
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** The older reflector's `period`: the same delay after every round, whatever happened. */
export function fixedBackoff(periodMs: number): BackoffManager {
  return { backoff: () => periodMs };
}
