import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import { isSameVersion } from '../store/apply-delta.js';
import type { Entry } from '../store/entry.js';
import type { Indexer } from '../store/indexer.js';
import type { EntryList } from '../store/reflector-store.js';
import type { ShardedMap } from '../store/shards.js';
import type { StagedReplacement } from '../store/staged-replacement.js';
import type { Slice } from '../util/slice-scheduler.js';
import { Segment } from './handlers/notification.js';

/**
 * A relist with at most this many changes is applied to the present store at once, instead of rebuilding its indexes:
 * most relists of a large collection change little.
 */
const FEW_CHANGES = 1000;
/** And at most one object in this many. */
const FEW_CHANGES_RATIO = 4;
/** This many unchanged objects count as one item of a slice: together they take half a microsecond. */
const UNCHANGED_PER_ITEM = 16;

export interface RelistOptions<T extends KubernetesObject> {
  readonly indexer: Indexer<T>;
  /** What is stored may be of another history: an object with the same uid and version is not unchanged. */
  readonly isStoreStale?: boolean;
  /** Returns what to store for a listed entry; undefined keeps the stored one. */
  readonly prepare: (entry: Entry<T>) => Entry<T> | undefined;
  readonly slice: Slice;
  /** Once aborted, nothing is committed. */
  readonly signal: AbortSignal;
}

/**
 * What a relist does to the store and to handlers: it is compared with the store and built separately, both in slices,
 * and then becomes visible at once. Nothing else may write to the store meanwhile.
 */
export class Relist<T extends KubernetesObject> {
  readonly #options: RelistOptions<T>;
  /**
   * What to store for each listed object, in list order; before `#stage`, for an unchanged one, any entry of its state.
   */
  #listed: Entry<T>[] = [];
  /** New and changed entries, in list order. */
  readonly #entries: Entry<T>[] = [];
  /** The previous state of each; none of them if all are new. */
  readonly #before: (Entry<T> | undefined)[] = [];
  readonly #deleted: Entry<T>[] = [];
  /** Everything that was listed. Not created for a list that changes little and deletes nothing. */
  #staged: StagedReplacement<T> | undefined;

  constructor(options: RelistOptions<T>) {
    this.#options = options;
  }

  get changed(): number {
    return this.#entries.length;
  }

  get deleted(): readonly Entry<T>[] {
    return this.#deleted;
  }

