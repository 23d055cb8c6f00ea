import type { StopOptions } from '../informer/shared-informer-options.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { onAbort } from '../util/abort.js';
import { type Clock, sleep, systemClock } from '../util/clock.js';
import { ErrorReporter } from '../util/error-reporter.js';
import { HandlerError, KubeflectError } from '../util/errors.js';
import { Latch } from '../util/latch.js';
import { Metrics, type ValueMetric } from '../util/metrics.js';
import { type Slice, sliceSchedulerOf } from '../util/slice-scheduler.js';
import {
  type ControllerOptions,
  type ControllerSource,
  checkControllerOptions,
  type Reconcile,
} from './controller-options.js';
import type { Priority } from './two-lanes.js';
import { WorkQueue } from './work-queue.js';

/**
 * Starts the informers, and reconciles every key once they have synced, then every key that changes. Throws
 * `KUBEFLECT_OPTION_INVALID`.
 */
export function runController<T extends KubernetesObject>(options: ControllerOptions<T>): Controller {
  checkControllerOptions(options);
  return new Controller(options);
}

/** A running controller, made by `runController`. */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue<string>;
  readonly #reconcile: Reconcile;
  readonly #clock: Clock;
  readonly #errors: ErrorReporter;
  readonly #reconciles: ValueMetric;
  readonly #registrations: { readonly synced: Promise<void>; remove(): Promise<void> }[];
  readonly #synced = new Latch();
  readonly #abort = new AbortController();
  #release: () => void = () => {};
  #workers: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  /** The options must have been checked. */
  constructor(options: ControllerOptions<never>) {
    const { informer, watches = [], concurrency = 1, clock = systemClock, metrics = new Metrics() } = options;
    this.name = options.name ?? informer.name;
    this.#reconcile = options.reconcile;
    this.#clock = clock;
    this.#reconciles = metrics.counter(
      'kubeflect_reconciles_total',
      'Reconciles that have ended, by result.',
    );
    this.#errors = new ErrorReporter({
      informerName: this.name,
      clock,
      onError: options.onError,
      onCount: () => {},
    });
    this.queue = new WorkQueue<string>({
      name: this.name,
      metrics,
      clock,
      ...(options.rateLimiter && { rateLimiter: options.rateLimiter }),
    });
    const sources: readonly ControllerSource<never>[] = [
      { informer, keys: (entry: Entry) => [entry.key] },
      ...watches,
    ];
    this.#registrations = sources.map((source) => this.#attach(source));
    if (options.signal !== undefined) this.#release = onAbort(options.signal, () => void this.stop());
    if (this.isStopped) return;
    for (const source of sources) source.informer.start();
    void this.#run(concurrency);
  }

  /**
   * Resolves when every informer has delivered its first list and reconciling begins; rejects with
   * `KUBEFLECT_INFORMER_STOPPED` if that can no longer happen.
   */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Adds no more keys. Resolves when no reconcile is running, or after `timeoutMs`; with `drain`, queued keys are
   * reconciled before. The informers keep running. Idempotent.
   */
  stop(options: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #attach({ informer, keys }: ControllerSource<never>): {
    readonly synced: Promise<void>;
    remove(): Promise<void>;
  } {
    const enqueue = (keysToAdd: Iterable<string>, priority: Priority): void => {
      for (const key of keysToAdd) this.queue.add(key, { priority });
    };
    return informer.addEventHandler(
      {
        onAdd: (entry, { isInInitialList }) => enqueue(keys(entry), isInInitialList ? 'low' : 'normal'),
        // Each key once: an idle worker takes the first add immediately, and the second would be another reconcile.
        onUpdate: (before, after, { isResync }) =>
          enqueue(new Set([...keys(before), ...keys(after)]), isResync ? 'low' : 'normal'),
        onDelete: (entry) => enqueue(keys(entry), 'normal'),
      },
      { name: `controller ${this.name}` },
    );
  }

  async #run(concurrency: number): Promise<void> {
    try {
      await Promise.all(this.#registrations.map(({ synced }) => synced));
    } catch (error) {
      this.#synced.fail(error as Error);
      void this.stop();
      return;
    }
    if (this.isStopped) return;
    this.#synced.open();
    const slices = sliceSchedulerOf(this.#clock);
    this.#workers = Promise.all(Array.from({ length: concurrency }, () => this.#work(slices.open())));
  }

  /** One key after the other, in slices: a reconciler that never awaits I/O would block the event loop. */
  async #work(slice: Slice): Promise<void> {
    for (;;) {
      if (this.queue.length === 0) slice.pause();
      const key = await this.queue.get();
      if (key === undefined) return;
      if (!slice.take()) await slice.renew();
      if (!this.#abort.signal.aborted) await this.#process(key, slice);
      this.queue.done(key);
    }
  }

  async #process(key: string, slice: Slice): Promise<void> {
    const { signal } = this.#abort;
    try {
      const reconciled = this.#reconcile(key, { signal, retries: this.queue.numRequeues(key) });
      slice.suspend();
      const result = await reconciled;
      this.queue.forget(key);
      const requeueAfterMs = result?.requeueAfterMs;
      if (requeueAfterMs !== undefined) this.queue.addAfter(key, requeueAfterMs);
      this.#count(requeueAfterMs === undefined ? 'success' : 'requeue');
    } catch (cause) {
      // An aborted reconcile has not failed.
      if (signal.aborted) return;
      this.queue.addRateLimited(key);
      this.#count('error');
      this.#errors.report(
        new HandlerError(
          'KUBEFLECT_RECONCILE_FAILED',
          `reconciling "${key}" by "${this.name}" failed; it will be retried`,
          { handlerName: this.name, key, cause },
        ),
      );
    }
  }

  #count(result: 'success' | 'requeue' | 'error'): void {
    this.#reconciles.labels({ controller: this.name, result }).increment();
  }

  async #stop({ drain = false, timeoutMs = 10_000 }: StopOptions): Promise<void> {
    this.#release();
    this.#synced.fail(
      new KubeflectError(
        'KUBEFLECT_INFORMER_STOPPED',
        `the controller "${this.name}" was stopped before it had synced`,
      ),
    );
    const removed = this.#registrations.map((registration) => registration.remove());
    const drained = drain && this.#workers !== undefined ? this.queue.shutDownWithDrain() : undefined;
    const deadline = new AbortController();
    const late = sleep(this.#clock, timeoutMs, deadline.signal).then(() => false);
    await Promise.race([drained, late]);
    this.#abort.abort();
    this.queue.shutDown();
    const isInTime = await Promise.race([Promise.all([...removed, this.#workers]).then(() => true), late]);
    deadline.abort();
    if (isInTime) return;
    this.#errors.report(
      new KubeflectError(
        'KUBEFLECT_STOP_TIMEOUT',
        `the controller "${this.name}" was stopped, but a reconcile has not returned for ${timeoutMs} ms`,
      ),
    );
  }
}
