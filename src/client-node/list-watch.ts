import { type InformerOptions, resolveInformerOptions } from '../engine/informer-options.js';
import { type Key, metaNamespaceKey } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { NAMESPACE_INDEX } from '../store/index-function.js';
import type { IndexReader } from '../store/indexer.js';
import { systemClock } from '../util/clock.js';
import { ErrorReporter } from '../util/error-reporter.js';
import { HandlerError, KubeflectError } from '../util/errors.js';
import { type Callback, Callbacks } from './callbacks.js';
import { parseCollectionPath } from './collection-path.js';
import { withDates } from './dates.js';
import { EngineLease, type KubeConfigLike } from './engine-lease.js';
import {
  ADD,
  type CHANGE,
  CONNECT,
  DELETE,
  type DeleteCallback,
  ERROR,
  type ErrorCallback,
  type Informer,
  type ListPromise,
  type ObjectCache,
  type ObjectCallback,
  UPDATE,
  type UpdateCallback,
} from './informer.js';
import { missingFromList, plainList } from './list-function.js';
import {
  type ListWatchOptions,
  type ResolvedListWatchOptions,
  resolveListWatchOptions,
} from './list-watch-options.js';
import { RestartGuard } from './restart-guard.js';
import { Run } from './run.js';

/** client-node's Watch, by structure. Only its KubeConfig is used. */
export interface WatchLike {
  readonly config: KubeConfigLike;
}

/**
 * client-node's ListWatch, implemented by an engine. docs/migrating.md lists the intended differences.
 *
 * Errors are emitted and never end the informer. Objects are plain, in the wire format, and shared: they must not be
 * changed.
 */
export class ListWatch<T extends KubernetesObject> implements Informer<T>, ObjectCache<T>, Iterable<T> {
  readonly #path: string;
  readonly #config: KubeConfigLike;
  readonly #listFn: ListPromise<T>;
  readonly #options: ResolvedListWatchOptions;
  readonly #informer: InformerOptions<T>;
  readonly #callbacks = new Callbacks();
  readonly #restarts = new RestartGuard();
  readonly #errors: ErrorReporter;
  /** Set between start and stop. */
  #run: Run<T> | undefined;
  /** The stopped run whose store is read until the next one has listed. */
  #previousRun: Run<T> | undefined;
  /** The last state of each object that the callbacks received. */
  readonly #delivered = new Map<Key, Entry<T>>();
  #stopping: Promise<void> = Promise.resolve();
  /** Reset by `start`. */
  #isStopped = false;
  #isListFnChecked = false;

  /** Throws `KUBEFLECT_OPTION_INVALID`. */
  constructor(
    path: string,
    watch: WatchLike,
    listFn: ListPromise<T>,
    autoStart = true,
    labelSelector?: string,
    fieldSelector?: string,
    options: ListWatchOptions = {},
  ) {
    this.#path = path;
    this.#config = watch.config;
    this.#listFn = listFn;
    this.#options = resolveListWatchOptions(options);
    this.#informer = this.#informerOptions(labelSelector, fieldSelector);
    resolveInformerOptions(this.#informer);
    this.#errors = new ErrorReporter({
      informerName: path,
      clock: systemClock,
      onError: (error) => this.#emitError(error),
      onCount: (error) => this.#run?.count(error),
    });
    if (autoStart) this.start().catch((error: KubeflectError) => this.#errors.report(error));
  }

