import type { Clock } from '../../src/util/clock.js';

interface Subscriber {
  readonly callback: () => void;
  /** Subscribed after the last tick, so that less than an interval will have passed at the next one. */
  isNew: boolean;
}

/**
 * Periodic callbacks of one thread: one timer for all with the same interval, so that the thread wakes up once for
 * hundreds of idle watches. A callback is first called when at least one interval has passed, at most two.
 */
export class SharedTimers {
  readonly #clock: Clock;
  readonly #timers = new Map<number, SharedTimer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Cancelling twice does nothing. The timer ends with its last callback. */
  every(intervalMs: number, callback: () => void): { cancel(): void } {
    const timer = this.#timers.get(intervalMs) ?? new SharedTimer(this.#clock, intervalMs);
    this.#timers.set(intervalMs, timer);
    const subscriber = timer.add(callback);
    return {
      cancel: () => {
        timer.remove(subscriber);
        if (timer.isEmpty && this.#timers.get(intervalMs) === timer) this.#timers.delete(intervalMs);
      },
    };
  }
}

class SharedTimer {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #subscribers = new Set<Subscriber>();
  #timer: { cancel(): void };
  #scheduledAtMs: number;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#scheduledAtMs = clock.now();
    this.#timer = this.#schedule();
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  add(callback: () => void): Subscriber {
    const subscriber = { callback, isNew: this.#clock.now() > this.#scheduledAtMs };
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.isEmpty) this.#timer.cancel();
  }

  #schedule(): { cancel(): void } {
    return this.#clock.schedule(() => this.#tick(), this.#intervalMs);
  }

  #tick(): void {
    this.#scheduledAtMs = this.#clock.now();
    this.#timer = this.#schedule();
    for (const subscriber of [...this.#subscribers]) {
      if (!subscriber.isNew && this.#subscribers.has(subscriber)) subscriber.callback();
      subscriber.isNew = false;
    }
  }
}
