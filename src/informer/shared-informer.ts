import type { KubernetesObject } from '../kube/object.js';
import { plainCopy } from '../kube/plain-copy.js';
import { type Indexers, NAMESPACE_INDEX, namespaceIndexFunction } from '../store/index-function.js';
import { Indexer, type IndexReader } from '../store/indexer.js';
import { Lister } from '../store/lister.js';
import { RealFIFO } from '../store/queue/real-fifo.js';
import { onAbort } from '../util/abort.js';
import { type Clock, sleep, systemClock } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import { ErrorReporter } from '../util/error-reporter.js';
import { KubeflectError } from '../util/errors.js';
import { Latch } from '../util/latch.js';
import { Metrics } from '../util/metrics.js';
import { type SliceScheduler, sliceSchedulerOf } from '../util/slice-scheduler.js';
import { EntryPreparation } from './entry-preparation.js';
import type { ResourceEventHandler } from './handlers/event-handler.js';
import type { InformerEvent } from './handlers/event-stream.js';
import type { HandlerRegistration, RemoveOptions } from './handlers/handler-registration.js';
import { InformerHandlers } from './handlers/informer-handlers.js';
import type { NotificationSink } from './handlers/notification-sink.js';
import { SharedProcessor } from './handlers/shared-processor.js';
import { FreshnessTracker, healthOf, type InformerHealth, type InformerState } from './informer-health.js';
import { InformerMetrics } from './informer-metrics.js';
import { objectForUpdate } from './object-for-update.js';
import { type CaughtUpOptions, OwnWrites } from './own-writes/own-writes.js';
import { ProcessLoop } from './process-loop.js';
import { runReflectorLoop } from './reflector-loop.js';
import { ResyncPlan } from './resync-plan.js';
import type {
  AddEventHandlerOptions,
  EventsOptions,
  SharedInformerOptions,
  StopOptions,
} from './shared-informer-options.js';

/**
 * The cache of one collection, with any number of handlers (client-go's SharedIndexInformer). docs/contract.md lists
 * its guarantees. It starts once, and once stopped it stays stopped; its store can still be read.
 */
