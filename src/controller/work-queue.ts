import { Ring } from '../store/queue/ring.js';
import { invalidOption, object, type Rules, resolveOptions, string } from '../util/check-options.js';
import { type Clock, MAX_TIMER_MS, systemClock } from '../util/clock.js';
import type { Metrics } from '../util/metrics.js';
import { DelayHeap } from './delay-heap.js';
import { higherPriority, isPriority, PRIORITIES, type Priority, PriorityLanes } from './priority-lanes.js';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiters.js';
import { WorkQueueMetrics } from './work-queue-metrics.js';

export interface WorkQueueOptions<T> {
  /** In metrics; a queue without a name has no metrics. @default none */
  readonly name?: string;
  /** Where the queue is counted: `engine.metrics`. @default not reported */
  readonly metrics?: Metrics;
  /**
   * Delays of `addRateLimited`.
   * @default `defaultControllerRateLimiter`: 5 ms doubling to 1000 s, and 10 per second after a burst of 100
   */
  readonly rateLimiter?: RateLimiter<T>;
  readonly clock?: Clock;
}

export interface AddOptions {
  /**
   * `low` for existing objects, as the initial list: they wait behind changes. `high`: changes wait behind it. Nothing
   * is starved. The higher of two priorities counts.
   * @default 'normal'
   */
  readonly priority?: Priority;
}

type Supplied = { readonly [K in keyof Required<WorkQueueOptions<unknown>>]: unknown };

const RULES: Rules<Supplied> = {
  name: string(undefined),
  metrics: object('a Metrics'),
  rateLimiter: object('a RateLimiter'),
  clock: object('a Clock'),
};

/**
 * client-go's rate limiting queue. An item is queued once, however often it is added. While it is processed it is not
 * returned again; if it is added meanwhile, it is queued again afterwards: nothing is lost, and no item is processed
 * concurrently.
 *
 * `done` must be called for every item that `get` returns.
 */
export class WorkQueue<T extends NonNullable<unknown> = string> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<T>;
  #metrics: WorkQueueMetrics<T> | undefined;
  readonly #waiting = new PriorityLanes<T>();
  readonly #processing = new Map<T, { readonly startedAtMs: number; readonly priority: Priority }>();
  /** Added while they were processed: queued again by `done`. */
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
        startedAtMs: () => [...this.#processing.values()].map(({ startedAtMs }) => startedAtMs),
      });
    }
  }

  /** Items waiting to be processed, without delayed ones. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Items that `get` returned and that are not done. */
  get processing(): number {
    return this.#processing.size;
  }

  /** Items whose delay is not over. */
  get delayed(): number {
    return this.#delayed.size;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  add(item: T, { priority = 'normal' }: AddOptions = {}): void {
    checkPriority(priority);
    if (this.#isShuttingDown) return;
    if (this.#processing.has(item)) {
      const known = this.#again.get(item);
      if (known === undefined) this.#metrics?.added(item);
      this.#again.set(item, known === undefined ? priority : higherPriority(known, priority));
      return;
    }
    const { length } = this.#waiting;
    this.#waiting.push(item, priority);
    if (this.#waiting.length > length) this.#metrics?.added(item);
    this.#serve();
  }

  /** Adds the item after the delay. Of two delays the one that ends earlier counts. */
  addAfter(item: T, delayMs: number, { priority = 'normal' }: AddOptions = {}): void {
    checkPriority(priority);
    if (this.#isShuttingDown) return;
    this.#metrics?.retried();
    if (!(delayMs > 0)) {
      this.add(item, { priority });
      return;
    }
    this.#delayed.put(item, this.#clock.now() + delayMs, priority);
    this.#arm();
  }

  /** Adds the item after the rate limiter's delay; each call counts as a failure. */
  addRateLimited(item: T, options: AddOptions = {}): void {
    if (!this.#isShuttingDown) this.addAfter(item, this.#limiter.when(item), options);
  }

  /** Resets the item's failures, because it succeeded or will not be retried. Does not remove it from the queue. */
  forget(item: T): void {
    this.#limiter.forget(item);
  }

  /** How often the item was added by `addRateLimited` since it was last forgotten. */
  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item);
  }

  /** The priority with which an item was returned that is not done; undefined for others. */
  priorityOf(item: T): Priority | undefined {
    return this.#processing.get(item)?.priority;
  }

  /** Resolves with the next item, or with undefined when the queue is shut down and empty. */
  get(): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#getters.push(resolve);
      this.#serve();
    });
  }

  /** The item that `get` returned has been processed. */
  done(item: T): void {
    const processed = this.#processing.get(item);
    if (processed === undefined) return;
    this.#processing.delete(item);
    this.#metrics?.finished(processed.startedAtMs);
    const again = this.#again.get(item);
    if (again !== undefined) {
      this.#again.delete(item);
      this.#waiting.push(item, again);
    }
    this.#serve();
  }

  /**
   * Ignores further adds and drops delayed items. `get` still returns what is queued, then undefined. Resolves pending
   * calls of `shutDownWithDrain`.
   */
  shutDown(): void {
    this.#startShutDown();
    this.#endDrains();
  }

  /** The same; resolves when all queued items are done, or when `shutDown` is called. */
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

  /** Resolves pending `get`s with queued items. */
  #serve(): void {
    while (this.#getters.length > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        if (!this.#isShuttingDown) return;
        this.#getters.shift()?.(undefined);
      } else {
        this.#processing.set(next.item, { startedAtMs: this.#clock.now(), priority: next.priority });
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

  /** One timer, for the item that becomes ready first. */
  #arm(): void {
    const { nextAtMs } = this.#delayed;
    if (nextAtMs === undefined || (this.#timer !== undefined && this.#timer.atMs <= nextAtMs)) return;
    this.#timer?.timer.cancel();
    const delayMs = Math.min(Math.max(0, nextAtMs - this.#clock.now()), MAX_TIMER_MS);
    this.#timer = { atMs: nextAtMs, timer: this.#clock.schedule(() => this.#addReady(), delayMs) };
  }

  /** A timer may fire early: items that are not ready stay. */
  #addReady(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let next = this.#delayed.takeReady(now); next !== undefined; next = this.#delayed.takeReady(now)) {
      this.add(next.item, { priority: next.priority });
    }
    this.#arm();
  }
}

function checkPriority(priority: Priority): void {
  if (isPriority(priority)) return;
  throw invalidOption('WorkQueue', `priority must be one of ${PRIORITIES.join(', ')}`);
}
