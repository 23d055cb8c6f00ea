import type { Credentials } from '../auth/credentials.js';
import type { ReflectorContext } from '../informer/shared-informer-options.js';
import type { KubernetesObject } from '../kube/object.js';
import { CONTROLLER_UID_PATH } from '../kube/owner-reference.js';
import { PROTOBUF_VERSION } from '../kube/protobuf-schema/table.js';
import {
  describeUnknownField,
  type UnknownField,
  UnknownFieldError,
} from '../kube/protobuf-schema/unknown-field.js';
import { RepeatedFailures } from '../kube/repeated-failures.js';
import { groupAndVersion } from '../kube/resource.js';
import { type HashRange, rangeOfShard } from '../kube/sharding/hash-range.js';
import type { StreamPool } from '../pool/worker-pool.js';
import type { Rejected } from '../reflector/lister-watcher.js';
import { Reflector } from '../reflector/reflector.js';
import { WATCH_LIST_REPROBE_MS } from '../reflector/reflector-options.js';
import type { ReflectorReport } from '../reflector/reflector-report.js';
import type { Entry } from '../store/entry.js';
import { controllerUid, type Indexers } from '../store/index-function.js';
import type { ReflectorStore } from '../store/reflector-store.js';
import type { StoredEntry } from '../store/slab/slab-intake.js';
import { type Clock, processTime, type Random, systemClock } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import { EntryError, KubeflectError } from '../util/errors.js';
import type { RestClientMetrics } from '../util/rest-client-metrics.js';
import { sliceSchedulerOf } from '../util/slice-scheduler.js';
import type { DecodingOptions, Encoding, StreamLimits } from '../wire/stream-task.js';
import type { BatchToEntries } from './batch-to-entries.js';
import { EncodingChoice, type ServerEncodings } from './encoding-choice.js';
import { FunctionLister } from './function-lister.js';
import type { InformerIndexer, ResolvedInformerOptions } from './informer-options.js';
import { NamespacedStore } from './namespaced-store.js';
import { ParallelLister, type StreamsStats } from './parallel-lister.js';
import { RingCollection } from './ring-collection.js';
import type { ShardFiltering, ShardStats } from './shard-evidence.js';
import type { InformerSnapshot } from './snapshots/informer-snapshot.js';
import type { WatchListSupport } from './watch-list-support.js';
import { WorkerListerWatcher, type WorkerListerWatcherOptions } from './worker-lister-watcher.js';

export interface InformerSourceOptions<T extends KubernetesObject> {
  readonly name: string;
  readonly informer: ResolvedInformerOptions<T>;
  readonly pool: StreamPool;
  readonly credentials: Credentials;
  readonly limits: StreamLimits;
  readonly batches: BatchToEntries<T>;
  /** Of the engine. */
  readonly serverEncodings: ServerEncodings;
  readonly watchListSupport: WatchListSupport;
  readonly requests: RestClientMetrics;
  readonly snapshot?: InformerSnapshot<T> | undefined;
  readonly clock: Clock | undefined;
  readonly random: Random | undefined;
}

type CountingListerWatcher<T extends KubernetesObject> =
  | WorkerListerWatcher<T>
  | ParallelLister<T>
  | FunctionLister<T>;

/** Fills the store of one informer: a reflector for its collection, or one for each of its namespaces. */
export class InformerSource<T extends KubernetesObject> {
  readonly #options: InformerSourceOptions<T>;
  readonly #encoding: EncodingChoice;
  readonly #failures: RepeatedFailures;
  readonly #listerWatchers: readonly CountingListerWatcher<T>[];
  /** True from the first response of the server on. */
  #hasConnected = false;
  /** Set by `run`, before any stream is opened. */
  #stored: StoredEntry<T> = () => undefined;
  /** With a ring, while it runs. */
  #ringCollection: RingCollection<T> | undefined;
  #reportError: (error: KubeflectError) => void = () => {};

  constructor(options: InformerSourceOptions<T>) {
    this.#options = options;
    this.#failures = new RepeatedFailures(options.clock ?? systemClock);
    this.#encoding = new EncodingChoice(options.informer, options.serverEncodings);
    const { namespaces } = options.informer;
    const scopes = namespaces.length === 0 ? [undefined] : namespaces;
    this.#listerWatchers = scopes.map((namespace) => this.#listerWatcher(namespace));
  }

  /** How often the complete collection was requested. */
  get lists(): number {
    return this.#sum(({ lists }) => lists);
  }

