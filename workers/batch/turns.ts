import { type Clock, systemClock } from '../../src/util/clock.js';

/** Work between two turns of the event loop. Longer would delay heartbeats, stops and credits of the thread's other streams. */
const SLICE_MS = 3;

/**
 * Shares one thread between its streams: whoever has a lot to do asks now and then whether its slice is over, and then
 * waits for its turn. One of those who wait goes on per turn of the event loop, in the order of asking.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #sliceEndMs = 0;
  #isGranting = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#clock.now() >= this.#sliceEndMs;
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isGranting) this.#grantNext();
    });
  }

  #grantNext(): void {
    this.#isGranting = true;
    void this.#clock.yield().then(() => {
      this.#sliceEndMs = this.#clock.now() + SLICE_MS;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#grantNext();
      else this.#isGranting = false;
    });
  }
}
