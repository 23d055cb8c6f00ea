import type { Credentials } from '../auth/credentials.js';
import type { RunReflector } from '../informer/shared-informer-options.js';
import type { KubernetesObject } from '../kube/object.js';
import { groupAndVersion } from '../kube/resource.js';
import type { StreamPool } from '../pool/worker-pool.js';
import type { Rejected } from '../reflector/lister-watcher.js';
import { Reflector } from '../reflector/reflector.js';
import type { ReflectorReport } from '../reflector/reflector-report.js';
import type { Entry } from '../store/entry.js';
import type { Indexers } from '../store/index-function.js';
import type { ReflectorStore } from '../store/reflector-store.js';
import type { Clock, Random } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import { EntryError, KubeflectError } from '../util/errors.js';
import type { DecodingOptions, Encoding, StreamLimits } from '../wire/stream-task.js';
import type { Encodings } from './encoding-choice.js';
import { FunctionLister } from './function-lister.js';
import type { ResolvedInformerOptions } from './informer-options.js';
import { NamespacedStore } from './namespaced-store.js';
import { type ReadBatch, WorkerListerWatcher } from './worker-lister-watcher.js';

export interface InformerSourceOptions<T extends KubernetesObject> {
  readonly name: string;
  readonly informer: ResolvedInformerOptions<T>;
  readonly pool: StreamPool;
  readonly credentials: Credentials;
  readonly limits: StreamLimits;
  readonly openReader: (epoch: number) => ReadBatch<T>;
  readonly known: () => Readonly<Record<string, number>>;
  /** Of the engine. */
  readonly encodings: Encodings;
  readonly clock: Clock | undefined;
  readonly random: Random | undefined;
}

type CountingListerWatcher<T extends KubernetesObject> = WorkerListerWatcher<T> | FunctionLister<T>;

/** What fills the store of one informer: a reflector for its collection, or one for each of its namespaces. */
export class InformerSource<T extends KubernetesObject> {
  readonly #options: InformerSourceOptions<T>;
  readonly #listerWatchers: readonly CountingListerWatcher<T>[];
  /** The server has answered, whatever happens from then on. */
  #isConnected = false;
  #reportError: (error: KubeflectError) => void = () => {};

  constructor(options: InformerSourceOptions<T>) {
    this.#options = options;
    const { namespaces } = options.informer;
    const places = namespaces.length === 0 ? [undefined] : namespaces;
    this.#listerWatchers = places.map((namespace) => this.#listerWatcher(namespace));
  }

  /** How often a collection was asked for in whole. */
  get lists(): number {
    return this.#listerWatchers.reduce((sum, { lists }) => sum + lists, 0);
  }

  get listed(): number {
    return this.#listerWatchers.reduce((sum, { listed }) => sum + listed, 0);
  }

  get decoder(): 'simd' | 'json' | undefined {
    return this.#listerWatchers.find(({ decoder }) => decoder !== undefined)?.decoder;
  }

  get encoding(): Encoding | undefined {
    return this.#listerWatchers.find(({ encoding }) => encoding !== undefined)?.encoding;
  }

  get unknownFields(): number {
    return this.#listerWatchers.reduce((sum, { unknownFields }) => sum + unknownFields, 0);
  }

  /** True while every collection is watched: the store is behind the server only by what is on its way. */
  get isWatching(): boolean {
    return this.#listerWatchers.every(({ openWatches }) => openWatches > 0);
  }

  get events(): number {
    return this.#listerWatchers.reduce((sum, { events }) => sum + events, 0);
  }

