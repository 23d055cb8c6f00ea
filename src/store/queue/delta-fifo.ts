import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import { KubeflectError } from '../../util/errors.js';
import type { Entry } from '../entry.js';
import type { ReflectorStore } from '../reflector-store.js';
import { BackPressure } from './back-pressure.js';
import type { Delta, Deltas, DeltaType } from './delta.js';
import { HasSynced } from './has-synced.js';
import { Ring } from './ring.js';

/** client-go's batch size. */
const BATCH = 1000;
/** Queue length above which the reflector should wait; client-go blocks it at two batches. */
const BEHIND = 2 * BATCH;
/** Deltas of one key above which they are compressed. High enough that a consumer that keeps up sees every event. */
const DELTAS_PER_KEY = 16;

/** What the consumer of the queue has processed so far (client-go's KeyListerGetter). An `Indexer` is one. */
export interface KnownObjects<T extends KubernetesObject> {
  listKeys(): Iterable<Key>;
  getByKey(key: Key): Entry<T> | undefined;
}

export interface DeltaFIFOOptions<T extends KubernetesObject> {
  /** Without it, a replace detects no deletions outside the queue, and a resync does nothing. */
  readonly knownObjects?: KnownObjects<T>;
  /**
   * Called once per added entry, but not for tombstones and syncs. If it throws, so does the call; nothing is queued.
   */
  readonly transform?: (entry: Entry<T>) => Entry<T>;
  /** The type of a replace's deltas; `Sync` is client-go's without EmitDeltaTypeReplaced. @default 'Replaced' */
  readonly replaceDeltaType?: 'Replaced' | 'Sync';
}

export type PopProcess<T extends KubernetesObject> = (
  deltas: Deltas<T>,
  isInInitialList: boolean,
) => void | Promise<void>;

export type PopBatchProcess<T extends KubernetesObject> = (
  batch: readonly Deltas<T>[],
  isInInitialList: boolean,
) => void | Promise<void>;

/** Thrown by the process function of a pop to requeue its deltas (client-go's ErrRequeue). */
export class RequeueError extends KubeflectError {
  constructor(cause?: unknown) {
    super('KUBEFLECT_REQUEUE', 'the deltas could not be processed now and are queued again', { cause });
  }
}

/**
 * client-go's DeltaFIFO: a queue of keys, each with what happened to it since it was last popped.
 *
 *     queue   a  b  c           a key is in the queue exactly when it has deltas;
 *     items   │  │  └ [Added]   a change of a queued key joins its deltas and keeps its place
 *             │  └ [Deleted, Added]
 *             └ [Updated, Updated]
 *
 * Order is kept per key, not between keys; an informer uses `RealFIFO`, which keeps both. Pops are processed
 * one at a time. Differences from client-go: deletions of a replace are queued before its items; `hasSynced` becomes
 * true after processing; the deltas of one key are bounded.
 */
