import type { Clock, Random } from '../../util/clock.js';

/** Says how long to wait before the next attempt. One instance belongs to one reflector: it remembers. */
export interface BackoffManager {
  /** Milliseconds to wait now; each call is one step up. */
  backoff(): number;
}

export interface ExponentialBackoffOptions {
  /** @default 800 */
  readonly initMs?: number;
  /** @default 30_000 */
  readonly maxMs?: number;
  /** A ladder at rest for this long starts from the bottom again. @default 120_000 */
  readonly resetMs?: number;
  /** @default 2 */
  readonly factor?: number;
  /** Each delay is stretched by up to this share of itself. @default 1 */
  readonly jitter?: number;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * client-go's reflector ladder: 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, then 30 s, each stretched by up to its own length, so
 * that the plateau is 30-60 s.
 *
 * It starts anew only after `resetMs` without any back-off, as client-go documents it. client-go 1.36 counts from the
 * last reset instead, which restarts the ladder every two minutes in the middle of an outage.
 */
export class ExponentialBackoffManager implements BackoffManager {
  readonly #initMs: number;
  readonly #maxMs: number;
  readonly #resetMs: number;
  readonly #factor: number;
  readonly #jitter: number;
  readonly #clock: Clock;
  readonly #random: Random;
  /** The base of the next delay; never above `#maxMs`. */
  #nextMs: number;
  #lastBackoffAtMs: number;

  constructor(options: ExponentialBackoffOptions) {
    this.#initMs = options.initMs ?? 800;
    this.#maxMs = options.maxMs ?? 30_000;
    this.#resetMs = options.resetMs ?? 120_000;
    this.#factor = options.factor ?? 2;
    this.#jitter = options.jitter ?? 1;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#nextMs = Math.min(this.#initMs, this.#maxMs);
    this.#lastBackoffAtMs = this.#clock.now();
  }

  backoff(): number {
    const nowMs = this.#clock.now();
    if (nowMs - this.#lastBackoffAtMs > this.#resetMs) this.#nextMs = Math.min(this.#initMs, this.#maxMs);
    const baseMs = this.#nextMs;
    const delayMs = baseMs + this.#random() * this.#jitter * baseMs;
    this.#nextMs = Math.min(baseMs * this.#factor, this.#maxMs);
    // The wait itself is not rest: a ladder at its plateau waits up to a minute at a time.
    this.#lastBackoffAtMs = nowMs + delayMs;
    return delayMs;
  }
}

/** The older reflector's `period`: the same delay after every round, whatever happened. */
export function fixedBackoff(periodMs: number): BackoffManager {
  return { backoff: () => periodMs };
}