  /** `stored` is what the informer's store holds when it is called. */
  runner(stored: () => Iterable<Entry<T>>): RunReflector<T> {
    return async ({ watchErrorHandler, reportError, ...context }, signal) => {
      const { namespaces } = this.#options.informer;
      const shared = new NamespacedStore(context.store, namespaces, stored);
      this.#reportError = reportError;
      const run = (listerWatcher: CountingListerWatcher<T>, i: number): Promise<void> =>
        new Reflector<T>({
          ...this.#tuning(),
          ...context,
          listerWatcher,
          name: this.#nameOf(namespaces[i]),
          store: this.#storeOf(context.store, shared, namespaces[i]),
          // All would resync the same store.
          resyncPeriodMs: i === 0 ? context.resyncPeriodMs : 0,
          watchErrorHandler: (_, error) => watchErrorHandler(error),
          report: (report) => {
            this.#onReport(report, reportError);
            // A streaming list waits for its server in silence; nobody has heard of that server yet.
            if (report.type === 'watch-retried' && !this.#isConnected) {
              watchErrorHandler(this.#listFailed(report.error));
            }
          },
        }).run(signal);
      await Promise.all(this.#listerWatchers.map(run));
    };
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

  #tuning() {
    const { informer, clock, random } = this.#options;
    const { apiVersion, kind, plural } = informer;
    return {
      ...informer.reflector,
      // With the plural: it may be what is wrong.
      typeDescription: `${apiVersion}, ${kind === '' ? '' : `Kind=${kind}, `}Resource=${plural}`,
      ...(kind !== '' && { expectedGVK: { ...groupAndVersion(apiVersion), kind } }),
      useWatchList: informer.list === 'stream' || (informer.list === 'auto' && this.#isProtobufWanted),
      watchListPageSize: informer.list === 'full' ? 0 : informer.pageSize,
      ...(clock && { clock }),
      ...(random && { random }),
    };
  }

  get #isProtobufWanted(): boolean {
    const { encodings, informer } = this.#options;
    return encodings.wanted(informer).includes('protobuf');
  }

  #onReport(report: ReflectorReport, reportError: (error: KubeflectError) => void): void {
    publish('kubeflect:reflector:report', () => ({ informer: this.#options.name, report }));
    if (report.type === 'rejected') reportError(rejectedError(this.#options.name, report.rejected));
  }

  #listFailed(cause: Error): KubeflectError {
    const message = `failed to list ${this.#options.name}: ${cause.message}`;
    return new KubeflectError('KUBEFLECT_LIST_FAILED', message, { cause });
  }

  #onConnect(): void {
    try {
      this.#options.informer.onConnect?.();
    } catch (cause) {
      const message = `onConnect of "${this.#options.name}" failed`;
      this.#reportError(new KubeflectError('KUBEFLECT_HANDLER_FAILED', message, { cause }));
    }
  }

  #listerWatcher(namespace: string | undefined): CountingListerWatcher<T> {
    const { informer, pool, credentials, limits, openReader, known, encodings } = this.#options;
    const worker = new WorkerListerWatcher<T>({
      pool,
      resource: informer,
      namespace,
      labelSelector: informer.labelSelector,
      fieldSelector: informer.fieldSelector,
      list: informer.list === 'full' ? 'full' : 'paged',
      credentials,
      decoding: decodingOf(informer),
      streamsJson: informer.list === 'stream',
      encodings: () => encodings.wanted(informer),
      onEncoding: (encoding) => {
        this.#isConnected = true;
        encodings.note(informer, encoding);
      },
      limits,
      openReader,
      known,
      onConnect: () => this.#onConnect(),
    });
    return typeof informer.list === 'function' ? new FunctionLister(informer.list, worker) : worker;
  }
}

/** Indexes whose values come with every entry, in the order in which headers carry them. */
export function indexNames<T extends KubernetesObject>(informer: ResolvedInformerOptions<T>): string[] {
  const names = Object.keys(informer.indexers);
  const isPath = (name: string): boolean => typeof informer.indexers[name] === 'string';
  const isHook = (name: string): boolean => typeof informer.indexers[name] === 'object';
  return [...names.filter(isPath), ...names.filter(isHook)];
}

/** The indexes as the store wants them. What a worker computes is not computed here. */
export function storeIndexers<T extends KubernetesObject>(informer: ResolvedInformerOptions<T>): Indexers<T> {
  return Object.fromEntries(
    Object.entries(informer.indexers).map(([name, indexer]) => [
      name,
      typeof indexer === 'object' ? (entry: Entry<T>) => entry.indexValues(name) ?? [] : indexer,
    ]),
  );
}

function decodingOf<T extends KubernetesObject>(informer: ResolvedInformerOptions<T>): DecodingOptions {
  const indexers = Object.values(informer.indexers);
  return {
    decoder: informer.decoder,
    apiVersion: informer.apiVersion,
    kind: informer.kind,
    form: informer.metadataOnly ? 'metadata' : 'object',
    drop: informer.drop,
    indexPaths: indexers.filter((indexer) => typeof indexer === 'string'),
    hookIndexes: indexers.flatMap((indexer) => (typeof indexer === 'object' ? [indexer.hook] : [])),
    ...(informer.hooks === undefined ? {} : { hooks: informer.hooks }),
  };
}

function rejectedError(informer: string, { reason, message, key }: Rejected): KubeflectError {
  const what = `"${informer}" could not take ${key ?? 'an object without a key'} (${reason}): ${message}`;
  const code = reason === 'quarantined' ? 'KUBEFLECT_QUARANTINED' : 'KUBEFLECT_REJECTED';
  return key === undefined ? new KubeflectError(code, what) : new EntryError(code, what, { key });
}
