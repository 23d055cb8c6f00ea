import type { Worker } from 'node:worker_threads';
import type { Credentials } from '../auth/credentials.js';
import type { InformerHealth } from '../informer/informer-health.js';
import { SharedInformer } from '../informer/shared-informer.js';
import type { StopOptions } from '../informer/shared-informer-options.js';
import type { KubernetesObject } from '../kube/object.js';
import { groupAndVersion } from '../kube/resource.js';
import { engineClosed, type WorkerStats } from '../pool/stream-host.js';
import { type Threading, WorkerPool } from '../pool/worker-pool.js';
import { SlabCache } from '../store/slab/slab-cache.js';
import { type Clock, systemClock } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import { ErrorReporter } from '../util/error-reporter.js';
import type { WorkerError } from '../util/errors.js';
import { Metrics } from '../util/metrics.js';
import { SliceScheduler } from '../util/slice-scheduler.js';
import { ObjectReaders } from '../wire/object-readers.js';
import type { Encoding } from '../wire/stream-task.js';
import { BatchToEntries } from './batch-to-entries.js';
import { ServerEncodings } from './encoding-choice.js';
import { engineCredentials } from './engine-credentials.js';
import { informerGauges, lagOf, workerGauges } from './engine-gauges.js';
import { type EngineOptions, type ResolvedEngineOptions, resolveEngineOptions } from './engine-options.js';
import {
  InformerIdentity,
  type InformerOptions,
  type ResolvedInformerOptions,
  resolveInformerOptions,
} from './informer-options.js';
import { InformerSource, indexNames, storeIndexers } from './informer-source.js';

export interface EngineStats {
  readonly workers: readonly WorkerStats[];
  readonly informers: readonly InformerStats[];
}

export interface InformerStats
  extends Pick<
    InformerHealth,
    | 'name'
    | 'state'
    | 'objects'
    | 'resourceVersion'
    | 'queued'
    | 'rejected'
    | 'lastAppliedAgeMs'
    | 'lastEventAgeMs'
    | 'lastBookmarkAgeMs'
  > {
  /** What the objects take in the store, and former states that wait for a handler that is behind; decoded ones come on top while somebody holds them. */
  readonly bytes: number;
  /** Objects received by lists, so that a first list can show its progress. */
  readonly listed: number;
  /** Watch events received, bookmarks included. */
  readonly events: number;
  /** How often the collection was asked for in whole, after the first time. */
  readonly relists: number;
  /** True while the server has accepted its watch, or all of its watches. */
  readonly isWatching: boolean;
  /**
   * How old what can be read may be. 0 while a watch is open and nothing is queued; otherwise since something was last
   * applied; undefined before the first list.
   */
  readonly lagMs: number | undefined;
  /** What reads its JSON: see `InformerOptions.decoder`. Undefined before the server has answered. */
  readonly decoder: 'simd' | 'json' | undefined;
  /** What its objects are written in on the wire: see `InformerOptions.encoding`. Undefined before the server has answered. */
  readonly encoding: Encoding | undefined;
  /** Fields in protobuf that this version of Kubeflect does not know, and leaves out. Not 0: the server is newer. */
  readonly unknownFields: number;
}

interface OwnInformer {
  readonly informer: SharedInformer<KubernetesObject>;
  readonly source: InformerSource<KubernetesObject>;
  readonly bytes: () => number;
}

/**
 * Mirrors collections of one API server: owns the worker threads, and the informers that share them.
 *
 * Threads start with the first informer. An engine without running informers does not keep the process alive.
 */
export class Engine {
  /** Of all informers and of the engine itself; `metrics.text()` is for Prometheus. */
  readonly metrics: Metrics;
  readonly #options: ResolvedEngineOptions;
  readonly #clock: Clock;
  readonly #pool: WorkerPool;
  readonly #credentials: Credentials;
  readonly #slices: SliceScheduler;
  readonly #errors: ErrorReporter;
  readonly #readers = new ObjectReaders();
  readonly #serverEncodings = new ServerEncodings();
  readonly #identity = new InformerIdentity();
  /** By identity. Stopped ones leave when the next one is asked for. */
  readonly #informers = new Map<string, OwnInformer>();
  /** Stopped, and not yet at their end. */
  readonly #leaving = new Set<SharedInformer<KubernetesObject>>();
  #closing: Promise<void> | undefined;

