import type { InformerOptions } from '../engine/informer-options.js';
import type { DeleteDetails } from '../informer/handlers/event-handler.js';
import type { SharedInformer } from '../informer/shared-informer.js';
import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import { isSameVersion } from '../store/apply-delta.js';
import type { Entry } from '../store/entry.js';
import type { IndexReader } from '../store/indexer.js';
import { KubeflectError } from '../util/errors.js';
import type { EngineLease } from './engine-lease.js';

export interface RunOptions<T extends KubernetesObject> {
  /** The run begins when this has resolved: the end of the previous one. */
  readonly after: Promise<void>;
  /** The last state of each object that the callbacks received, across runs. Updated by the run. */
  readonly delivered: Map<Key, Entry<T>>;
  readonly takeEngine: () => Pick<EngineLease, 'engine' | 'release'>;
  readonly informer: InformerOptions<T>;
  readonly onAdd: (entry: Entry<T>) => void;
  readonly onUpdate: (before: Entry<T>, after: Entry<T>) => void;
  readonly onDelete: (entry: Entry<T>, details: Pick<DeleteDetails, 'finalStateUnknown'>) => void;
  /** The callbacks have received the complete first list. */
  readonly onListed: () => void;
  /** A list or a watch failed, and will be retried. */
  readonly onFailure: (error: Error) => void;
}

/**
 * A `ListWatch` from one start to its stop. For the callbacks, a stop and the next start are a pause: the first list
 * is compared with the states that they have received, and they receive the differences.
 */
export class Run<T extends KubernetesObject> {
  /** See `Informer.start`. Rejects if the informer cannot be created. */
  readonly ready: Promise<void>;
  readonly #options: RunOptions<T>;
  readonly #failed: Promise<void>;
  #fail: () => void = () => {};
  #informer: SharedInformer<T> | undefined;
  #lease: Pick<EngineLease, 'engine' | 'release'> | undefined;
  #isStopped = false;

  constructor(options: RunOptions<T>) {
    this.#options = options;
    this.#failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    this.ready = this.#begin();
  }

  /** The store, once it has the first list. */
  get reader(): IndexReader<T> | undefined {
    return this.#informer?.hasSynced ? this.#informer.indexer : undefined;
  }

  /** Counts an error that occurred outside of the informer. */
  count({ code }: KubeflectError): void {
    this.#lease?.engine.metrics
      .counter('kubeflect_client_node_errors_total', 'Errors of callbacks and list functions, by code.')
      .labels({ code })
      .increment();
  }

  /** Takes effect immediately. Resolves when this run and the previous ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#informer?.stop();
    await this.#lease?.release();
    await this.#options.after;
  }

  async #begin(): Promise<void> {
    await this.#options.after;
    if (this.#isStopped) return;
    const { delivered } = this.#options;
    /** Delivered before, and not seen in this run yet. */
    const missing = new Set(delivered.keys());
    this.#lease = this.#options.takeEngine();
    this.#informer = this.#makeInformer(this.#lease);
    const handler = this.#informer.addEventHandler({
      onAdd: (entry) => {
        missing.delete(entry.key);
        this.#onAdd(entry);
      },
      onUpdate: (before, after) => {
        delivered.set(after.key, after);
        this.#options.onUpdate(before, after);
      },
      onDelete: (entry, { finalStateUnknown }) => this.#onDelete(entry, { finalStateUnknown }),
    });
    this.#informer.start();
    const listed = handler.synced.then(() => {
      for (const key of missing) {
        if (this.#isStopped) return;
        this.#onDelete(delivered.get(key), { finalStateUnknown: true });
      }
      if (!this.#isStopped) this.#options.onListed();
    }, ignoreStop);
    await Promise.race([listed, this.#failed]);
  }

  #makeInformer(lease: Pick<EngineLease, 'engine' | 'release'>): SharedInformer<T> {
    try {
      return lease.engine.informer<T>({
        ...this.#options.informer,
        watchErrorHandler: (error) => {
          this.#fail();
          this.#options.onFailure(error);
        },
      });
    } catch (error) {
      void lease.release();
      throw error;
    }
  }

  #onAdd(entry: Entry<T>): void {
    const { delivered } = this.#options;
    const before = delivered.get(entry.key);
    delivered.set(entry.key, entry);
    if (before === undefined) this.#options.onAdd(entry);
    else if (!isSameVersion(before, entry)) this.#options.onUpdate(before, entry);
  }

  #onDelete(entry: Entry<T> | undefined, details: Pick<DeleteDetails, 'finalStateUnknown'>): void {
    if (entry === undefined) return;
    this.#options.delivered.delete(entry.key);
    this.#options.onDelete(entry, details);
  }
}

/** A stop resolves a pending `start`. */
function ignoreStop(error: unknown): void {
  if (!(error instanceof KubeflectError) || error.code !== 'KUBEFLECT_INFORMER_STOPPED') throw error;
}
