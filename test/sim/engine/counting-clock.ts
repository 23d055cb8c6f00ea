import type { Clock } from '#dist/src/util/clock.js';

/** Counts the timers of its user that are pending on another clock. */
export class CountingClock implements Clock {
  readonly #clock: Clock;
  readonly #pending = new Set<object>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get pendingTimers(): number {
    return this.#pending.size;
  }

  now(): number {
    return this.#clock.now();
  }

  schedule(callback: () => void, delayMs: number): { cancel(): void } {
    const timer = this.#clock.schedule(() => {
      this.#pending.delete(timer);
      callback();
    }, delayMs);
    this.#pending.add(timer);
    return {
      cancel: () => {
        this.#pending.delete(timer);
        timer.cancel();
      },
    };
  }

  yield(): Promise<void> {
    return this.#clock.yield();
  }
}
