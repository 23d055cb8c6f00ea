import type { DeleteDetails } from '../informer/handlers/event-handler.js';
import type { RingOwnership, RingTurn } from '../kube/sharding/ring-shards.js';
import type { Entry } from '../store/entry.js';
import { invalidOption } from '../util/check-options.js';
import type { SliceScheduler } from '../util/slice-scheduler.js';
import type { Filter } from './checked-filter.js';

/** The part of an informer that tells which shard a key is of. */
export interface RingInformer {
  readonly lister: {
    entry(key: string): { readonly uid: string } | undefined;
    entries(): readonly Entry[];
  };
}

/** The informer, whose lister must have entries. Throws `KUBEFLECT_OPTION_INVALID`. */
export function ringInformer(informer: { readonly lister: object }): RingInformer {
  if (isRingInformer(informer)) return informer;
  throw invalidOption(
    'runController',
    'informer must be one of an engine with a ring: its lister has no entry() and entries(), which have the uids of objects',
  );
}

function isRingInformer(informer: { readonly lister: object }): informer is RingInformer {
  const { entry, entries } = informer.lister as Partial<RingInformer['lister']>;
  return typeof entry === 'function' && typeof entries === 'function';
}

export interface RingGateOptions {
  readonly ring: RingOwnership;
  readonly informer: RingInformer;
  /** Absent: all objects are reconciled. */
  readonly filter: Filter | undefined;
  readonly slices: SliceScheduler;
  readonly add: (key: string) => void;
  /** Aborted when the controller stops. */
  readonly stopped: AbortSignal;
}

/**
 * Lets a controller reconcile the keys of this process's shards. A key of another shard is dropped, because its owner
 * reconciles every key of a shard when it acquires it. Shards go by uid: that of a deleted object is kept until its key
 * was reconciled.
 */
export class RingGate {
  readonly #options: RingGateOptions;
  readonly #deleted = new Map<string, string>();
  readonly #acquired = new Set<number>();
  readonly #release: () => void;

  constructor(options: RingGateOptions) {
    this.#options = options;
    this.#release = options.ring.onAcquired((shard) => {
      this.#acquired.add(shard);
      // Several are acquired at once: all objects are looked at once for all of them.
      if (this.#acquired.size === 1) queueMicrotask(() => void this.#addAll());
    });
  }

  /** The object was deleted, and its key is about to be added, unless the filter leaves it out. */
  onDelete(entry: Entry, { before }: Pick<DeleteDetails, 'before'>): void {
    if (this.#isReconciled(entry) || (before !== entry && this.#isReconciled(before))) {
      this.#deleted.set(entry.key, entry.uid);
    }
  }

  /** Undefined if the key is not up to this process. */
  enter(key: string): RingTurn | undefined {
    const uid = this.#options.informer.lister.entry(key)?.uid ?? this.#deleted.get(key);
    return uid === undefined ? undefined : this.#options.ring.enter(uid);
  }

  /** The key was reconciled, or dropped. */
  forget(key: string): void {
    this.#deleted.delete(key);
  }

  close(): void {
    this.#release();
  }

  async #addAll(): Promise<void> {
    const acquired = new Set(this.#acquired);
    this.#acquired.clear();
    const { ring, informer, slices, add, stopped } = this.#options;
    const slice = slices.open();
    for (const entry of informer.lister.entries()) {
      if (!slice.take()) await slice.renew();
      if (stopped.aborted) return;
      if (acquired.has(ring.shardOf(entry.uid)) && this.#isReconciled(entry)) add(entry.key);
    }
    for (const [key, uid] of this.#deleted) if (acquired.has(ring.shardOf(uid))) add(key);
  }

  #isReconciled(entry: Entry): boolean {
    return this.#options.filter?.(entry) ?? true;
  }
}
