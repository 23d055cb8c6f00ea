import type { Worker } from 'node:worker_threads';
import type { Credentials } from '../auth/credentials.js';
import type { InformerHealth } from '../informer/informer-health.js';
import { SharedInformer } from '../informer/shared-informer.js';
import type { StopOptions } from '../informer/shared-informer-options.js';
import type { KubernetesObject } from '../kube/object.js';
import { groupAndVersion } from '../kube/resource.js';
import { isUidInRanges, rangeOfShard } from '../kube/sharding/hash-range.js';
import { runLeasesInline, startLeaseThread } from '../leader-election/lease-runner.js';
import { LeaseService } from '../leader-election/lease-service.js';
import { engineClosed, type WorkerStats } from '../pool/stream-host.js';
import { type Threading, WORKER_ENTRY, WorkerPool } from '../pool/worker-pool.js';
import { SlabCache } from '../store/slab/slab-cache.js';
import { type Clock, systemClock, systemRandom } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import { ErrorReporter } from '../util/error-reporter.js';
import type { WorkerError } from '../util/errors.js';
import { Metrics } from '../util/metrics.js';
import { RestClientMetrics } from '../util/rest-client-metrics.js';
import { type SliceScheduler, sliceSchedulerOf } from '../util/slice-scheduler.js';
import { ObjectReaders } from '../wire/object-readers.js';
import type { Encoding } from '../wire/stream-task.js';
import { BatchToEntries } from './batch-to-entries.js';
import { cachedForm } from './cached-form.js';
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
import { missingContent } from './missing-content.js';
import type { StreamsStats } from './parallel-lister.js';
import type { ShardStats } from './shard-evidence.js';
import { EngineSnapshots } from './snapshots/engine-snapshots.js';
import { checkSnapshotOption } from './snapshots/snapshot-options.js';
import { WatchListSupport } from './watch-list-support.js';

/** Plain data. */
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
    | 'lastError'
  > {
  /**
   * Memory of the objects in the store, and of former states that a slow handler has not processed yet. Decoded objects
   * that the program holds come on top.
   */
  readonly bytes: number;
  /** Objects received by lists: the progress of the first list. */
  readonly listed: number;
  /** Watch events received, bookmarks included. */
  readonly events: number;
  /** How often the complete collection was requested after the first time. */
  readonly relists: number;
  /** True while the server has accepted its watch, or all of its watches. */
  readonly isWatching: boolean;
  /**
   * Upper bound of the age of the cached state: 0 while a watch is open and nothing is queued, otherwise the time since
   * something was last applied; undefined before the first list.
   */
  readonly lagMs: number | undefined;
  /** See `AdvancedInformerOptions.decoder`. Undefined before the first response. */
  readonly decoder: 'simd' | 'json' | undefined;
  /** See `InformerOptions.encoding`. Undefined before the first response. */
  readonly encoding: Encoding | undefined;
  /**
   * Protobuf fields that this version of Kubeflect does not have, as those of a newer server. With `encoding: 'auto'`, the
   * resource is read in JSON after the first; with `'protobuf'`, they are left out of objects.
   */
  readonly unknownFields: number;
  /** Of an informer with `shard`. */
  readonly shard: ShardStats | undefined;
  /** Of an informer with more than one of `streams`. */
  readonly streams: StreamsStats | undefined;
}

interface EngineInformer {
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
  /**
   * Of the engine and all its informers. `metrics.text()` is Prometheus' format; `metrics.register` takes a
   * prom-client registry.
   */
  readonly metrics: Metrics;
  /** The Leases of `LeaderElector`s, which a thread of their own renews. It starts with the first. */
  readonly leases: LeaseService;
  readonly #options: ResolvedEngineOptions;
  readonly #clock: Clock;
  readonly #pool: WorkerPool;
  readonly #credentials: Credentials;
  readonly #slices: SliceScheduler;
  readonly #errors: ErrorReporter;
  readonly #readers = new ObjectReaders();
  readonly #serverEncodings = new ServerEncodings();
  readonly #watchListSupport: WatchListSupport;
  readonly #requests: RestClientMetrics;
  readonly #identity = new InformerIdentity();
  readonly #snapshots: EngineSnapshots | undefined;
  /** By identity. Stopped ones are removed when the next one is requested. */
  readonly #informers = new Map<string, EngineInformer>();
  /** Stopped, but not finished yet. */
  readonly #leaving = new Set<SharedInformer<KubernetesObject>>();
  #closing: Promise<void> | undefined;

  /** Throws `KUBEFLECT_OPTION_INVALID`. Starts nothing. @param threading replaces threads in a simulation */
  constructor(options: EngineOptions, threading?: Threading) {
    this.#options = resolveEngineOptions(options);
    this.#clock = this.#options.clock ?? systemClock;
    this.#slices = sliceSchedulerOf(this.#clock);
    this.#watchListSupport = new WatchListSupport(this.#clock);
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
    this.#requests = new RestClientMetrics(this.metrics);
    this.leases = new LeaseService({
      credentials: this.#credentials,
      run: (onGone) =>
        workers === 0
          ? runLeasesInline()
          : startLeaseThread({ entry: workerFile ?? WORKER_ENTRY, heartbeatTimeoutMs, onGone }),
      restartBackoff,
      requests: this.#requests,
      onProblem: (error) => this.#errors.report(error),
    });
    const { snapshot, limits } = this.#options;
    this.#snapshots =
      snapshot &&
      new EngineSnapshots({
        snapshot,
        workerFile,
        limits,
        pool: this.#pool,
        credentials: this.#credentials,
        requests: this.#requests,
        spawn: threading?.spawnSnapshotThread,
        clock: this.#clock,
        random: this.#options.random ?? systemRandom,
        slices: this.#slices,
      });
  }

