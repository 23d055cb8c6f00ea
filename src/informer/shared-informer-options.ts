import type { KubernetesObject } from '../kube/object.js';
import type { Indexers } from '../store/index-function.js';
import type { IndexReader } from '../store/indexer.js';
import type { ReflectorStore } from '../store/reflector-store.js';
import type { Clock } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';
import type { Metrics } from '../util/metrics.js';
import type { SliceScheduler } from '../util/slice-scheduler.js';
import type { MutationDetectorMode } from './mutation-detector.js';

/** What an informer gives to its reflector. */
export interface ReflectorContext<T extends KubernetesObject> {
  readonly store: ReflectorStore<T>;
  /** What is stored at the moment, for reading. */
  readonly indexer: IndexReader<T>;
  /** How often to ask `shouldResync`. 0: never. */
  readonly resyncPeriodMs: number;
  /** If true, the reflector calls `store.resync()`. */
  readonly shouldResync: () => boolean;
  /** To be called with every failure of a list or a watch, before the back-off. */
  readonly watchErrorHandler: (error: Error) => void;
  /** To be called with what went wrong and failed nothing: an object that could not be read. */
  readonly reportError: (error: KubeflectError) => void;
}

/** Fills the store until the signal aborts: `new Reflector(…).run(signal)`. Ending earlier is an error, and it is run again. */
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
  /** Added to the index `namespace`, which is always there. */
  readonly indexers?: Indexers<T>;
  /**
   * Changes objects before anybody sees them: drop what is not needed. May change its argument; must give the same when called
   * with its own result. Runs on the main thread and keeps the object decoded. If it throws, the object keeps its former state and is reported.
   */
  readonly transform?: (object: T) => T;
  /** How often handlers that do not say otherwise are told of everything again. 0: never. @default 0 */
  readonly resyncPeriodMs?: number;
  /** When a callback that does not settle is reported. Lower finds slow handlers earlier. @default 30000 */
  readonly slowHandlerMs?: number;
  /** Notifications waiting for a handler above which states are merged by key. Higher shows a slow handler more states and costs memory. @default 1024 */
  readonly mergeAbove?: number;
  /** For tests: finds code that changes stored objects. @default none */
  readonly mutationDetector?: MutationDetectorMode;
  /** client-go's SetWatchErrorHandler: told of every failed list and watch, in place of `onError`. */
  readonly watchErrorHandler?: (error: Error) => void;
  /** Told of everything that went wrong and did not end anything. @default a process warning, at most one per second */
  readonly onError?: (error: KubeflectError) => void;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  /** Share one between informers. @default one of its own */
  readonly slices?: SliceScheduler;
}

export interface AddEventHandlerOptions {
  /** In errors, metrics and health. @default the class of the handler and a number */
  readonly name?: string;
  /** How often this handler is told of everything again; at least a second, and not more often than the informer looks. @default the informer's */
  readonly resyncPeriodMs?: number;
  /** Aborting removes the handler. */
  readonly signal?: AbortSignal;
}

export interface EventsOptions {
  /** Aborting ends the iterator. */
  readonly signal?: AbortSignal;
}

export interface StopOptions {
  /** True to tell handlers what is still queued for them. @default false */
  readonly drain?: boolean;
  /** How long to wait for handlers and the reflector. @default 10000 */
  readonly timeoutMs?: number;
}