  /**
   * Computes the changes. An object with the same uid and version is unchanged and keeps its entry, as does an
   * unreadable one.
   */
  async compare(list: EntryList<T>, unreadableKeys: ReadonlySet<string>): Promise<void> {
    const { indexer, isStoreStale, prepare, slice, signal } = this.#options;
    if (list.byKey !== undefined && indexer.size === 0) {
      await this.#adopt(list, list.byKey);
      return;
    }
    let stored = 0;
    const isSorted = list.isSortedByKey === true;
    let isInOrder = true;
    let lastKey = '';
    for (const listed of list) {
      const { key } = listed;
      if (!isSorted) {
        if (key <= lastKey) isInOrder = false;
        lastKey = key;
      }
      const isStored = listed.isStored === true;
      if (!isStored || stored % UNCHANGED_PER_ITEM === 0) {
        if (!slice.take()) await slice.renew();
        if (signal.aborted) return;
      }
      // Still valid: only this list writes to the store meanwhile.
      if (isStored) {
        stored++;
        this.#listed.push(listed);
        continue;
      }
      const before = indexer.getByKey(key);
      if (before !== undefined) stored++;
      const isUnchanged = isStoreStale !== true && before !== undefined && isSameVersion(before, listed);
      const entry = isUnchanged ? before : (prepare(listed) ?? before);
      if (entry === undefined) continue;
      this.#listed.push(entry);
      if (entry === before) continue;
      this.#entries.push(entry);
      this.#before.push(before);
    }
    // In the order of keys nothing is listed twice; if all stored objects were listed then, nothing is deleted.
    if (!isInOrder || stored < indexer.size || !this.#isSmall()) await this.#stage(unreadableKeys);
  }

  /** Makes the list visible, as its last action. */
  async commit(resourceVersion: string): Promise<void> {
    const { indexer, slice, signal } = this.#options;
    if (signal.aborted) return;
    if (this.#staged === undefined || this.#isSmall()) {
      indexer.replaceSome(this.#deleted, this.#entries, resourceVersion);
      return;
    }
    // In list order, so that the next relist finds the entries where it predicts them.
    for (const entry of this.#listed) {
      if (!slice.take()) await slice.renew();
      if (signal.aborted) return;
      this.#staged.index(entry);
    }
    indexer.commit(this.#staged, resourceVersion);
  }

  /** Releases the memory of replaced entries. After the notifications, so that handlers need not wait for it. */
  async release(): Promise<void> {
    const { indexer, slice, signal } = this.#options;
    for (const former of [this.#deleted, this.#before]) {
      for (const entry of former) {
        if (entry === undefined) continue;
        if (!slice.take()) await slice.renew();
        if (signal.aborted) return;
        indexer.releaseFormer(entry);
      }
    }
  }

  /** The notifications for handlers. */
  segment(isInInitialList: boolean): Segment<T> {
    let updates = 0;
    for (const before of this.#before) if (before !== undefined) updates++;
    return Segment.ofRelist({
      deleted: this.#deleted,
      before: this.#before,
      entries: this.#entries,
      adds: this.#entries.length - updates,
      isInInitialList,
    });
  }

  /** Everything is new, and a map of it exists: nothing is compared, and the map becomes the store's. */
  async #adopt(list: Iterable<Entry<T>>, byKey: ShardedMap<Entry<T>, Key>): Promise<void> {
    const { indexer, prepare, slice, signal } = this.#options;
    let visited = 0;
    for (const listed of list) {
      if (visited++ % UNCHANGED_PER_ITEM === 0) {
        if (!slice.take()) await slice.renew();
        if (signal.aborted) return;
      }
      const entry = prepare(listed);
      if (entry === undefined) byKey.delete(listed.key);
      else this.#entries.push(entry);
      if (entry !== undefined && entry !== listed) byKey.set(listed.key, entry);
    }
    this.#listed = this.#entries;
    this.#staged = indexer.stage(byKey);
  }

  #isSmall(): boolean {
    const changes = this.#entries.length + this.#deleted.length;
    return changes <= FEW_CHANGES && changes * FEW_CHANGES_RATIO <= this.#options.indexer.size;
  }

  /** Stages everything that was listed, and finds what was deleted. */
  async #stage(unreadableKeys: ReadonlySet<string>): Promise<void> {
    const { indexer, slice, signal } = this.#options;
    const staged = indexer.stage();
    this.#staged = staged;
    let isAnyListedTwice = false;
    for (let i = 0; i < this.#listed.length; i++) {
      if (!slice.take()) await slice.renew();
      if (signal.aborted) return;
      const listed = this.#listed[i] as Entry<T>;
      const entry = listed.isStored === true ? (indexer.getByKey(listed.key) ?? listed) : listed;
      this.#listed[i] = entry;
      if (!staged.put(entry)) isAnyListedTwice = true;
    }
    if (isAnyListedTwice) this.#keepLater(staged);
    for (const entry of indexer.entries()) {
      if (!slice.take()) await slice.renew();
      if (signal.aborted) return;
      if (staged.items.has(entry.key)) continue;
      if (!unreadableKeys.has(entry.key)) {
        this.#deleted.push(entry);
        continue;
      }
      staged.put(entry);
      this.#listed.push(entry);
    }
  }

  /** Keeps only the later state of an object that is listed twice. Rare, so not in slices. */
  #keepLater(staged: StagedReplacement<T>): void {
    let kept = 0;
    for (const [i, entry] of this.#entries.entries()) {
      if (staged.items.get(entry.key) !== entry) continue;
      this.#entries[kept] = entry;
      this.#before[kept] = this.#before[i];
      kept++;
    }
    this.#entries.length = kept;
    this.#before.length = kept;
    this.#listed = staged.items.toArray();
  }
}
