import { type Clock, systemClock } from './clock.js';

/**
 * For the main thread. Long enough that the cost of yielding to the event loop (about 3 µs) does not show, short enough
 * that a timer or a socket of the user waits no more than a frame.
 */
const MAIN_THREAD_SLICE_MS = 5;

/** For a worker thread. Longer slices would delay heartbeats, stops and credits of the thread's other streams. */
export const WORKER_SLICE_MS = 3;

/** client-go's batch size. Bounds a slice when the clock is virtual, or coarse. */
const ITEMS_PER_SLICE = 1000;

export interface SliceSchedulerOptions {
  readonly clock?: Clock;
  /** Maximum time between two turns of the event loop. @default 5 */
  readonly sliceMs?: number;
  /** Maximum number of items between two turns of the event loop. @default 1000 */
  readonly itemsPerSlice?: number;
}

/**
 * Keeps a thread responsive: a long-running loop opens a slice, asks it before each item, and renews it when it is used
 * up. One slice is granted per turn of the event loop, first come, first served, so that a hundred busy handlers
 * together delay a timer no longer than one does. Everything that shares a thread should share its scheduler.
 */
export class SliceScheduler {
  readonly clock: Clock;
  readonly sliceMs: number;
  readonly itemsPerSlice: number;
  readonly #waiting: (() => void)[] = [];
  #isGranting = false;

  constructor(options: SliceSchedulerOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.sliceMs = options.sliceMs ?? MAIN_THREAD_SLICE_MS;
    this.itemsPerSlice = options.itemsPerSlice ?? ITEMS_PER_SLICE;
  }

  /** A slice that is used up already: the first `renew` waits for a turn. */
  open(): Slice {
    return new Slice(this, Number.NEGATIVE_INFINITY);
  }

  /** A slice that begins in the caller's turn of the event loop, for loops that mostly wait for their input. */
  openNow(): Slice {
    return new Slice(this, this.clock.now() + this.sliceMs);
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
    // The list is as long as there are busy loops (process loops, listeners, streams): tens, so `shift` is cheap.
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
  #endsAtMs: number;

  constructor(scheduler: SliceScheduler, endsAtMs: number) {
    this.#scheduler = scheduler;
    this.#endsAtMs = endsAtMs;
  }

  /** True, and one item is counted, if the slice is not used up; otherwise call `renew` before continuing. */
  take(): boolean {
    if (this.#items >= this.#scheduler.itemsPerSlice || this.#scheduler.clock.now() >= this.#endsAtMs)
      return false;
    this.#items++;
    return true;
  }

  /** Waits for the next turn and counts its first item. */
  async renew(): Promise<void> {
    await this.#scheduler.turn();
    this.#items = 1;
    this.#endsAtMs = this.#scheduler.clock.now() + this.#scheduler.sliceMs;
  }
}