  /**
   * Starts the threads, which informers do too; rejects with `KUBEFLECT_WORKER_START_FAILED` if one cannot be
   * started.
   */
  start(): Promise<void> {
    return this.#pool.start();
  }

  /**
   * The informer of a collection, not started yet. Equal options return the same informer, so that parts of a program
   * share it; functions are equal only to themselves. Throws `KUBEFLECT_OPTION_INVALID` or `KUBEFLECT_ENGINE_CLOSED`.
   */
  informer<T extends KubernetesObject = KubernetesObject>(options: InformerOptions<T>): SharedInformer<T> {
    if (this.#closing !== undefined) throw engineClosed();
    const resolved = resolveInformerOptions(options);
    checkSnapshotOption(resolved, this.#options.snapshot !== undefined);
    const id = this.#identity.of(resolved);
    this.#removeStopped();
    let entry = this.#informers.get(id);
    if (entry === undefined) {
      entry = this.#create(resolved as unknown as ResolvedInformerOptions<KubernetesObject>);
      this.#informers.set(id, entry);
    }
    return entry.informer as unknown as SharedInformer<T>;
  }

  /** The worker threads, for profilers; undefined for one that is being replaced. */
  get threads(): readonly (Worker | undefined)[] {
    return this.#pool.threads;
  }

  /** Cheap enough for every scrape. `utilization` counts from the last call. */
  stats(): EngineStats {
    return {
      workers: this.#pool.stats,
      informers: [...this.#informers.values()].map(({ informer, source, bytes }) => {
        const { handlers, ...health } = informer.health();
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
          shard: source.shardStats,
          streams: source.streamsStats,
        };
      }),
    };
  }

  /** Stops all informers and ends the threads. The caches can still be read. Idempotent. */
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
    // All in this turn: handlers receive nothing after the call.
    await Promise.all([
      this.leases.close(),
      ...[...informers, ...this.#leaving].map((informer) => informer.stop(options)),
    ]);
    await this.#snapshots?.close();
    await this.#pool.close();
  }

  #removeStopped(): void {
    for (const [id, { informer }] of this.#informers) {
      if (!informer.isStopped) continue;
      this.#informers.delete(id);
      this.#leaving.add(informer);
      void informer
        .stop()
        .then(() => this.#snapshots?.remove(informer))
        .finally(() => this.#leaving.delete(informer));
    }
  }

  #create(options: ResolvedInformerOptions<KubernetesObject>): EngineInformer {
    const { limits, clock, random, onError } = this.#options;
    const name = this.#unusedName(options.name ?? nameOf(options));
    const cache = new SlabCache({ scheduler: this.#slices, indexNames: indexNames(options) });
    // The objects of a ring's shards are another replica's after a restart.
    const hasSnapshot = options.ring === undefined;
    const snapshot = hasSnapshot ? this.#snapshots?.create(name, options, cache, this.metrics) : undefined;
    const source = new InformerSource({
      name,
      informer: options,
      pool: this.#pool,
      credentials: this.#credentials,
      limits,
      batches: new BatchToEntries(cache, this.#readers),
      serverEncodings: this.#serverEncodings,
      watchListSupport: this.#watchListSupport,
      requests: this.#requests,
      snapshot,
      clock,
      random,
    });
    const { transform, slowHandlerMs, mergeAbove, mutationDetector, watchErrorHandler, resyncPeriodMs } =
      options;
    const errorHandler = options.onError ?? onError;
    const informer = new SharedInformer<KubernetesObject>({
      run: (context, signal) => source.run(context, signal),
      ...(snapshot && { onApplied: snapshot.onApplied }),
      name,
      resource: { ...groupAndVersion(options.apiVersion), resource: options.plural },
      namespaces: options.namespaces,
      ...((options.shard ?? options.ring) && { hasUid: hasUidOf(options) }),
      cachedForm: cachedForm(options),
      missingContent: () => missingContent(options, source.unknownFields > 0),
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
    if (snapshot !== undefined) this.#snapshots?.add(informer, snapshot);
    return { informer, source, bytes: () => cache.stats().heldBytes };
  }

  /** Informers must have different names, which label their metrics. */
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

/** Of a ring: those of the shards that the collection is to have now. */
function hasUidOf({
  shard,
  ring,
}: Pick<ResolvedInformerOptions<KubernetesObject>, 'shard' | 'ring'>): (uid: string) => boolean {
  const ranges = shard && [rangeOfShard(shard.index, shard.of)];
  return (uid) => {
    const now = ranges ?? ring?.wanted?.map((index) => rangeOfShard(index, ring.shards));
    return now === undefined || isUidInRanges(uid, now);
  };
}

/** `pods`, `deployments.apps in shop`, … */
function nameOf({
  plural,
  apiVersion,
  namespaces,
  labelSelector,
  fieldSelector,
  shard,
}: ResolvedInformerOptions<KubernetesObject>): string {
  const { group } = groupAndVersion(apiVersion);
  const where = namespaces.length === 0 ? '' : ` in ${namespaces.join(', ')}`;
  const which = [labelSelector, fieldSelector].filter(Boolean).join(', ');
  const part = shard === undefined ? '' : ` of shard ${shard.index} of ${shard.of}`;
  return `${plural}${group && `.${group}`}${where}${which && ` where ${which}`}${part}`;
}
