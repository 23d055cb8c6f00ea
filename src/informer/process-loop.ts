import { compareResourceVersion } from '../kube/compare-resource-version.js';
import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import { applyDelta, type Skipped } from '../store/apply-delta.js';
import type { Entry } from '../store/entry.js';
import type { Indexer } from '../store/indexer.js';
import type { Delta } from '../store/queue/delta.js';
import {
  type CollectionDelta,
  isOfObject,
  type QueueDelta,
  type RealFIFO,
} from '../store/queue/real-fifo.js';
import type { Clock } from '../util/clock.js';
import { publish } from '../util/diagnostics.js';
import type { Slice, SliceScheduler } from '../util/slice-scheduler.js';
import { Segment } from './handlers/notification.js';
import type { NotificationSink } from './handlers/notification-sink.js';
import type { SharedProcessor } from './handlers/shared-processor.js';
import type { OwnWrites } from './own-writes/own-writes.js';
import { Relist } from './replace.js';

export interface ProcessLoopOptions<T extends KubernetesObject> {
  readonly informerName: string;
  readonly fifo: RealFIFO<T>;
  readonly indexer: Indexer<T>;
  readonly processor: SharedProcessor<T>;
  readonly ownWrites: OwnWrites<T>;
  readonly clock: Clock;
  readonly slices: SliceScheduler;
  readonly signal: AbortSignal;
  /** Returns the entry to store; undefined keeps the stored one. */
  readonly prepare: (entry: Entry<T>) => Entry<T> | undefined;
  /** The key is not in the collection, or no longer. */
  readonly onDeleted: (key: Key) => void;
  /** A list begins: every changed entry will be prepared, except the unreadable ones. */
  readonly onReplace: (unreadableKeys: ReadonlySet<string>) => void;
  readonly onSkipped: (reason: Skipped) => void;
  /** `type`: of its first delta; a delta of the collection is the only one of its batch. */
  readonly onBatch: (tookMs: number, type: QueueDelta<T>['type']) => void;
  /** See `SharedInformerOptions`. */
  readonly onApplied: ((delta: Delta<T> | undefined) => void) | undefined;
  /** The sinks that are due for the resync that is processed now. */
  readonly takeDueForResync: () => NotificationSink<T>[];
}

type Job = (slice: Slice) => Promise<void>;

/**
 * Pops deltas from the queue, applies them to the store, and distributes the changes (client-go's
 * controller.processLoop). The only writer of the store. Works in slices; a replacement of the store is built
 * separately and swapped in between two of them.
 *
 * It begins in a microtask: what the reflector queues at once is applied together, in the same turn of the event loop,
 * and no code of the reflector is on the stack.
 */
export class ProcessLoop<T extends KubernetesObject> {
  readonly #options: ProcessLoopOptions<T>;
  readonly #jobs: Job[] = [];
  /** The store was filled before the first list, and no handler knows of it. */
  #isPrefilled = false;
  #running: Promise<void> | undefined;

  constructor(options: ProcessLoopOptions<T>) {
    this.#options = options;
  }

