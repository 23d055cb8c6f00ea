import type { KubernetesObject } from '../kube/object.js';
import type { Slice } from '../slice-scheduler.js';
import { isSameVersion } from '../store/apply-delta.js';
import type { Entry } from '../store/entry.js';
import type { Indexer } from '../store/indexer.js';
import type { StagedReplacement } from '../store/staged-replacement.js';
import { Segment } from './listener/notification.js';

/**
 * A relist that changes no more than this is written into the store it finds, in one go, instead of building its indexes again:
 * most relists of a large collection change little.
 */
const FEW_CHANGES = 200;
/** And no more than one object in this many. */
const FEW_CHANGES_OF = 4;

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
  readonly #staged: StagedReplacement<T>;
  /** New and changed entries, in list order, each with its state before. */
  readonly #entries: Entry<T>[] = [];
  readonly #before: (Entry<T> | undefined)[] = [];
  readonly #deleted: Entry<T>[] = [];

  constructor(options: RelistOptions<T>) {
    this.#options = options;
    this.#staged = options.indexer.stage();
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
    let isAnyListedTwice = false;
    for (const listed of list) {
      if (!slice.take()) await slice.renew();
      if (signal.aborted) return;
      const known = indexer.getByKey(listed.key);
      const isUnchanged = known !== undefined && isSameVersion(known, listed);
      const entry = isUnchanged ? known : (prepare(listed) ?? known);
      if (entry === undefined) continue;
      if (!this.#staged.put(entry)) isAnyListedTwice = true;
      if (entry === known) continue;
      this.#entries.push(entry);
      this.#before.push(known);
    }
    if (isAnyListedTwice) this.#keepLater();
    for (const entry of indexer.entries()) {
      if (!slice.take()) await slice.renew();
      if (signal.aborted) return;
      if (this.#staged.items.has(entry.key)) continue;
      if (unreadableKeys.has(entry.key)) this.#staged.put(entry);
      else this.#deleted.push(entry);
    }
  }

  /** Makes the list visible, as the last thing it does. */
  async commit(resourceVersion: string): Promise<void> {
    const { indexer, slice, signal } = this.#options;
    if (signal.aborted) return;
    const changes = this.#entries.length + this.#deleted.length;
    if (changes <= FEW_CHANGES && changes * FEW_CHANGES_OF <= indexer.size) {
      indexer.replaceSome(this.#deleted, this.#entries, resourceVersion);
      return;
    }
    for (const entry of this.#staged.items.values()) {
      if (!slice.take()) await slice.renew();
      if (signal.aborted) return;
      this.#staged.file(entry);
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

  /** Of an object that is listed twice, only the later state. Rare, so in one go. */
  #keepLater(): void {
    let kept = 0;
    for (const [i, entry] of this.#entries.entries()) {
      if (this.#staged.items.get(entry.key) !== entry) continue;
      this.#entries[kept] = entry;
      this.#before[kept] = this.#before[i];
      kept++;
    }
    this.#entries.length = kept;
    this.#before.length = kept;
  }
}