  /** Objects received by lists. */
  get listed(): number {
    return this.#sum(({ listed }) => listed);
  }

  /** Watch events received, bookmarks included. */
  get events(): number {
    return this.#sum(({ events }) => events);
  }

  get unknownFields(): number {
    return this.#sum(({ unknownFields }) => unknownFields);
  }

  /** Objects of other shards, which the server sent and a worker dropped. */
  get dropped(): number {
    return this.#sum(({ shards }) => shards.dropped);
  }

  get shardStats(): ShardStats | undefined {
    const { shard } = this.#options.informer;
    return shard && { ...shard, filteredBy: this.#shardFiltering, dropped: this.dropped };
  }

  get streamsStats(): StreamsStats | undefined {
    const [first] = this.#listerWatchers;
    return first instanceof ParallelLister ? first.streams : undefined;
  }

  /** `worker` if any of the collections is not filtered by the server; undefined before that is known of one. */
  get #shardFiltering(): ShardFiltering | undefined {
    const known = this.#listerWatchers.map(({ shards }) => shards.filtering);
    return known.find((filtering) => filtering === 'worker') ?? known.find((filtering) => filtering);
  }

  get decoder(): 'simd' | 'json' | undefined {
    return this.#listerWatchers.find(({ decoder }) => decoder !== undefined)?.decoder;
  }

  /** JSON if any of the collections is read in JSON: the others will be, too, when their streams end. */
  get encoding(): Encoding | undefined {
    const encodings = this.#listerWatchers.map(({ encoding }) => encoding);
    return (
      encodings.find((encoding) => encoding === 'json') ??
      encodings.find((encoding) => encoding !== undefined)
    );
  }

  /** True while every collection has an open watch: the store lags behind the server only by what is in flight. */
  get isWatching(): boolean {
    return this.#listerWatchers.every(({ openWatches }) => openWatches > 0);
  }

  /** The informer's `RunReflector`. */
  async run(context: ReflectorContext<T>, signal: AbortSignal): Promise<void> {
    const { indexer, watchErrorHandler, reportError, store, resyncPeriodMs, shouldResync } = context;
    const onFailure = (error: Error): void =>
      watchErrorHandler(error, { isRepeated: this.#failures.isRepeated(error) });
    const { namespaces } = this.#options.informer;
    const shared = new NamespacedStore(store, namespaces, () => indexer.entries());
    this.#reportError = reportError;
    const { snapshot } = this.#options;
    this.#stored = (key) => (snapshot?.isStoreStale === true ? undefined : indexer.getByKey(key));
    const reflectors: Reflector<T>[] = [];
    const isEverythingReadable = (): boolean =>
      reflectors.every((reflector) => reflector.isEverythingReadable);
    const watcherOf = (namespace: string): CountingListerWatcher<T> =>
      this.#listerWatcher(namespace === '' ? namespaces[0] : namespace, { isAside: true });
    await snapshot?.start(context, { isEverythingReadable, watcherOf }, signal);
    const run = (
      listerWatcher: CountingListerWatcher<T>,
      i: number,
      into = this.#storeOf(store, shared, namespaces[i]),
      stop = signal,
    ): Promise<void> => {
      const scope = this.#listerWatchers.length > 1 ? (namespaces[i] ?? '') : '';
      const warmStart = snapshot?.warmStart(scope);
      const reflector = new Reflector<T>({
        ...this.#reflectorOptions(),
        shouldResync,
        listerWatcher,
        name: this.#nameOf(namespaces[i]),
        store: into,
        // One is enough: all of them would resync the same store.
        resyncPeriodMs: i === 0 ? resyncPeriodMs : 0,
        watchErrorHandler: (_, error) => onFailure(error),
        report: (report) => {
          this.#onReport(report, reportError);
          if (report.type === 'cold-start') snapshot?.coldStart(scope, report.kind, report.error);
          // Retries of a streaming list are not reported as failed lists. Until the server has responded once, they are
          // the only sign that it cannot be reached.
          if (report.type === 'watch-retried' && !this.#hasConnected) {
            onFailure(this.#listFailed(report.error));
          }
        },
        ...(warmStart && { warmStart }),
      });
      reflectors[i] = reflector;
      return reflector.run(stop);
    };
    const { ring } = this.#options.informer;
    const [first] = this.#listerWatchers;
    if (ring === undefined || first === undefined) {
      await Promise.all(this.#listerWatchers.map((listerWatcher, i) => run(listerWatcher, i)));
      return;
    }
    this.#ringCollection = new RingCollection<T>({
      ring,
      store,
      clock: this.#options.clock ?? systemClock,
      now: processTime,
      progress: () => this.listed,
      follow: (into, stop) => run(first, 0, into, stop),
    });
    await this.#ringCollection.run(signal);
  }

  /** Undefined: all objects. */
  get #ranges(): readonly HashRange[] | undefined {
    const { shard } = this.#options.informer;
    return shard === undefined ? this.#ringCollection?.ranges : [rangeOfShard(shard.index, shard.of)];
  }

  #sum(count: (listerWatcher: CountingListerWatcher<T>) => number): number {
    return this.#listerWatchers.reduce((total, listerWatcher) => total + count(listerWatcher), 0);
  }