export class SharedInformer<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  readonly lister: Lister<T>;
  readonly #options: SharedInformerOptions<T>;
  readonly #clock: Clock;
  readonly #slices: SliceScheduler;
  readonly #indexer: Indexer<T>;
  readonly #fifo: RealFIFO<T>;
  readonly #loop: ProcessLoop<T>;
  readonly #ownWrites: OwnWrites<T>;
  readonly #processor = new SharedProcessor<T>();
  readonly #resyncPlan: ResyncPlan<NotificationSink<T>>;
  readonly #preparation: EntryPreparation<T>;
  readonly #errors: ErrorReporter;
  readonly #metrics: InformerMetrics<T>;
  readonly #handlers: InformerHandlers<T>;
  readonly #synced = new Latch();
  readonly #freshness: FreshnessTracker;
  /** Remove the listeners from the signals passed to `start`. */
  readonly #releases = new Set<() => void>();
  readonly #abort = new AbortController();
  #reflecting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #isWarm = false;

  constructor(options: SharedInformerOptions<T>) {
    this.#options = options;
    this.name = options.name ?? options.resource?.resource ?? 'informer';
    this.#clock = options.clock ?? systemClock;
    this.#slices = options.slices ?? sliceSchedulerOf(this.#clock);
    this.#errors = new ErrorReporter({
      informerName: this.name,
      clock: this.#clock,
      onError: options.onError,
      onCount: (error) => this.#metrics.error(error),
    });
    this.#preparation = new EntryPreparation({
      transform: options.transform,
      mutationDetector: options.mutationDetector,
      report: (error) => this.#errors.report(error),
    });
    this.#indexer = new Indexer<T>({
      indexers: { [NAMESPACE_INDEX]: namespaceIndexFunction, ...options.indexers },
      onIndexError: (indexName, key, cause) => this.#preparation.indexFailed(indexName, key, cause),
    });
    this.#resyncPlan = new ResyncPlan(this.#clock, options.resyncPeriodMs ?? 0);
    this.#freshness = new FreshnessTracker(this.#clock);
    this.#fifo = new RealFIFO({ onItem: () => this.#loop.wake(), onSynced: () => this.#onSynced() });
    this.#metrics = new InformerMetrics(
      options.metrics ?? new Metrics(),
      this.metricLabels,
      this.#fifo,
      this.#indexer,
      this.#freshness,
    );
    this.#ownWrites = new OwnWrites({
      informerName: this.name,
      indexer: this.#indexer,
      namespaces: options.namespaces ?? [],
      indexers: options.indexers ?? {},
      hasUid: options.hasUid ?? (() => true),
      cachedForm: options.cachedForm ?? plainCopy,
      prepare: (entry) => this.#preparation.prepare(entry),
      clock: this.#clock,
      metrics: this.#metrics,
    });
    this.lister = new Lister(this.#ownWrites.reader, this.#slices);
    this.#loop = new ProcessLoop({
      informerName: this.name,
      fifo: this.#fifo,
      indexer: this.#indexer,
      processor: this.#processor,
      ownWrites: this.#ownWrites,
      clock: this.#clock,
      slices: this.#slices,
      signal: this.#abort.signal,
      prepare: (entry) => this.#preparation.prepare(entry),
      onDeleted: (key) => this.#preparation.forget(key),
      onReplace: (unreadableKeys) => this.#preparation.startList(unreadableKeys),
      onSkipped: (reason) => this.#metrics.skipped(reason),
      onBatch: (tookMs, type) => {
        this.#freshness.observe(type);
        this.#metrics.batch(tookMs);
      },
      takeDueForResync: () => this.#resyncPlan.takeDue(),
      onApplied: options.onApplied,
    });
    this.#handlers = new InformerHandlers({
      processor: this.#processor,
      resyncPlan: this.#resyncPlan,
      metrics: this.#metrics,
      clock: this.#clock,
      slices: this.#slices,
      resyncPeriodMs: options.resyncPeriodMs ?? 0,
      slowHandlerMs: options.slowHandlerMs ?? 30_000,
      mergeAbove: options.mergeAbove,
      report: (error) => this.#errors.report(error),
      isStarted: () => this.isStarted,
      withKnown: (join) =>
        void this.#loop.betweenBatches(async (slice) => join(await this.#loop.known(slice))),
    });
  }

  /** The labels of all its metrics. */
  get metricLabels(): Readonly<Record<string, string>> {
    return { name: this.name, group: '', version: '', resource: '', ...this.#options.resource };
  }

  /** The read side of the store. */
  get indexer(): IndexReader<T> {
    return this.#ownWrites.reader;
  }

  get lastStoreSyncResourceVersion(): string {
    return this.#indexer.lastStoreSyncResourceVersion;
  }

  /** True once the first complete list is in the store and all its indexes. For handlers, see their registrations. */
  get hasSynced(): boolean {
    return this.#fifo.hasSynced;
  }

  /** Resolves when `hasSynced`; rejects with `KUBEFLECT_INFORMER_STOPPED` if the informer is stopped before. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /**
   * True if it started, or is about to start, with a snapshot of an earlier process instead of a list; false from the
   * moment on when the snapshot is found to be of no use. Before `hasSynced` the server has not confirmed it.
   */
  get isWarm(): boolean {
    return this.#isWarm;
  }

  get isStarted(): boolean {
    return this.#reflecting !== undefined;
  }

  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Starting again does nothing; starting after a stop throws `KUBEFLECT_INFORMER_STOPPED`. Aborting the signal stops
   * the informer.
   */
  start(options: { readonly signal?: AbortSignal } = {}): void {
    if (this.isStopped) throw this.#stoppedError('started');
    if (options.signal !== undefined) this.#releases.add(onAbort(options.signal, () => void this.stop()));
    if (this.isStopped || this.#reflecting !== undefined) return;
    publish('kubeflect:informer:start', () => ({ informer: this.name }));
    this.#reflecting = runReflectorLoop(
      {
        informerName: this.name,
        run: this.#options.run,
        store: this.#fifo,
        indexer: this.#indexer,
        resyncPlan: this.#resyncPlan,
        errors: this.#errors,
        clock: this.#clock,
        ...(this.#options.watchErrorHandler && { watchErrorHandler: this.#options.watchErrorHandler }),
        warmth: {
          betweenBatches: (job) => this.#loop.betweenBatches(job),
          prefill: (entries, resourceVersion) => this.#loop.prefill(entries, resourceVersion),
          setWarm: (isWarm) => {
            this.#isWarm = isWarm;
          },
        },
      },
      this.#abort.signal,
    );
  }

  /**
   * Takes effect at once: no handler is called any more, except to drain. Resolves when the informer has stopped
   * completely, or after `timeoutMs`. Idempotent. Deltas that were not applied yet are dropped.
   */
  stop(options: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Adds a handler, at any time before the stop. After the start it is first notified of everything that is stored, as
   * adds of its initial list, then of every later change: nothing is missed and nothing is repeated.
   */
  addEventHandler(
    handler: ResourceEventHandler<T>,
    options: AddEventHandlerOptions = {},
  ): HandlerRegistration<T> {
    if (this.isStopped) throw this.#stoppedError('given a handler');
    return this.#handlers.add(handler, options);
  }

  /**
   * Takes effect at once: the handler is not called any more, except to drain. Resolves when a running call has
   * settled, so do not await it in the handler itself. Removing it again, or a registration of another informer, does
   * nothing.
   */
  removeEventHandler(registration: HandlerRegistration<T>, options: RemoveOptions = {}): Promise<void> {
    return this.#handlers.remove(registration, options);
  }

  /**
   * Adds indexes before the stop; resolves when they are usable. A name in use rejects with `KUBEFLECT_INDEX_CONFLICT`.
   */
  async addIndexers(indexers: Indexers<T>): Promise<void> {
    if (this.isStopped) throw this.#stoppedError('given indexers');
    if (!this.isStarted) {
      this.#indexer.addIndexers(indexers);
      return;
    }
    await this.#loop.betweenBatches(async (slice) => {
      const staged = this.#indexer.stageIndexers(indexers);
      for (const entry of this.#indexer.entries()) {
        if (!slice.take()) await slice.renew();
        staged.put(entry);
      }
      this.#indexer.commitIndexers(staged);
    });
  }

  /**
   * The changes as an iterator, beginning with what is stored. Bounded: a slow loop sees fewer states, merged by key.
   */
  events(options: EventsOptions = {}): AsyncIterableIterator<InformerEvent<T>> {
    return this.#handlers.stream(options, this.isStopped);
  }

  /**
   * The program has created or changed an object of this collection: `caughtUp` of its key waits until the cache shows
   * that. `written`: what the API answered. Throws `KUBEFLECT_OBJECT_INVALID` if it has no name or resource version.
   */
  wrote(written: T): void {
    this.#ownWrites.wrote(written);
  }

  /**
   * The program has deleted an object, by its name. `deleted`: the object as it was known, with its uid. `answer`: what
   * the API answered, if that is something else: a Status, or the object that now waits for its finalizers. Throws
   * `KUBEFLECT_OBJECT_INVALID` if neither has a uid.
   */
  wroteDelete(deleted: T, answer?: object): void {
    this.#ownWrites.wroteDelete(deleted, answer);
  }

  /**
   * A copy of the object, to be changed and sent as an update (PUT); undefined if it is not in the cache. Throws an
   * `IncompleteObjectError` if the cache lacks parts of it, because of `drop` (except for `metadata.managedFields`, which
   * the API server keeps), `metadataOnly`, hooks or a transform: an update would remove them from the server. A patch
   * would not.
   */
  objectForUpdate(key: string): T | undefined {
    const object = this.lister.get(key);
    if (object === undefined) return undefined;
    const { missingContent, transform } = this.#options;
    const transformed = transform && { reason: 'the transform may have changed it', paths: [] };
    return objectForUpdate(key, object, missingContent?.() ?? transformed);
  }

  /** False while the cache does not show what was written to this key. */
  isCaughtUp(key: string): boolean {
    return this.#ownWrites.isCaughtUp(key);
  }

  /**
   * Resolves when the cache shows everything that `wrote` and `wroteDelete` have reported of this key, or a newer state;
   * at once if there is nothing to wait for. Rejects with `KUBEFLECT_NOT_CAUGHT_UP` after `timeoutMs`, with
   * `KUBEFLECT_INFORMER_STOPPED` if the informer is stopped, and with the signal's reason.
   */
  caughtUp(key: string, options: CaughtUpOptions = {}): Promise<void> {
    return this.#ownWrites.caughtUp(key, options);
  }

  /**
   * Shows a written object at once, in lister, indexer and indexes, until the watch brings its version, a newer one or its
   * deletion; for some minutes at most. Handlers are not notified of it, but of what the watch brings. Includes `wrote`.
   *
   * `written`: what the API answered. False if it is not shown: the cache is as new, the collection cannot contain it, 1,000
   * are shown already, its version cannot be compared, or the transform failed, which is reported. Throws
   * `KUBEFLECT_OBJECT_INVALID`, and `KUBEFLECT_OPTION_INVALID` for an informer with hooks.
   */
  assume(written: T): boolean {
    return this.#ownWrites.assume(written);
  }

  /**
   * Shows at once that the object of this uid is gone, like `assume`. False if it is not gone, as it waits for finalizers.
   * Includes `wroteDelete`, which has the same arguments.
   */
  assumeDeleted(deleted: T, answer?: object): boolean {
    return this.#ownWrites.assumeDeleted(deleted, answer);
  }

  health(): InformerHealth {
    return healthOf({
      name: this.name,
      state: this.#state(),
      indexer: this.#indexer,
      fifo: this.#fifo,
      freshness: this.#freshness,
      rejected: this.#preparation.rejected,
      listeners: this.#handlers.listeners,
      lastError: this.#errors.last,
      nowMs: this.#clock.now(),
    });
  }

  #state(): InformerState {
    if (this.isStopped) return 'stopped';
    if (this.hasSynced) return 'synced';
    return this.isStarted ? 'syncing' : 'new';
  }

  async #stop({ drain = false, timeoutMs = 10_000 }: StopOptions): Promise<void> {
    this.#abort.abort();
    this.#metrics.remove();
    for (const release of this.#releases) release();
    this.#fifo.close();
    this.#ownWrites.close();
    this.#synced.fail(this.#stoppedError('synced'));
    const settled = Promise.all([this.#handlers.stop({ drain }), this.#reflecting, this.#loop.idle()]);
    const deadline = new AbortController();
    const inTime = await Promise.race([
      settled.then(() => true),
      sleep(this.#clock, timeoutMs, deadline.signal).then(() => false),
    ]);
    deadline.abort();
    if (!inTime) {
      this.#errors.report(
        new KubeflectError(
          'KUBEFLECT_STOP_TIMEOUT',
          `"${this.name}" was stopped, but a handler or its reflector has not returned for ${timeoutMs} ms`,
        ),
      );
    }
    this.#preparation.close();
    publish('kubeflect:informer:stop', () => ({ informer: this.name }));
  }

  #onSynced(): void {
    this.#processor.upstreamSynced();
    this.#synced.open();
    publish('kubeflect:informer:synced', () => ({ informer: this.name, objects: this.#indexer.size }));
  }

  #stoppedError(what: string): KubeflectError {
    return new KubeflectError(
      'KUBEFLECT_INFORMER_STOPPED',
      `informer "${this.name}" is stopped and cannot be ${what} any more; make a new one`,
    );
  }
}