export class DeltaFIFO<T extends KubernetesObject = KubernetesObject> implements ReflectorStore<T> {
  /** Per key, oldest first; never an empty list. */
  readonly #items = new Map<Key, Delta<T>[]>();
  readonly #queue = new Ring<Key>();
  /**
   * The newest delta of each popped key that is not processed yet: neither queued nor known, a replace would miss it.
   */
  readonly #processing = new Map<Key, Delta<T>>();
  readonly #knownObjects: KnownObjects<T> | undefined;
  readonly #transform: (entry: Entry<T>) => Entry<T>;
  readonly #replaceDeltaType: DeltaType;
  readonly #hasSynced = new HasSynced(() => {});
  readonly #backPressure = new BackPressure(() => !this.#isClosed && this.#queue.length > BEHIND);
  #waitingForItem: (() => void)[] = [];
  /** Resolves when the previous pop is done. */
  #lastPop: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: DeltaFIFOOptions<T> = {}) {
    this.#knownObjects = options.knownObjects;
    this.#transform = options.transform ?? ((entry) => entry);
    this.#replaceDeltaType = options.replaceDeltaType ?? 'Replaced';
  }

  /** Keys in the queue. */
  get length(): number {
    return this.#queue.length;
  }

  /** True once the first list, or an event before any list, is processed. Never becomes false again. */
  get hasSynced(): boolean {
    return this.#hasSynced.value;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isBehind(): boolean {
    return this.#backPressure.isBehind;
  }

  drained(signal: AbortSignal): Promise<void> {
    return this.#backPressure.drained(signal);
  }

  add(entry: Entry<T>): void {
    this.#enqueue('Added', this.#transform(entry));
    this.#hasSynced.populate(0);
  }

  update(entry: Entry<T>): void {
    this.#enqueue('Updated', this.#transform(entry));
    this.#hasSynced.populate(0);
  }

  /** Dropped if the key is neither queued, in processing nor known. */
  delete(entry: Entry<T>): void {
    this.#hasSynced.populate(0);
    const key = entry.key;
    const isKnown =
      this.#items.has(key) || this.#processing.has(key) || this.#knownObjects?.getByKey(key) !== undefined;
    if (isKnown) this.#enqueue('Deleted', this.#transform(entry));
  }

  /**
   * Queues a deletion of everything that is queued, in processing or known, but not listed; then the items in order.
   */
  replace(
    entries: Iterable<Entry<T>>,
    _resourceVersion: string,
    unreadableKeys: ReadonlySet<string> = new Set(),
  ): void {
    const listed = new Map<Key, Entry<T>>();
    for (const entry of entries) {
      const transformed = this.#transform(entry);
      listed.set(transformed.key, transformed);
    }
    const missing = this.#missingFrom((key) => listed.has(key) || unreadableKeys.has(key));
    for (const entry of missing) this.#enqueue('Deleted', entry, true);
    for (const entry of listed.values()) this.#enqueue(this.#replaceDeltaType, entry);
    this.#hasSynced.populate(missing.length + listed.size);
  }

  /** Queues a `Sync` for every known key that has nothing queued: a pending change is newer than what is known. */
  resync(): void {
    for (const key of this.#knownObjects?.listKeys() ?? []) {
      if (this.#items.has(key) || this.#processing.has(key)) continue;
      const entry = this.#knownObjects?.getByKey(key);
      if (entry !== undefined) this.#enqueue('Sync', entry);
    }
  }

  /**
   * Waits for a key, and passes all its deltas to `process`. What `process` throws is thrown here and the deltas are
   * dropped, except for a `RequeueError`: they are requeued, before newer deltas of the key. Rejects with
   * `KUBEFLECT_QUEUE_CLOSED` once the queue is closed and empty.
   */
  pop(process: PopProcess<T>): Promise<void> {
    return this.popBatch((batch, isInInitialList) => {
      const deltas = batch[0];
      return deltas && process(deltas, isInInitialList);
    }, 1);
  }

  /** `pop` for up to `limit` keys at once; a batch never extends beyond the first list. */
  popBatch(process: PopBatchProcess<T>, limit: number = BATCH): Promise<void> {
    const pop = this.#lastPop.then(() => this.#popNext(process, limit));
    this.#lastPop = pop.catch(() => {});
    return pop;
  }

  /** Wakes waiting pops. Queued deltas can still be popped, and the queue still accepts changes. */
  close(): void {
    this.#isClosed = true;
    this.#wakePoppers();
    this.#backPressure.release();
  }

  async #popNext(process: PopBatchProcess<T>, limit: number): Promise<void> {
    while (this.#queue.length === 0) {
      if (this.#isClosed) throw new KubeflectError('KUBEFLECT_QUEUE_CLOSED', 'the queue is closed');
      await new Promise<void>((resolve) => this.#waitingForItem.push(resolve));
    }
    const isInInitialList = !this.hasSynced;
    const initial = this.#hasSynced.remaining;
    const batch = this.#take(initial > 0 ? Math.min(limit, initial) : limit);
    let processed = initial > 0 ? batch.length : 0;
    try {
      await process(batch, isInInitialList);
    } catch (error) {
      if (!(error instanceof RequeueError)) throw error;
      for (const deltas of batch) this.#requeue(deltas);
      processed = 0;
    } finally {
      this.#processing.clear();
      this.#hasSynced.processed(processed);
      this.#backPressure.release();
    }
  }

  #take(limit: number): Delta<T>[][] {
    const batch: Delta<T>[][] = [];
    while (batch.length < limit) {
      const key = this.#queue.shift();
      if (key === undefined) break;
      const deltas = this.#items.get(key) ?? [];
      this.#items.delete(key);
      this.#processing.set(key, newest(deltas));
      batch.push(deltas);
    }
    return batch;
  }

  #requeue(deltas: Delta<T>[]): void {
    const key = newest(deltas).entry.key;
    const since = this.#items.get(key);
    if (since === undefined) {
      this.#queue.push(key);
      this.#items.set(key, deltas);
    } else {
      this.#items.set(key, bounded([...deltas, ...since]));
    }
  }

  /** The last known state of each object that a list deletes. */
  #missingFrom(isListed: (key: Key) => boolean): Entry<T>[] {
    const missing: Entry<T>[] = [];
    // Present only in the queue (kubernetes#115658): the watch may have missed its deletion.
    for (const [key, deltas] of this.#items) {
      if (!isListed(key) && newest(deltas).type !== 'Deleted') missing.push(newest(deltas).entry);
    }
    for (const [key, delta] of this.#processing) {
      if (!isListed(key) && !this.#items.has(key) && delta.type !== 'Deleted') missing.push(delta.entry);
    }
    for (const key of this.#knownObjects?.listKeys() ?? []) {
      if (isListed(key) || this.#items.has(key) || this.#processing.has(key)) continue;
      const known = this.#knownObjects?.getByKey(key);
      if (known !== undefined) missing.push(known);
    }
    return missing;
  }

  #enqueue(type: DeltaType, entry: Entry<T>, finalStateUnknown = false): void {
    const delta = { type, entry, finalStateUnknown };
    const deltas = this.#items.get(entry.key);
    if (deltas === undefined) {
      this.#items.set(entry.key, [delta]);
      this.#queue.push(entry.key);
      this.#wakePoppers();
      return;
    }
    const last = newest(deltas);
    if (type !== 'Deleted' || last.type !== 'Deleted') {
      deltas.push(delta);
      if (deltas.length > DELTAS_PER_KEY) this.#items.set(entry.key, bounded(deltas));
    } else if (last.finalStateUnknown) {
      // Two deletions become one: the one that knows the final state, else the older.
      deltas[deltas.length - 1] = delta;
    }
  }

  #wakePoppers(): void {
    const waiting = this.#waitingForItem;
    this.#waitingForItem = [];
    for (const wake of waiting) wake();
  }
}

function newest<T extends KubernetesObject>(deltas: Deltas<T>): Delta<T> {
  const delta = deltas.at(-1);
  if (delta === undefined) throw new Error('a queued key without deltas; this is a bug in DeltaFIFO');
  return delta;
}

/**
 * The newest delta, preceded by the last deletion if there was one: enough for a store and its handlers to converge.
 */
function bounded<T extends KubernetesObject>(deltas: Delta<T>[]): Delta<T>[] {
  if (deltas.length <= DELTAS_PER_KEY) return deltas;
  const last = newest(deltas);
  const lastDeletion = deltas.findLast((delta) => delta.type === 'Deleted');
  return lastDeletion === undefined || lastDeletion === last ? [last] : [lastDeletion, last];
}