  start(): Promise<void> {
    if (this.#run !== undefined) return this.#run.ready;
    if (!this.#restarts.isStartWanted) return Promise.resolve();
    const run = this.#restarts.outside(() => this.#begin());
    this.#run = run;
    this.#isStopped = false;
    run.ready.then(
      () => this.#checkListFn(run),
      () => {
        if (this.#run === run) this.#run = undefined;
      },
    );
    return run.ready;
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run !== undefined) {
      this.#restarts.stopped();
      this.#run = undefined;
      this.#isStopped = true;
      if (run.reader !== undefined) this.#previousRun = run;
      this.#stopping = run.stop();
    }
    await this.#stopping;
  }

  on(verb: UPDATE, cb: UpdateCallback<T>): void;
  on(verb: DELETE, cb: DeleteCallback<T>): void;
  on(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  on(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  on(verb: string, cb: Callback): void {
    this.#callbacks.on(verb, cb);
  }

  off(verb: UPDATE, cb: UpdateCallback<T>): void;
  off(verb: DELETE, cb: DeleteCallback<T>): void;
  off(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  off(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  off(verb: string, cb: Callback): void {
    this.#callbacks.off(verb, cb);
  }

  get(name: string, namespace?: string): T | undefined {
    const entry = this.#reader?.getByKey(metaNamespaceKey(namespace, name));
    return entry && this.#objectOf(entry);
  }

  /** A snapshot of all objects. Decodes them all: iterate to read only some. */
  list(namespace?: string): ReadonlyArray<T> {
    const reader = this.#reader;
    if (reader === undefined) return [];
    const entries = namespace ? reader.byIndex(NAMESPACE_INDEX, namespace) : reader.list();
    return entries.map((entry) => this.#objectOf(entry));
  }

  /** The same, but objects are decoded one by one. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (const entry of this.#reader?.list() ?? []) yield this.#objectOf(entry);
  }

  latestResourceVersion(): string {
    return this.#reader?.lastStoreSyncResourceVersion ?? '';
  }

  /** After a stop, the previous store until the next start has listed. */
  get #reader(): IndexReader<T> | undefined {
    return this.#run?.reader ?? this.#previousRun?.reader;
  }

  #begin(): Run<T> {
    const { engine } = this.#options;
    const run: Run<T> = new Run<T>({
      after: this.#stopping,
      delivered: this.#delivered,
      takeEngine: () => (engine ? { engine, release: async () => {} } : EngineLease.take(this.#config)),
      informer: this.#informer,
      onAdd: (entry) => this.#emit(ADD, entry, () => []),
      onUpdate: (before, after) => this.#emit(UPDATE, after, () => [this.#objectOf(before)]),
      onDelete: (entry, details) => this.#emit(DELETE, entry, () => [details]),
      onFailure: (error) => this.#emitError(error),
      onListed: () => {
        if (this.#run === run) this.#previousRun = undefined;
      },
    });
    return run;
  }

  #informerOptions(labelSelector: string | undefined, fieldSelector: string | undefined): InformerOptions<T> {
    const { apiVersion, plural, namespace, ...ofPath } = parseCollectionPath('ListWatch', this.#path);
    const { kind, drop, useListFn } = this.#options;
    const label = labelSelector ?? ofPath.labelSelector;
    const field = fieldSelector ?? ofPath.fieldSelector;
    return {
      apiVersion,
      plural,
      ...(namespace !== undefined && { namespace }),
      ...(label !== undefined && { labelSelector: label }),
      ...(field !== undefined && { fieldSelector: field }),
      ...(kind !== undefined && { kind }),
      ...(drop !== undefined && { drop }),
      // A paged list fails visibly, and `start` must resolve when the first list has succeeded or failed.
      list: useListFn ? () => plainList(this.#listFn) : 'paged',
      onConnect: () => this.#callbacks.call(CONNECT, [], (cause) => this.#callbackFailed(CONNECT, cause)),
      onError: (error) => this.#emitError(error),
    };
  }

  #objectOf(entry: Entry<T>): T {
    return this.#options.dates === 'date' ? withDates(entry.object) : entry.object;
  }

  /** Decodes nothing for a verb without callbacks. */
  #emit(verb: ADD | UPDATE | DELETE, entry: Entry<T>, more: () => readonly unknown[]): void {
    if (!this.#callbacks.has(verb)) return;
    this.#callbacks.call(verb, [this.#objectOf(entry), ...more()], (cause) => {
      const message = `a callback for ${verb} failed on ${entry.key}`;
      const details = { handlerName: verb, key: entry.key, cause };
      this.#errors.report(new HandlerError('KUBEFLECT_HANDLER_FAILED', message, details));
    });
  }

  /** Throws if there are no callbacks, or the informer is stopped: the error reporter then prints a warning. */
  #emitError(error: Error): void {
    if (this.#isStopped || !this.#callbacks.has(ERROR)) throw error;
    this.#restarts.duringError(() =>
      this.#callbacks.call(ERROR, [error], (cause) => this.#callbackFailed(ERROR, cause)),
    );
  }

  /** Not emitted as `error`: the error callback may be what failed. */
  #callbackFailed(verb: CONNECT | ERROR, cause: unknown): void {
    const message = `a callback for ${verb} failed`;
    const error = new KubeflectError('KUBEFLECT_HANDLER_FAILED', message, { cause });
    this.#errors.report(error, () => {
      throw error;
    });
  }

  async #checkListFn(run: Run<T>): Promise<void> {
    const { checkListFn, useListFn } = this.#options;
    const reader = run.reader;
    if (!checkListFn || useListFn || this.#isListFnChecked || reader === undefined) return;
    this.#isListFnChecked = true;
    try {
      const missing = await missingFromList(this.#listFn, reader);
      if (missing > 0) this.#errors.report(narrowListFn(this.#path, missing));
    } catch {
      // The function is not used otherwise, so its failure does not matter.
    }
  }
}

function narrowListFn(path: string, missing: number): KubeflectError {
  return new KubeflectError(
    'KUBEFLECT_LIST_FN_DIFFERS',
    `the list function of ${path} returns ${missing} objects fewer than the path; it is not used to list, so pass ` +
      'its selectors to makeInformer as labelSelector or { fieldSelector }, or set { useListFn: true }',
  );
}
