import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../entry.js';
import type { ReflectorStore } from '../reflector-store.js';
import { BackPressure } from './back-pressure.js';
import type { Delta, DeltaType } from './delta.js';
import { HasSynced } from './has-synced.js';
import { Ring } from './ring.js';

/** client-go's batch size. */
const BATCH = 1000;
/** Queue length above which the reflector should wait; client-go blocks it at two batches. */
const BEHIND = 2 * BATCH;

/** A delta of the collection, not of a single object. Never in a batch with others. */
export type CollectionDelta<T extends KubernetesObject> =
  | {
      readonly type: 'ReplacedAll';
      readonly entries: Iterable<Entry<T>>;
      readonly resourceVersion: string;
      /** Objects that exist but are not among the entries. */
      readonly unreadableKeys: ReadonlySet<string>;
    }
  | { readonly type: 'SyncAll' }
  | { readonly type: 'Bookmark'; readonly resourceVersion: string };

export type QueueDelta<T extends KubernetesObject> = Delta<T> | CollectionDelta<T>;

/** The popped deltas. Until `done` is called they count as queued. */
export interface Batch<T extends KubernetesObject> {
  /** Deltas of different keys, oldest first; or one delta of the collection. */
  readonly deltas: readonly QueueDelta<T>[];
  readonly isInInitialList: boolean;
  /** Call it once, when the batch is in the store. */
  done(): void;
}

export interface RealFIFOOptions {
  /** Called when there is something to pop. */
  readonly onItem?: () => void;
  /** Called once, when the first list was processed. */
  readonly onSynced?: () => void;
}

/**
 * The queue of informers: client-go's RealFIFO with atomic events, its queue since 1.36. Each call of the reflector
 * becomes one delta; deltas are in the order of arrival, across keys, and never merged. A replace is one delta, so that
 * it can become visible at once.
 *
 * In that order, the store contains everything up to the resource version of the last applied delta.
 * Bounded by back-pressure: `isBehind` beyond two batches, or two lists.
 */
export class RealFIFO<T extends KubernetesObject = KubernetesObject> implements ReflectorStore<T> {
  readonly #queue = new Ring<QueueDelta<T>>();
  readonly #hasSynced: HasSynced;
  readonly #onItem: () => void;
  readonly #backPressure = new BackPressure(() => this.#isLong());
  /** Lists that are queued or being processed. */
  #lists = 0;
  #hasSyncAll = false;
  #isClosed = false;

  constructor(options: RealFIFOOptions = {}) {
    this.#onItem = options.onItem ?? (() => {});
    this.#hasSynced = new HasSynced(options.onSynced ?? (() => {}));
  }

  get length(): number {
    return this.#queue.length;
  }

  /** True once the first list, or an event before any list, is processed. Never becomes false again. */
  get hasSynced(): boolean {
    return this.#hasSynced.value;
  }

  get isBehind(): boolean {
    return this.#backPressure.isBehind;
  }

  drained(signal: AbortSignal): Promise<void> {
    return this.#backPressure.drained(signal);
  }

  add(entry: Entry<T>): void {
    this.#change('Added', entry);
  }

  update(entry: Entry<T>): void {
    this.#change('Updated', entry);
  }

  /** Not filtered here: whether the key is stored is decided when the delta is applied. */
  delete(entry: Entry<T>): void {
    this.#change('Deleted', entry);
  }

  /** The queue owns `entries` from here on, and reads them later, in slices. */
  replace(
    entries: Iterable<Entry<T>>,
    resourceVersion: string,
    unreadableKeys: ReadonlySet<string> = new Set(),
  ): void {
    if (this.#isClosed) return;
    this.#lists++;
    // Copied, since the reflector continues to change its set before the list is applied.
    this.#queue.push({
      type: 'ReplacedAll',
      entries,
      resourceVersion,
      unreadableKeys: new Set(unreadableKeys),
    });
    this.#hasSynced.populate(this.#queue.length);
    this.#onItem();
  }

  /** Does nothing while one is still queued. */
  resync(): void {
    if (this.#isClosed || this.#hasSyncAll) return;
    this.#hasSyncAll = true;
    this.#queue.push({ type: 'SyncAll' });
    this.#onItem();
  }

  bookmark(resourceVersion: string): void {
    if (this.#isClosed) return;
    // Of consecutive bookmarks only the last one matters.
    if (this.#queue.last()?.type === 'Bookmark')
      this.#queue.replaceLast({ type: 'Bookmark', resourceVersion });
    else this.#queue.push({ type: 'Bookmark', resourceVersion });
    this.#onItem();
  }

  /**
   * Pops the next deltas, if any. A batch ends at its limit, at the end of the first list, before a delta of the
   * collection, and before a second delta of a key: applying the batch then equals applying its deltas one by one.
   */
  popBatch(limit: number = BATCH): Batch<T> | undefined {
    const first = this.#queue.shift();
    if (first === undefined) return undefined;
    const isInInitialList = !this.hasSynced;
    const initial = this.#hasSynced.remaining;
    const deltas: QueueDelta<T>[] = [first];
    if (first.type === 'SyncAll') this.#hasSyncAll = false;
    if (isOfOneKey(first)) {
      const max = initial > 0 ? Math.min(limit, initial) : limit;
      const keys = new Set<Key>([first.entry.key]);
      for (;;) {
        const next = this.#queue.peek();
        if (deltas.length >= max || next === undefined || !isOfOneKey(next) || keys.has(next.entry.key))
          break;
        this.#queue.shift();
        keys.add(next.entry.key);
        deltas.push(next);
      }
    }
    // Deltas popped before the first list are not part of it, even if they are done later.
    const counted = initial > 0 ? deltas.length : 0;
    return { deltas, isInInitialList, done: () => this.#done(first.type, counted) };
  }

  /** Drops everything that is or will be queued, and releases a waiting reflector. */
  close(): void {
    this.#isClosed = true;
    while (this.#queue.shift() !== undefined);
    this.#backPressure.release();
  }

  #change(type: DeltaType, entry: Entry<T>): void {
    if (this.#isClosed) return;
    this.#queue.push({ type, entry, finalStateUnknown: false });
    this.#hasSynced.populate(0);
    this.#onItem();
  }

  #done(type: QueueDelta<T>['type'], ofFirstList: number): void {
    if (type === 'ReplacedAll') this.#lists--;
    this.#hasSynced.processed(ofFirstList);
    this.#backPressure.release();
  }

  #isLong(): boolean {
    return !this.#isClosed && (this.#queue.length > BEHIND || this.#lists > 1);
  }
}

function isOfOneKey<T extends KubernetesObject>(delta: QueueDelta<T>): delta is Delta<T> {
  return delta.type !== 'ReplacedAll' && delta.type !== 'SyncAll' && delta.type !== 'Bookmark';
}
