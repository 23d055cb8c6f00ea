import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../entry.js';
import type { EntryList, NamespaceVersions, ReflectorStore } from '../reflector-store.js';
import { BackPressure } from './back-pressure.js';
import type { Delta, DeltaType } from './delta.js';
import { HasSynced } from './has-synced.js';
import { Ring } from './ring.js';

/** Queue length above which the reflector should wait: client-go blocks it at two batches of 1,000. */
const BEHIND = 2000;

/** A delta of the collection, not of a single object. */
export type CollectionDelta<T extends KubernetesObject> =
  | {
      readonly type: 'ReplacedAll';
      readonly entries: EntryList<T>;
      readonly resourceVersion: string;
      /** Objects that exist but are not among the entries. */
      readonly unreadableKeys: ReadonlySet<string>;
      /** Of the namespaces that were listed, if not the whole collection was. */
      readonly versions: NamespaceVersions | undefined;
    }
  | { readonly type: 'SyncAll' }
  | {
      readonly type: 'Bookmark';
      readonly resourceVersion: string;
      readonly versions: NamespaceVersions | undefined;
    };

export type QueueDelta<T extends KubernetesObject> = Delta<T> | CollectionDelta<T>;

export interface RealFIFOOptions {
  /** Called when there is something to pop, and there was nothing before. */
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
 * Bounded by back-pressure: `isBehind` beyond 2,000 events, or two lists.
 */
export class RealFIFO<T extends KubernetesObject = KubernetesObject> implements ReflectorStore<T> {
  readonly #queue = new Ring<QueueDelta<T>>();
  readonly #hasSynced: HasSynced;
  readonly #onItem: () => void;
  readonly #backPressure = new BackPressure(() => this.#isLong());
  /** Lists that are queued or being processed. */
  #lists = 0;
  #hasSyncAll = false;
  #isPoppedOfFirstList = false;
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
    entries: EntryList<T>,
    resourceVersion: string,
    unreadableKeys: ReadonlySet<string> = new Set(),
    versions?: NamespaceVersions,
  ): void {
    if (this.#isClosed) return;
    this.#lists++;
    // Copied, since the reflector continues to change its set before the list is applied.
    const keys = new Set(unreadableKeys);
    this.#hasSynced.populate(this.#queue.length + 1);
    this.#push({ type: 'ReplacedAll', entries, resourceVersion, unreadableKeys: keys, versions });
  }

  /** Does nothing while one is still queued. */
  resync(): void {
    if (this.#isClosed || this.#hasSyncAll) return;
    this.#hasSyncAll = true;
    this.#push({ type: 'SyncAll' });
  }

  bookmark(resourceVersion: string, versions?: NamespaceVersions): void {
    if (this.#isClosed) return;
    const last = this.#queue.last();
    // Of consecutive bookmarks only the last one matters, of each namespace.
    if (last?.type === 'Bookmark') {
      const both = versions && last.versions ? new Map([...last.versions, ...versions]) : versions;
      this.#queue.replaceLast({ type: 'Bookmark', resourceVersion, versions: both });
    } else this.#push({ type: 'Bookmark', resourceVersion, versions });
  }

  /**
   * Pops the next delta, if any. Until `done` is called for it, it counts as queued; so one delta at a time is popped.
   * `hasSynced`, read before that, tells whether the delta belongs to the first list.
   */
  pop(): QueueDelta<T> | undefined {
    const delta = this.#queue.shift();
    if (delta === undefined) return undefined;
    if (delta.type === 'SyncAll') this.#hasSyncAll = false;
    // A delta that was popped before the first list is not part of it, even if it is done later.
    this.#isPoppedOfFirstList = this.#hasSynced.remaining > 0;
    return delta;
  }

  /** The same, if the next delta is one of an object. */
  popObject(): Delta<T> | undefined {
    const next = this.#queue.peek();
    return next !== undefined && isOfObject(next) && this.pop() === next ? next : undefined;
  }

  /** The popped delta is in the store. */
  done(delta: QueueDelta<T>): void {
    if (delta.type === 'ReplacedAll') this.#lists--;
    if (this.#isPoppedOfFirstList) this.#hasSynced.processed(1);
    this.#backPressure.release();
    if (delta.type === 'ReplacedAll') delta.entries.onApplied?.();
  }

  /** Drops everything that is or will be queued, and releases a waiting reflector. */
  close(): void {
    this.#isClosed = true;
    while (this.#queue.shift() !== undefined);
    this.#backPressure.release();
  }

  #change(type: DeltaType, entry: Entry<T>): void {
    if (this.#isClosed) return;
    this.#hasSynced.populate(0);
    this.#push({ type, entry, finalStateUnknown: false });
  }

  #push(delta: QueueDelta<T>): void {
    this.#queue.push(delta);
    if (this.#queue.length === 1) this.#onItem();
  }

  #isLong(): boolean {
    return !this.#isClosed && (this.#queue.length > BEHIND || this.#lists > 1);
  }
}

export function isOfObject<T extends KubernetesObject>(delta: QueueDelta<T>): delta is Delta<T> {
  return delta.type !== 'ReplacedAll' && delta.type !== 'SyncAll' && delta.type !== 'Bookmark';
}