  /** Call it whenever there may be something to do. */
  wake(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the loop has nothing to do, or was aborted. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Runs a job between two deltas. Nothing is written to the store meanwhile, however many slices the job takes. */
  betweenBatches<R>(job: (slice: Slice) => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#jobs.push((slice) => job(slice).then(resolve, reject));
      this.wake();
    });
  }

  /** All stored entries. Only for jobs. */
  async snapshot(slice: Slice): Promise<Entry<T>[]> {
    const entries: Entry<T>[] = [];
    for (const entry of this.#options.indexer.entries()) {
      if (!slice.take()) await slice.renew();
      entries.push(entry);
    }
    return entries;
  }

  /**
   * Stores entries before the first list, which is compared with them. No handler is notified: the first list does that.
   * Replaces what was stored so before. False if there was a list, or an event, already.
   */
  prefill(entries: Iterable<Entry<T>>, resourceVersion: string): Promise<boolean> {
    return this.betweenBatches(async (slice) => {
      const { fifo, indexer, signal } = this.#options;
      if (signal.aborted || fifo.hasSynced || (indexer.size > 0 && !this.#isPrefilled)) return false;
      const former = this.#isPrefilled ? await this.snapshot(slice) : [];
      const staged = indexer.stage();
      for (const entry of entries) {
        if (!slice.take()) await slice.renew();
        if (signal.aborted) return false;
        staged.put(entry);
      }
      for (const entry of staged.items.values()) {
        if (!slice.take()) await slice.renew();
        staged.index(entry);
      }
      indexer.commit(staged, resourceVersion);
      this.#isPrefilled = true;
      for (const entry of former) {
        if (!slice.take()) await slice.renew();
        indexer.releaseFormer(entry);
      }
      return true;
    });
  }

  /** What a handler that is added now must be notified of first. Only for jobs. */
  async known(slice: Slice): Promise<Entry<T>[]> {
    return this.#isPrefilled ? [] : this.snapshot(slice);
  }

  async #run(): Promise<void> {
    await undefined;
    const { fifo, slices, signal } = this.#options;
    const slice = slices.open();
    for (;;) {
      if (!slice.take()) await slice.renew();
      const job = this.#jobs.shift();
      if (job !== undefined) {
        await job(slice);
        continue;
      }
      if (signal.aborted) break;
      const isInInitialList = !fifo.hasSynced;
      const delta = fifo.pop();
      if (delta === undefined) break;
      if (isOfObject(delta)) this.#applyBatch(delta, slice);
      else await this.#processCollectionDelta(delta, isInInitialList, slice);
    }
    this.#running = undefined;
  }

  /** Applies this delta and those after it, up to a delta of the collection or the end of the slice. */
  #applyBatch(first: Delta<T>, slice: Slice): void {
    const { fifo, signal, onBatch } = this.#options;
    const startedAtMs = slice.nowMs;
    for (let delta: Delta<T> | undefined = first; delta !== undefined; ) {
      this.#apply(delta, !fifo.hasSynced);
      fifo.done(delta);
      delta = slice.take() && !signal.aborted ? fifo.popObject() : undefined;
    }
    if (!signal.aborted) onBatch(slice.nowMs - startedAtMs, first.type);
  }

  async #processCollectionDelta(
    delta: CollectionDelta<T>,
    isInInitialList: boolean,
    slice: Slice,
  ): Promise<void> {
    const { clock, fifo, indexer, ownWrites, signal, onBatch } = this.#options;
    const startedAtMs = slice.nowMs;
    switch (delta.type) {
      case 'ReplacedAll':
        await this.#replaceAll(delta, isInInitialList, slice);
        break;
      case 'SyncAll':
        await this.#syncAll(slice);
        break;
      case 'Bookmark':
        indexer.advance(delta.resourceVersion);
        await ownWrites.appliedAll(delta, slice);
    }
    if (signal.aborted) return;
    onBatch(clock.now() - startedAtMs, delta.type);
    fifo.done(delta);
  }

  #apply(delta: Delta<T>, isInInitialList: boolean): void {
    const { indexer, ownWrites, prepare, processor, onApplied, onDeleted, onSkipped } = this.#options;
    const change = applyDelta(indexer, delta, prepare);
    ownWrites.applied(delta);
    onApplied?.(delta);
    if (typeof change === 'string') onSkipped(change);
    if (delta.type === 'Deleted' && change !== 'stale') onDeleted(delta.entry.key);
    if (typeof change === 'string') return;
    processor.distribute(
      change.type === 'add' ? { type: 'add', entry: change.entry, isInInitialList } : change,
    );
  }

  async #replaceAll(
    delta: Extract<CollectionDelta<T>, { type: 'ReplacedAll' }>,
    isInInitialList: boolean,
    slice: Slice,
  ): Promise<void> {
    const { informerName, indexer, ownWrites, prepare, processor, onDeleted, onReplace, signal } =
      this.#options;
    onReplace(delta.unreadableKeys);
    const from = indexer.lastStoreSyncResourceVersion;
    const relist = new Relist({ indexer, isStoreStale: this.#isPrefilled, prepare, slice, signal });
    await relist.compare(delta.entries, delta.unreadableKeys);
    await relist.commit(delta.resourceVersion);
    if (signal.aborted) return;
    await ownWrites.appliedAll(delta, slice);
    this.#options.onApplied?.(undefined);
    const segment = this.#isPrefilled
      ? Segment.ofReplay(await this.snapshot(slice))
      : relist.segment(isInInitialList);
    this.#isPrefilled = false;
    const distributed = processor.distributeAll(segment, slice, signal);
    publish('kubeflect:informer:replaced', () => ({
      informer: informerName,
      objects: indexer.size,
      changed: relist.changed,
      deleted: relist.deleted.length,
      resourceVersion: delta.resourceVersion,
    }));
    if ((compareResourceVersion(delta.resourceVersion, from) ?? 0) < 0) {
      publish('kubeflect:informer:reset', () => ({
        informer: informerName,
        from,
        to: delta.resourceVersion,
      }));
    }
    await distributed;
    for (const entry of relist.deleted) {
      if (!slice.take()) await slice.renew();
      onDeleted(entry.key);
    }
    await relist.release();
  }

  /** A handler whose list or earlier resync is still pending is left out: it will receive everything anyway. */
  async #syncAll(slice: Slice): Promise<void> {
    const { takeDueForResync, signal } = this.#options;
    const due = takeDueForResync();
    if (due.length === 0) return;
    const entries = await this.snapshot(slice);
    if (signal.aborted) return;
    const segment = Segment.ofResync(entries);
    for (const sink of due) sink.attach(segment);
  }
}
