import { type Clock, systemClock } from './clock.js';

/**
 * Long enough that the cost of a turn of the event loop (about 3 µs) does not show, short enough that a timer or a
 * socket of the user waits no more than a frame.
 */
const SLICE_MS = 5;

/** client-go's batch size. Bounds a slice when the clock is virtual, or coarse. */
const ITEMS_PER_SLICE = 1000;

export interface SliceSchedulerOptions {
  readonly clock?: Clock;
  /** Longest time between two turns of the event loop. @default 5 */
  readonly sliceMs?: number;
  /** Most items between two turns of the event loop. @default 1000 */
  readonly itemsPerSlice?: number;
}

/**
 * Keeps the main thread free: whoever has a lot to do opens a slice, asks it before each item, and renews it when it is used up.
 * One slice is granted per turn of the event loop, in the order of asking, so that a hundred busy handlers
 * together stall a timer no longer than one does. Share one scheduler between all informers of a process.
 */
export class SliceScheduler {
  readonly clock: Clock;
  readonly sliceMs: number;
  readonly itemsPerSlice: number;
  readonly #waiting: (() => void)[] = [];
  #isGranting = false;

  constructor(options: SliceSchedulerOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.sliceMs = options.sliceMs ?? SLICE_MS;
    this.itemsPerSlice = options.itemsPerSlice ?? ITEMS_PER_SLICE;
  }

  /** A slice that is used up already: the first `renew` waits for a turn. */
  open(): Slice {
    return new Slice(this);
  }

  /** Resolves in a turn of the event loop that no other caller gets. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isGranting) {
        this.#isGranting = true;
        void this.#grant();
      }
    });
  }

  async #grant(): Promise<void> {
    // The list is as long as there are busy loops (process loops, listeners): tens, so `shift` is cheap.
    while (this.#waiting.length > 0) {
      await this.clock.yield();
      this.#waiting.shift()?.();
    }
    this.#isGranting = false;
  }
}

export class Slice {
  readonly #scheduler: SliceScheduler;
  #items = 0;
  #endsAt = Number.NEGATIVE_INFINITY;

  constructor(scheduler: SliceScheduler) {
    this.#scheduler = scheduler;
  }

  /** True, and one item is counted, if there is room for another; else `renew` before working on. */
  take(): boolean {
    if (this.#items >= this.#scheduler.itemsPerSlice || this.#scheduler.clock.now() >= this.#endsAt)
      return false;
    this.#items++;
    return true;
  }

  /** Waits for the next turn and counts its first item. */
  async renew(): Promise<void> {
    await this.#scheduler.turn();
    this.#items = 1;
    this.#endsAt = this.#scheduler.clock.now() + this.#scheduler.sliceMs;
  }
}