  /** Throws `KUBEFLECT_OPTION_INVALID`. Starts nothing. @param threading what a simulation has in place of threads */
  constructor(options: EngineOptions, threading?: Threading) {
    this.#options = resolveEngineOptions(options);
    this.#clock = this.#options.clock ?? systemClock;
    this.#slices = new SliceScheduler({ clock: this.#clock });
    this.metrics = this.#options.metrics ?? new Metrics();
    const errors = this.metrics.counter('kubeflect_engine_errors_total', 'Errors of the engine, by code.');
    this.#errors = new ErrorReporter({
      informerName: 'engine',
      clock: this.#clock,
      onError: this.#options.onError,
      onCount: ({ code }) => errors.labels({ code }).increment(),
    });
    this.#credentials = engineCredentials(this.#options, this.#clock, this.metrics, this.#errors);
    const { workers, heartbeatTimeoutMs, workerHeapMb, restartBackoff, workerFile } = this.#options;
    this.#pool = new WorkerPool({
      workers,
      heartbeatTimeoutMs,
      workerHeapMb,
      restartBackoff,
      clock: this.#clock,
      ...(workerFile && { entry: workerFile }),
      ...(threading && { threading }),
      onWorkerLost: (error) => this.#onWorkerLost(error),
    });
    workerGauges(this.metrics, this.#pool);
  }

  /** Starts the threads now; rejects with `KUBEFLECT_WORKER_START_FAILED` if one cannot be. Not needed: informers start them too. */
  start(): Promise<void> {
    return this.#pool.start();
  }

  /**
   * The informer of a collection, not yet started. Asking again with equal options gives the same one, so that parts of a program share it;
   * functions are equal only to themselves. Throws `KUBEFLECT_OPTION_INVALID`, or `KUBEFLECT_ENGINE_CLOSED`.
   */
  informer<T extends KubernetesObject = KubernetesObject>(options: InformerOptions<T>): SharedInformer<T> {
    if (this.#closing !== undefined) throw engineClosed();
    const resolved = resolveInformerOptions(options);
    const id = this.#identity.of(resolved);
    this.#dismissStopped();
    let own = this.#informers.get(id);
    if (own === undefined) {
      own = this.#create(resolved as unknown as ResolvedInformerOptions<KubernetesObject>);
      this.#informers.set(id, own);
    }
    return own.informer as unknown as SharedInformer<T>;
  }

  /** The worker threads, for profilers; undefined for one that is being replaced. Ending one shows what happens when it dies. */
  get threads(): readonly (Worker | undefined)[] {
    return this.#pool.threads;
  }

  /** Cheap enough for every scrape. `utilization` is since the last call. */
  stats(): EngineStats {
    return {
      workers: this.#pool.stats,
      informers: [...this.#informers.values()].map(({ informer, source, bytes }) => {
        const { handlers, lastError, ...health } = informer.health();
        return {
          ...health,
          isWatching: source.isWatching,
          lagMs: lagOf(health, source),
          bytes: bytes(),
          listed: source.listed,
          events: source.events,
          relists: Math.max(0, source.lists - 1),
          decoder: source.decoder,
          encoding: source.encoding,
          unknownFields: source.unknownFields,
        };
      }),
    };
  }

  /** Stops all informers and ends the threads; what informers hold can still be read. Idempotent. */
  close(options: StopOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(options: StopOptions): Promise<void> {
    this.#credentials.close();
    const informers = [...this.#informers.values()].map(({ informer }) => informer);
    await Promise.all([...informers, ...this.#leaving].map((informer) => informer.stop(options)));
    await this.#pool.close();
  }

  #dismissStopped(): void {
    for (const [id, { informer }] of this.#informers) {
      if (!informer.isStopped) continue;
      this.#informers.delete(id);
      this.#leaving.add(informer);
      void informer.stop().finally(() => this.#leaving.delete(informer));
    }
  }

  #create(options: ResolvedInformerOptions<KubernetesObject>): OwnInformer {
    const { limits, clock, random, onError } = this.#options;
    const name = this.#unusedName(options.name ?? nameOf(options));
    const cache = new SlabCache({ scheduler: this.#slices, indexNames: indexNames(options) });
    const source = new InformerSource({
      name,
      informer: options,
      pool: this.#pool,
      credentials: this.#credentials,
      limits,
      batches: new BatchToEntries(cache, this.#readers),
      serverEncodings: this.#serverEncodings,
      clock,
      random,
    });
    const { transform, slowHandlerMs, mergeAbove, mutationDetector, watchErrorHandler, resyncPeriodMs } =
      options;
    const errorHandler = options.onError ?? onError;
    const informer = new SharedInformer<KubernetesObject>({
      run: (context, signal) => source.run(context, signal),
      name,
      resource: { ...groupAndVersion(options.apiVersion), resource: options.plural },
      indexers: storeIndexers(options),
      metrics: this.metrics,
      clock: this.#clock,
      slices: this.#slices,
      ...(resyncPeriodMs !== undefined && { resyncPeriodMs }),
      slowHandlerMs,
      mergeAbove,
      ...(transform && { transform }),
      ...(mutationDetector && { mutationDetector }),
      ...(watchErrorHandler && { watchErrorHandler }),
      ...(errorHandler && { onError: errorHandler }),
    });
    informerGauges(this.metrics, informer, source);
    return { informer, source, bytes: () => cache.stats().heldBytes };
  }

  /** Metrics are kept by name. */
  #unusedName(wanted: string): string {
    const used = new Set([...this.#informers.values()].map(({ informer }) => informer.name));
    let name = wanted;
    for (let number = 2; used.has(name); number++) name = `${wanted} (${number})`;
    return name;
  }

  #onWorkerLost(error: WorkerError): void {
    publish('kubeflect:worker:lost', () => ({ worker: error.worker, error }));
    this.#errors.report(error);
  }
}

/** `pods`, `deployments.apps in shop`, … */
function nameOf({
  plural,
  apiVersion,
  namespaces,
  labelSelector,
  fieldSelector,
}: ResolvedInformerOptions<KubernetesObject>): string {
  const { group } = groupAndVersion(apiVersion);
  const where = namespaces.length === 0 ? '' : ` in ${namespaces.join(', ')}`;
  const which = [labelSelector, fieldSelector].filter(Boolean).join(', ');
  return `${plural}${group && `.${group}`}${where}${which && ` where ${which}`}`;
}
