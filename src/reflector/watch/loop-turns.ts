import type { Clock } from '../../util/clock.js';

/** How long to go on without giving the event loop its turn. */
const SLICE_MS = 5;

/** Keeps a loop that may be fed without ever waiting from occupying the thread. */
export class LoopTurns {
  readonly #clock: Clock;
  #lastTurnAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastTurnAtMs = clock.now();
  }

  get isDue(): boolean {
    return this.#clock.now() - this.#lastTurnAtMs >= SLICE_MS;
  }

  async give(): Promise<void> {
    await this.#clock.yield();
    this.#lastTurnAtMs = this.#clock.now();
  }
}