  #storeOf(
    store: ReflectorStore<T>,
    shared: NamespacedStore<T>,
    namespace: string | undefined,
  ): ReflectorStore<T> {
    const isOneOfMany = namespace !== undefined && this.#listerWatchers.length > 1;
    return isOneOfMany ? shared.view(namespace) : store;
  }

  #nameOf(namespace: string | undefined): string {
    return this.#listerWatchers.length > 1 ? `${this.#options.name} in ${namespace}` : this.#options.name;
  }

  #reflectorOptions() {
    const { informer, clock, random } = this.#options;
    const { apiVersion, kind, plural } = informer;
    return {
      ...informer.reflector,
      // With the plural, because a wrong plural is a likely cause of errors.
      typeDescription: `${apiVersion}, ${kind === '' ? '' : `Kind=${kind}, `}Resource=${plural}`,
      ...(kind !== '' && { expectedGVK: { ...groupAndVersion(apiVersion), kind } }),
      useWatchList: this.#encoding.prefersStreamingList,
      watchListPageSize: informer.list === 'full' ? 0 : informer.pageSize,
      ...(clock && { clock }),
      ...(random && { random }),
    };
  }

  #onReport(report: ReflectorReport, reportError: (error: KubeflectError) => void): void {
    publish('kubeflect:reflector:report', () => ({ informer: this.#options.name, report }));
    // With several streams, it says nothing about the server.
    const isByOneStream = this.#options.informer.streams === 1;
    if (report.type === 'watch-list-fallback' && report.isRemembered && isByOneStream) {
      const { informer, watchListSupport } = this.#options;
      watchListSupport.avoid(informer, informer.reflector.watchListReprobeMs ?? WATCH_LIST_REPROBE_MS);
    }
    if (report.type === 'waiting-for-list') {
      const message = `the API server does not respond to the list of "${this.#options.name}" (for ${report.waitedMs} ms)`;
      const error = new KubeflectError('KUBEFLECT_STALLED', message);
      if (!this.#failures.isRepeated(error)) reportError(error);
    }
    if (report.type === 'rejected') reportError(rejectedError(this.#options.name, report.rejected));
  }

  #listFailed(cause: Error): KubeflectError {
    const message = `failed to list ${this.#options.name}: ${cause.message}`;
    return new KubeflectError('KUBEFLECT_LIST_FAILED', message, { cause });
  }

  /** Reported once per resource and engine. Each stream of the resource comes here at its first unknown field. */
  #onUnknownField(field: UnknownField): void {
    if (!this.#encoding.noteUnknownField()) return;
    const { name, informer } = this.#options;
    const { apiVersion, plural, encoding } = informer;
    const isLost = encoding === 'protobuf';
    publish('kubeflect:informer:encoding', () => ({
      informer: name,
      apiVersion,
      resource: plural,
      encoding: isLost ? 'protobuf' : 'json',
      field,
    }));
    const consequence = isLost
      ? 'it is left out of objects, because encoding is "protobuf"; "auto" would not lose it'
      : `${apiVersion} ${plural} are read in JSON from now on`;
    const message =
      `the API server of "${name}" is newer than the protobuf schema of this package ` +
      `(Kubernetes ${PROTOBUF_VERSION}), which lacks ${describeUnknownField(field)}: ${consequence}`;
    this.#reportError(new UnknownFieldError(field, message));
  }

  #onConnect(): void {
    this.#failures.recovered();
    try {
      this.#options.informer.onConnect?.();
    } catch (cause) {
      const message = `onConnect of "${this.#options.name}" failed`;
      this.#reportError(new KubeflectError('KUBEFLECT_HANDLER_FAILED', message, { cause }));
    }
  }

  /** @param isAside it fills no store, and is not reported */
  #listerWatcher(namespace: string | undefined, { isAside = false } = {}): CountingListerWatcher<T> {
    const { informer, pool, credentials, limits, batches, watchListSupport, requests } = this.#options;
    const worker: WorkerListerWatcherOptions<T> = {
      pool,
      resource: informer,
      namespace,
      labelSelector: informer.labelSelector,
      fieldSelector: informer.fieldSelector,
      ranges: () => this.#ranges,
      listsMostRecent: informer.ring !== undefined,
      list: informer.list === 'full' ? 'full' : 'paged',
      credentials,
      decoding: decodingOf(informer),
      encoding: this.#encoding,
      watchListSupport,
      limits,
      requests,
      slices: sliceSchedulerOf(this.#options.clock ?? systemClock),
      openReader: (epoch) => batches.openStream(epoch, (key) => (isAside ? undefined : this.#stored(key))),
      knownTables: () => batches.knownTables,
      onList: () => {
        this.#ringCollection?.onList();
        batches.startList();
      },
      onResponse: () => {
        this.#hasConnected = true;
      },
      onUnknownField: (field) => this.#onUnknownField(field),
      ...(isAside ? {} : { onWatch: () => this.#onConnect() }),
    };
    const whole = new WorkerListerWatcher<T>(worker);
    if (typeof informer.list === 'function') return new FunctionLister(informer.list, whole);
    return informer.streams === 1 || isAside ? whole : this.#parallelLister(worker, whole, informer.streams);
  }

  #parallelLister(
    worker: WorkerListerWatcherOptions<T>,
    whole: WorkerListerWatcher<T>,
    streams: number,
  ): ParallelLister<T> {
    const part = (index: number, list = worker.list): WorkerListerWatcher<T> =>
      new WorkerListerWatcher<T>({
        ...worker,
        list,
        ranges: () => [rangeOfShard(index, streams)],
        pagesAhead: 1,
        onList: () => {},
      });
    return new ParallelLister<T>({
      whole,
      parts: Array.from({ length: streams }, (_, index) => part(index)),
      probe: () => part(0, 'paged'),
      slices: worker.slices,
      clock: this.#options.clock ?? systemClock,
    });
  }
}

/** Indexes whose values the worker computes, in the order in which a batch carries them. */
export function indexNames<T extends KubernetesObject>(informer: ResolvedInformerOptions<T>): string[] {
  const names = Object.keys(informer.indexers);
  const isPath = (name: string): boolean => pathOf(informer.indexers[name]) !== undefined;
  const isHook = (name: string): boolean => typeof informer.indexers[name] === 'object';
  return [...names.filter(isPath), ...names.filter(isHook)];
}

/** The index functions of the store. Values that a worker computed are read from the entry. */
export function storeIndexers<T extends KubernetesObject>(informer: ResolvedInformerOptions<T>): Indexers<T> {
  return Object.fromEntries(
    Object.entries(informer.indexers).map(([name, indexer]) => [
      name,
      typeof indexer === 'object' ? (entry: Entry<T>) => entry.indexValues(name) ?? [] : indexer,
    ]),
  );
}

/** What a worker evaluates itself. */
function pathOf<T extends KubernetesObject>(indexer: InformerIndexer<T> | undefined): string | undefined {
  return indexer === controllerUid ? CONTROLLER_UID_PATH : typeof indexer === 'string' ? indexer : undefined;
}

function decodingOf<T extends KubernetesObject>(informer: ResolvedInformerOptions<T>): DecodingOptions {
  const indexers = Object.values(informer.indexers);
  return {
    decoder: informer.decoder,
    apiVersion: informer.apiVersion,
    kind: informer.kind,
    form: informer.metadataOnly ? 'metadata' : 'object',
    drop: informer.drop,
    indexPaths: indexers.map(pathOf).filter((path) => path !== undefined),
    hookIndexes: indexers.flatMap((indexer) => (typeof indexer === 'object' ? [indexer.hook] : [])),
    ...(informer.hooks === undefined ? {} : { hooks: informer.hooks }),
  };
}

function rejectedError(informer: string, { reason, message, key }: Rejected): KubeflectError {
  const what = `"${informer}" rejected ${key ?? 'an object without a key'} (${reason}): ${message}`;
  const code = reason === 'quarantined' ? 'KUBEFLECT_QUARANTINED' : 'KUBEFLECT_REJECTED';
  return key === undefined ? new KubeflectError(code, what) : new EntryError(code, what, { key });
}
