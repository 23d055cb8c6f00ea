import { Ring } from '../store/queue/ring.js';
import { object, type Rules, resolveOptions, string } from '../util/check-options.js';
import { type Clock, MAX_TIMER_MS, systemClock } from '../util/clock.js';
import type { Metrics } from '../util/metrics.js';
import { DelayHeap } from './delay-heap.js';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiters.js';
import { type Priority, TwoLanes } from './two-lanes.js';
import { WorkQueueMetrics } from './work-queue-metrics.js';

export interface WorkQueueOptions<T> {
  /** In metrics; a queue without a name has none. @default none */
  readonly name?: string;
  /** Where to count, e.g. `engine.metrics`. @default nowhere */
  readonly metrics?: Metrics;
  /** How long `addRateLimited` makes an item wait. @default `defaultControllerRateLimiter`: 5 ms doubling to 1000 s, and 10 a second after 100 at once */
  readonly rateLimiter?: RateLimiter<T>;
  readonly clock?: Clock;
}

export interface AddOptions {
  /** `low` for what is not news, as the initial list: it waits behind news, but is never left behind for good. @default 'normal' */
  readonly priority?: Priority;
}

type Given = { readonly [K in keyof Required<WorkQueueOptions<unknown>>]: unknown };

const RULES: Rules<Given> = {
  name: string(undefined),
  metrics: object('a Metrics'),
  rateLimiter: object('a RateLimiter'),
  clock: object('a Clock'),
};

/**
 * client-go's rate limiting queue. However often an item is added, it waits once; while it is processed it is not handed out again, and
 * if it is added meanwhile, it is handed out once more afterwards: nothing is lost, and nobody works on one item twice at a time.
 *
 * Every item that `get` gives must be handed back by `done`.
 */
export class WorkQueue<T extends NonNullable<unknown> = string> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<T>;
  #metrics: WorkQueueMetrics<T> | undefined;
  readonly #waiting = new TwoLanes<T>();
  /** Item → when its processing began. */
  readonly #processing = new Map<T, number>();
  /** Added while they were processed: queued when that is done. */
  readonly #again = new Map<T, Priority>();
  readonly #delayed = new DelayHeap<T>();
  readonly #getters = new Ring<(item: T | undefined) => void>();
  #timer: { readonly atMs: number; readonly timer: { cancel(): void } } | undefined;
  #isShuttingDown = false;
  #drains: (() => void)[] = [];

  constructor(options: WorkQueueOptions<T> = {}) {
    resolveOptions('WorkQueue', RULES, options);
    const { name, metrics, clock = systemClock } = options;
    this.#clock = clock;
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter<T>(clock);
    if (name !== undefined && metrics !== undefined) {
      this.#metrics = new WorkQueueMetrics(metrics, name, clock, {
        depth: () => this.length,
        startedAtMs: () => this.#processing.values(),
      });
    }
  }

  /** Items that wait to be processed: not those that are, and not those whose time has not come. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Items that were handed out and are not done. */
  get processing(): number {
    return this.#processing.size;
  }

  /** Items whose time has not come. */
  get delayed(): number {
    return this.#delayed.size;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  add(item: T, { priority = 'normal' }: AddOptions = {}): void {
    if (this.#isShuttingDown) return;
    if (this.#processing.has(item)) {
      const known = this.#again.get(item);
      if (known === undefined) this.#metrics?.added(item);
      if (known !== 'normal') this.#again.set(item, priority);
      return;
    }
    const { length } = this.#waiting;
    this.#waiting.push(item, priority);
    if (this.#waiting.length > length) this.#metrics?.added(item);
    this.#serve();
  }

  /** Adds the item when that time is over. Of two times the earlier one counts. */
  addAfter(item: T, delayMs: number): void {
    if (this.#isShuttingDown) return;
    this.#metrics?.retried();
    if (!(delayMs > 0)) {
      this.add(item);
      return;
    }
    this.#delayed.put(item, this.#clock.now() + delayMs);
    this.#arm();
  }

  /** Adds the item when the rate limiter says it may be tried again; each time counts as a failure. */
  addRateLimited(item: T): void {
    if (!this.#isShuttingDown) this.addAfter(item, this.#limiter.when(item));
  }

  /** The item has succeeded, or is given up. Says nothing about whether it is queued. */
  forget(item: T): void {
    this.#limiter.forget(item);
  }

  /** How often the item was added by `addRateLimited` since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item);
  }

  /** The next item, when there is one; undefined when the queue is shut down and empty. */
  get(): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#getters.push(resolve);
      this.#serve();
    });
  }

  /** Hands back what `get` gave. */
  done(item: T): void {
    const startedAtMs = this.#processing.get(item);
    if (startedAtMs === undefined) return;
    this.#processing.delete(item);
    this.#metrics?.finished(startedAtMs);
    const again = this.#again.get(item);
    if (again !== undefined) {
      this.#again.delete(item);
      this.#waiting.push(item, again);
    }
    this.#serve();
  }

  /** No more adds, and nothing delayed comes any more. What is queued is still handed out; then `get` gives undefined. Lets go of who drains. */
  shutDown(): void {
    this.#startShutDown();
    this.#endDrains();
  }

  /** The same, and resolves when all that was queued is done, or at `shutDown`. */
  shutDownWithDrain(): Promise<void> {
    return new Promise((resolve) => {
      this.#drains.push(resolve);
      this.#startShutDown();
    });
  }

  #startShutDown(): void {
    this.#isShuttingDown = true;
    this.#timer?.timer.cancel();
    this.#delayed.clear();
    this.#serve();
  }

  #endDrains(): void {
    const drains = this.#drains;
    this.#drains = [];
    for (const resolve of drains) resolve();
  }

  /** Brings together who waits and what waits. */
  #serve(): void {
    while (this.#getters.length > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        if (!this.#isShuttingDown) return;
        this.#getters.shift()?.(undefined);
      } else {
        this.#processing.set(next.item, this.#clock.now());
        this.#metrics?.taken(next.item);
        this.#getters.shift()?.(next.item);
      }
    }
    if (this.#isShuttingDown && this.length === 0 && this.processing === 0) {
      this.#metrics?.remove();
      this.#metrics = undefined;
      this.#endDrains();
    }
  }

  /** One timer, for the item that is ready first. */
  #arm(): void {
    const { nextAtMs } = this.#delayed;
    if (nextAtMs === undefined || (this.#timer !== undefined && this.#timer.atMs <= nextAtMs)) return;
    this.#timer?.timer.cancel();
    const delayMs = Math.min(Math.max(0, nextAtMs - this.#clock.now()), MAX_TIMER_MS);
    this.#timer = { atMs: nextAtMs, timer: this.#clock.schedule(() => this.#addReady(), delayMs) };
  }

  /** A timer may be early: what is not ready stays. */
  #addReady(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let next = this.#delayed.takeReady(now); next !== undefined; next = this.#delayed.takeReady(now)) {
      this.add(next.item);
    }
    this.#arm();
  }
}
