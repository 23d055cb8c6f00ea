import { setImmediate as macrotask } from 'node:timers/promises';
import type { Clock } from '#dist/src/util/clock.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that moves only when told to. */
export class VirtualClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();
  #yields: (() => void)[] = [];
  /** How often somebody gave the event loop its turn. */
  turns = 0;
  /** Called at each turn, before whoever waits for it goes on. */
  onTurn: (() => void) | undefined;
  /** Called after each timer, when everything has run that could. */
  onStep: (() => void) | undefined;
  /** How long it takes to look at the clock: what works in slices then has more than one. */
  creepMs = 0;

  now(): number {
    this.#now += this.creepMs;
    return this.#now;
  }

  /** The time, without taking any. */
  read(): number {
    return this.#now;
  }

  /** Time passes in which nothing runs, as while a process is stopped: what was due meanwhile is late. */
  jump(ms: number): void {
    this.#now += ms;
  }

  schedule(callback: () => void, delayMs: number): { cancel(): void } {
    const timer = { at: this.#now + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  yield(): Promise<void> {
    return new Promise((resolve) => this.#yields.push(resolve));
  }

  /** Timers that wait. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets everything run that can run without time passing, then runs due timers in order, with the same after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.drain();
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await this.drain();
      this.onStep?.();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Runs microtasks and, one turn at a time, whoever yielded, until nobody does. */
  async drain(): Promise<void> {
    do {
      await this.flush();
    } while (this.turn());
  }

  /** Runs microtasks only. */
  async flush(): Promise<void> {
    await macrotask();
  }

  /** One turn of the virtual event loop, for those who yielded before it. False if nobody did. */
  turn(): boolean {
    const waiting = this.#yields;
    if (waiting.length === 0) return false;
    this.#yields = [];
    this.turns++;
    this.onTurn?.();
    for (const resolve of waiting) resolve();
    return true;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) {
        next = timer;
      }
    }
    return next;
  }
}
