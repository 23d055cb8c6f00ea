import type { KubernetesObject } from '../kube/object.js';
import { isSameVersion } from '../store/apply-delta.js';
import type { Entry } from '../store/entry.js';
import type { Indexer } from '../store/indexer.js';
import type { StagedReplacement } from '../store/staged-replacement.js';
import type { Slice } from '../util/slice-scheduler.js';
import { Segment } from './handlers/notification.js';

/**
 * A relist that changes no more than this is written into the store it finds, in one go, instead of building its indexes again:
 * most relists of a large collection change little.
 */
const FEW_CHANGES = 1000;
/** And no more than one object in this many. */
const FEW_CHANGES_OF = 4;
/** Objects that are known to be unchanged, of which so many take as long as any other: half a microsecond. */
const UNCHANGED_AT_ONCE = 16;

export interface RelistOptions<T extends KubernetesObject> {
  readonly indexer: Indexer<T>;
  /** What to store for a listed entry; undefined to keep what is stored. */
  readonly prepare: (entry: Entry<T>) => Entry<T> | undefined;
  readonly slice: Slice;
  /** Once aborted, nothing is committed. */
  readonly signal: AbortSignal;
}

/**
 * One list on its way into the store: compared with what is stored and built aside, both in slices, then visible at once.
 * Nobody else may write to the store meanwhile.
 */
export class Relist<T extends KubernetesObject> {
  readonly #options: RelistOptions<T>;
  /** What to store for each object that stays, in list order; before `#stage`, for one that is unchanged, any entry of that state. */
  #listed: Entry<T>[] = [];
  /** New and changed entries, in list order, each with its state before. */
  readonly #entries: Entry<T>[] = [];
  readonly #before: (Entry<T> | undefined)[] = [];
  readonly #deleted: Entry<T>[] = [];
  /** Everything that was listed. Not made for a list that changes little and deletes nothing. */
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

  /** Finds out what the list changes. An object with the same uid and version keeps its entry, and is no change; so does one that could not be read. */
  async compare(list: Iterable<Entry<T>>, unreadableKeys: ReadonlySet<string>): Promise<void> {
    const { indexer, prepare, slice, signal } = this.#options;
    let known = 0;
    let isInOrder = true;
    let lastKey = '';
    for (const listed of list) {
      const { key } = listed;
      if (key <= lastKey) isInOrder = false;
      lastKey = key;
      const isStored = listed.isStored === true;
      if (!isStored || known % UNCHANGED_AT_ONCE === 0) {
        if (!slice.take()) await slice.renew();
        if (signal.aborted) return;
      }
      // Meanwhile nobody but this list writes to the store.
      if (isStored) {
        known++;
        this.#listed.push(listed);
        continue;
      }
      const before = indexer.getByKey(key);
      if (before !== undefined) known++;
      const isUnchanged = before !== undefined && isSameVersion(before, listed);
      const entry = isUnchanged ? before : (prepare(listed) ?? before);
      if (entry === undefined) continue;
      this.#listed.push(entry);
      if (entry === before) continue;
      this.#entries.push(entry);
      this.#before.push(before);
    }
    // In the order of keys nothing is listed twice. Then, if everything that is stored was listed, nothing is deleted.
    if (!isInOrder || known < indexer.size || !this.#isSmall()) await this.#stage(unreadableKeys);
  }

  /** Makes the list visible, as the last thing it does. */
  async commit(resourceVersion: string): Promise<void> {
    const { indexer, slice, signal } = this.#options;
    if (signal.aborted) return;
    if (this.#staged === undefined || this.#isSmall()) {
      indexer.replaceSome(this.#deleted, this.#entries, resourceVersion);
      return;
    }
    // In list order, so that a later list finds them one behind the other.
    for (const entry of this.#listed) {
      if (!slice.take()) await slice.renew();
      if (signal.aborted) return;
      this.#staged.index(entry);
    }
    indexer.commit(this.#staged, resourceVersion);
  }

  /** Lets go of the memory of what the list replaced. After handlers were told: they see the store and the list's news at once. */
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

  /** What handlers are to be told. */
  segment(isInInitialList: boolean): Segment<T> {
    let adds = 0;
    for (const before of this.#before) if (before === undefined) adds++;
    return Segment.ofRelist({
      deleted: this.#deleted,
      before: this.#before,
      entries: this.#entries,
      adds,
      isInInitialList,
    });
  }

  #isSmall(): boolean {
    const changes = this.#entries.length + this.#deleted.length;
    return changes <= FEW_CHANGES && changes * FEW_CHANGES_OF <= this.#options.indexer.size;
  }

  /** Puts everything that was listed aside, and finds what was not. */
  async #stage(unreadableKeys: ReadonlySet<string>): Promise<void> {
    const { indexer, slice, signal } = this.#options;
    const staged = indexer.stage(this.#listed.length);
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

  /** Of an object that is listed twice, only the later state. Rare, so in one go. */
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
    this.#listed = [...staged.items.values()];
  }
}
