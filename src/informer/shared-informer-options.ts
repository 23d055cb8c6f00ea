import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import type { Indexers } from '../store/index-function.js';
import type { IndexReader } from '../store/indexer.js';
import type { Delta } from '../store/queue/delta.js';
import type { ReflectorStore } from '../store/reflector-store.js';
import type { Clock } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import type { Slice, SliceScheduler } from '../util/slice-scheduler.js';
import type { MutationDetectorMode } from './mutation-detector.js';
import type { MissingContent } from './object-for-update.js';

/** What an informer passes to its reflector. */
export interface ReflectorContext<T extends KubernetesObject> {
  readonly store: ReflectorStore<T>;
  /** What is stored at the moment, for reading. */
  readonly indexer: IndexReader<T>;
  /** How often to call `shouldResync`. 0: never. */
  readonly resyncPeriodMs: number;
  /** If true, the reflector calls `store.resync()`. */
  readonly shouldResync: () => boolean;
  /**
   * Call it with every failure of a list or a watch, before the backoff. `isRepeated`: the same one was reported before;
   * it is counted, but not passed to `onError` again.
   */
  readonly watchErrorHandler: (error: Error, options?: { readonly isRepeated: boolean }) => void;
  /** Runs a job in slices, while nothing is written to the store. */
  readonly betweenBatches: <R>(job: (slice: Slice) => Promise<R>) => Promise<R>;
  /**
   * Fills the store with what an earlier process stored, before the first list. Handlers receive it with that list.
   * Replaces what it was filled with before. False if a list was faster.
   */
  readonly prefill: (entries: Iterable<Entry<T>>, resourceVersion: string) => Promise<boolean>;
  /** The informer starts with what an earlier process stored, or, with false, no longer does. */
  readonly setWarm: (isWarm: boolean) => void;
  /** Call it with non-fatal errors, such as an unreadable object. */
  readonly reportError: (error: KubeflectError) => void;
}

/**
 * Fills the store until the signal aborts: `new Reflector(…).run(signal)`. Ending earlier is an error, and it is
 * restarted.
 */
export type RunReflector<T extends KubernetesObject> = (
  context: ReflectorContext<T>,
  signal: AbortSignal,
) => Promise<void>;

export interface SharedInformerOptions<T extends KubernetesObject> {
  readonly run: RunReflector<T>;
  /** In errors, metrics and diagnostics. @default the resource, or `informer` */
  readonly name?: string;
  /** Labels of the metrics, as client-go has them. */
  readonly resource?: { readonly group: string; readonly version: string; readonly resource: string };
  /** Namespaces of the collection; several have a reflector each. @default all */
  readonly namespaces?: readonly string[];
  /** Of a shard of a collection: whether it may have an object of this uid. @default true for all */
  readonly hasUid?: (uid: string) => boolean;
  /**
   * For `assume`: what the store would hold of an object that the API answered, before `transform`; undefined if it would
   * not be in the collection. @default a copy of the object
   */
  readonly cachedForm?: (object: T) => T | undefined;
  /** In addition to the index `namespace`, which always exists. */
  readonly indexers?: Indexers<T>;
  /**
   * Changes objects before they are stored, e.g. to drop fields. May change its argument; must be idempotent. Runs on
   * the main thread and keeps the object decoded. If it throws, the object keeps its previous state, and the error is
   * reported.
   */
  readonly transform?: (object: T) => T;
  /** What stored objects lack of those of the API server, besides what `transform` removes. @default nothing */
  readonly missingContent?: () => MissingContent | undefined;
  /** Default resync period of handlers. 0: never. @default 0 */
  readonly resyncPeriodMs?: number;
  /** After this time a callback that has not settled is reported. Lower finds slow handlers earlier. @default 30000 */
  readonly slowHandlerMs?: number;
  /**
   * Notifications queued for a handler above which they are merged by key. Higher shows a slow handler more states and
   * costs memory. @default 1024
   */
  readonly mergeAbove?: number;
  /** For tests: finds code that mutates stored objects. @default none */
  readonly mutationDetector?: MutationDetectorMode;
  /** client-go's SetWatchErrorHandler: receives every failed list and watch, in place of `onError`. */
  readonly watchErrorHandler?: (error: Error) => void;
  /** Called after each delta was applied to the store, and with undefined after a list. */
  readonly onApplied?: (delta: Delta<T> | undefined) => void;
  /** Receives non-fatal errors. @default a process warning, at most one per second */
  readonly onError?: (error: KubeflectError) => void;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Share one between all that runs on this thread. @default the one of `clock` */
  readonly slices?: SliceScheduler;
}

export interface AddEventHandlerOptions {
  /** In errors, metrics and health. @default the class of the handler and a number */
  readonly name?: string;
  /**
   * The handler's resync period; at least a second, and at least the informer's check period. @default the informer's
   */
  readonly resyncPeriodMs?: number;
  /** Aborting removes the handler. */
  readonly signal?: AbortSignal;
}

export interface EventsOptions {
  /** Aborting ends the iterator. */
  readonly signal?: AbortSignal;
}

export interface StopOptions {
  /** True to deliver queued notifications first. @default false */
  readonly drain?: boolean;
  /** How long to wait for handlers and the reflector. @default 10000 */
  readonly timeoutMs?: number;
}
