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
  /** Maximum time that all loops together use in one turn of the event loop. @default 5 */
  readonly sliceMs?: number;
  /** Maximum number of items that they process in one turn. @default 1000 */
  readonly itemsPerSlice?: number;
}

/**
 * Keeps a thread responsive: a long-running loop opens a slice, asks it before each item, and renews it when the turn
 * of the event loop is used up. All slices of a scheduler share the time of a turn, so that a hundred busy handlers
 * together delay a timer no longer than one does. Everything that shares a thread should share its scheduler
 * (`sliceSchedulerOf`).
 *
 * Work that fits into the time left begins at once. Only a loop that finds the time used up waits for another turn,
 * first come, first served; that turn, and nothing else, starts the time over. So no turn is requested per message, and
 * what several messages of one turn cause is limited as if it were one.
 */
export class SliceScheduler {
  readonly clock: Clock;
  readonly sliceMs: number;
  readonly itemsPerSlice: number;
  readonly #waiting: (() => void)[] = [];
  #isGranting = false;
  /** Since the last turn that was granted. */
  #usedMs = 0;
  #items = 0;

  constructor(options: SliceSchedulerOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.sliceMs = options.sliceMs ?? MAIN_THREAD_SLICE_MS;
    this.itemsPerSlice = options.itemsPerSlice ?? ITEMS_PER_SLICE;
  }

  open(): Slice {
    return new Slice(this);
  }

  /** Counts time that was used. For slices. */
  use(ms: number): void {
    this.#usedMs += ms;
  }

  /** True, and one item is counted, if the turn is not used up. For slices. */
  takeItem(): boolean {
    if (this.#items >= this.itemsPerSlice || this.#usedMs >= this.sliceMs) return false;
    this.#items++;
    return true;
  }

  /** Resolves in another turn of the event loop, in which no other waiting caller resumes. */
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
      this.#usedMs = 0;
      this.#items = 0;
      this.#waiting.shift()?.();
    }
    this.#isGranting = false;
  }
}

const schedulers = new WeakMap<Clock, SliceScheduler>();

/** The scheduler of this thread's main work; a simulation has a clock, and so a scheduler, of its own. */
export function sliceSchedulerOf(clock: Clock): SliceScheduler {
  let scheduler = schedulers.get(clock);
  if (scheduler === undefined) {
    scheduler = new SliceScheduler({ clock });
    schedulers.set(clock, scheduler);
  }
  return scheduler;
}

/** One loop's view of its scheduler. It counts the time from each `take` to the next, or to `pause`. */
export class Slice {
  readonly #scheduler: SliceScheduler;
  #nowMs = 0;
  #isCounting = false;
  #isSuspended = false;

  constructor(scheduler: SliceScheduler) {
    this.#scheduler = scheduler;
  }

  /** The time at the last `take`, `pause` or `renew`. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** True, and one item is counted, if the turn is not used up; otherwise call `renew` before continuing. */
  take(): boolean {
    const beforeMs = this.#nowMs;
    this.#count();
    this.#isCounting = true;
    if (this.#isSuspended) {
      this.#isSuspended = false;
      if (this.#nowMs - beforeMs >= this.#scheduler.sliceMs) return false;
    }
    return this.#scheduler.takeItem();
  }

  /** Call it before waiting for input: the wait is not the loop's own time. */
  pause(): void {
    this.#count();
    this.#isCounting = false;
    this.#isSuspended = false;
  }

  /**
   * Call it before waiting for code of the user, which may wait or work meanwhile. If that takes as long as a slice, the
   * loop, and only this one, has to wait for a turn.
   */
  suspend(): void {
    this.pause();
    this.#isSuspended = true;
  }

  /** Waits for the next turn and counts its first item. */
  async renew(): Promise<void> {
    this.#isCounting = false;
    this.#isSuspended = false;
    await this.#scheduler.turn();
    this.take();
  }

  #count(): void {
    const nowMs = this.#scheduler.clock.now();
    if (this.#isCounting) this.#scheduler.use(nowMs - this.#nowMs);
    this.#nowMs = nowMs;
  }
}
