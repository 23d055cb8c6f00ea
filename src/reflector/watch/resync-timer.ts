import type { Clock } from '../../util/clock.js';

/**
 * Calls `onExpire` every `periodMs`, counted from the last list or expiry, while it is not paused. A pause does not
 * restart the period: an expiry during it happens on resuming.
 */
export class ResyncTimer {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #onExpire: () => boolean;
  #dueAtMs: number | undefined;
  #timer: { cancel(): void } | undefined;

  /** `onExpire` returns whether to continue. A period of 0 is never. */
  constructor(clock: Clock, periodMs: number, onExpire: () => boolean) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#onExpire = onExpire;
  }

  /** Restarts the period. */
  reset(): void {
    this.pause();
    this.#dueAtMs = undefined;
  }

  resume(): void {
    if (this.#periodMs <= 0 || this.#timer !== undefined) return;
    const nowMs = this.#clock.now();
    this.#dueAtMs ??= nowMs + this.#periodMs;
    this.#timer = this.#clock.schedule(() => this.#expire(), Math.max(0, this.#dueAtMs - nowMs));
  }

  pause(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #expire(): void {
    this.#timer = undefined;
    this.#dueAtMs = undefined;
    if (this.#onExpire()) this.resume();
  }
}
