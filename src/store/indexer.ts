import { compareResourceVersion } from '../kube/compare-resource-version.js';
import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import { KubeflectError } from '../util/errors.js';
import type { Entry } from './entry.js';
import { IndexBuckets, type IndexErrorHandler } from './index-buckets.js';
import { type Indexers, type IndexFunction, indexFunctions } from './index-function.js';
import { ShardedMap } from './shards.js';
import { StagedIndexes, StagedReplacement } from './staged-replacement.js';

export interface IndexerOptions<T extends KubernetesObject> {
  readonly indexers?: Indexers<T>;
  /** Called when an index function threw. The entry is stored and found by key, but not by that index. */
  readonly onIndexError?: IndexErrorHandler;
}

/** The read side of a store. Returned arrays belong to the caller; entries are shared and read-only. */
export interface IndexReader<T extends KubernetesObject> {
  readonly size: number;
  /** The resource version up to which the store is complete: what was *applied*, not what was received. */
  readonly lastStoreSyncResourceVersion: string;
  get(entry: Pick<Entry<T>, 'key'>): Entry<T> | undefined;
  getByKey(key: string): Entry<T> | undefined;
  has(key: string): boolean;
  list(): Entry<T>[];
  listKeys(): Key[];
  /** Live: reflects changes made while iterating. */
  entries(): IterableIterator<Entry<T>>;
  /** The entries with this value. An unknown index throws `KUBEFLECT_INDEX_UNKNOWN`. */
  byIndex(indexName: string, value: string): Entry<T>[];
  /** The keys with this value, sorted. */
  indexKeys(indexName: string, value: string): Key[];
  /** The stored entries that share a value with this one under an index. */
  index(indexName: string, entry: Entry<T>): Entry<T>[];
  /** All values of an index; none if the index is unknown. */
  listIndexFuncValues(indexName: string): string[];
  indexerNames(): string[];
  /** The name of the index with this function; undefined if there is none. */
  indexNameOf(indexFunction: IndexFunction<T>): string | undefined;
}

/**
 * Entries by key, with any number of indexes (client-go's Indexer over its ThreadSafeStore). Every write leaves all
 * indexes consistent.
 */
export class Indexer<T extends KubernetesObject = KubernetesObject> implements IndexReader<T> {
  #items = new ShardedMap<Entry<T>, Key>();
  /** Index name → index, each consistent with `#items`. */
  #indexes: Map<string, IndexBuckets<T>>;
  readonly #onIndexError: IndexErrorHandler;
  #resourceVersion = '';

  constructor(options: IndexerOptions<T> = {}) {
    this.#onIndexError = options.onIndexError ?? (() => {});
    this.#indexes = this.#emptyIndexes(indexFunctions(options.indexers ?? {}));
  }

  get size(): number {
    return this.#items.size;
  }

  get lastStoreSyncResourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Stores an entry under its key and returns the one it replaced. The same as `update`. */
  add(entry: Entry<T>): Entry<T> | undefined {
    const before = this.#items.get(entry.key);
    this.put(before, entry, entry.resourceVersion);
    return before;
  }

  /** The same, for a caller that has looked up what is stored under the key, and has read the version of the entry. */
  put(before: Entry<T> | undefined, entry: Entry<T>, resourceVersion: string): void {
    this.#items.set(entry.key, entry);
    for (const index of this.#indexes.values()) index.set(before, entry);
    entry.retain?.();
    if (before !== entry) before?.release?.();
    this.advance(resourceVersion);
  }

  update(entry: Entry<T>): Entry<T> | undefined {
    return this.add(entry);
  }

  /** Removes by key and returns the stored entry. Advances the store's version to that of `entry`, the deletion. */
  delete(entry: Pick<Entry<T>, 'key' | 'resourceVersion'>): Entry<T> | undefined {
    const before = this.deleteByKey(entry.key);
    this.advance(entry.resourceVersion);
    return before;
  }

  /** Removes by key, without advancing the store's version. */
  deleteByKey(key: Key): Entry<T> | undefined {
    const before = this.#items.get(key);
    if (before === undefined) return undefined;
    this.#items.delete(key);
    for (const index of this.#indexes.values()) index.delete(before);
    before.release?.();
    return before;
  }

  /** The store is complete up to this version. Never goes back; only `replace` may. */
  advance(resourceVersion: string): void {
    if (resourceVersion === '') return;
    const order = compareResourceVersion(resourceVersion, this.#resourceVersion);
    if (order === undefined || order > 0) this.#resourceVersion = resourceVersion;
  }

  /** Replaces everything at once. For large collections, use `stage`, fill it in slices, and `commit`. */
  replace(entries: Iterable<Entry<T>>, resourceVersion: string): void {
    const staged = this.stage();
    for (const entry of entries) staged.put(entry);
    for (const entry of staged.items.values()) staged.index(entry);
    const former = this.#items;
    this.commit(staged, resourceVersion);
    for (const entry of former.values()) this.releaseFormer(entry);
  }

  /** A replacement that changes little: the deleted entries, and the new or changed ones. */
  replaceSome(deleted: Iterable<Entry<T>>, changed: Iterable<Entry<T>>, resourceVersion: string): void {
    for (const entry of deleted) this.deleteByKey(entry.key);
    for (const entry of changed) this.add(entry);
    this.#resourceVersion = resourceVersion;
  }

  /** A replacement with the same indexes, not visible before `commit`: empty, or with entries that were not stored. */
  stage(items?: ShardedMap<Entry<T>, Key>): StagedReplacement<T> {
    return new StagedReplacement(
      new Map([...this.#indexes].map(([name, index]) => [name, index.emptyCopy()])),
      items,
    );
  }

  /** Swaps the replacement in, in constant time. The caller passes what has left to `releaseFormer`, in slices. */
  commit(staged: StagedReplacement<T>, resourceVersion: string): void {
    this.#items = staged.items;
    const added = [...this.#indexes].filter(([name]) => !staged.indexes.has(name));
    this.#indexes = staged.indexes;
    this.#resourceVersion = resourceVersion;
    // Indexers that were added since `stage`.
    if (added.length > 0)
      this.addIndexers(Object.fromEntries(added.map(([name, i]) => [name, i.indexFunction])));
  }

  /** Releases an entry that was stored, unless it still is. */
  releaseFormer(former: Entry<T>): void {
    if (this.#items.get(former.key) !== former) former.release?.();
  }

  /** Adds indexes, including all stored entries. All or none: a name in use throws `KUBEFLECT_INDEX_CONFLICT`. */
  addIndexers(indexers: Indexers<T>): void {
    const staged = this.stageIndexers(indexers);
    for (const entry of this.#items.values()) staged.put(entry);
    this.commitIndexers(staged);
  }

  /** New indexes, to be filled with every stored entry in slices, and committed before any other write. */
  stageIndexers(indexers: Indexers<T>): StagedIndexes<T> {
    const functions = indexFunctions(indexers);
    const conflicts = [...functions.keys()].filter((name) => this.#indexes.has(name));
    if (conflicts.length > 0) {
      const names = conflicts.map((name) => JSON.stringify(name)).join(', ');
      throw new KubeflectError(
        'KUBEFLECT_INDEX_CONFLICT',
        `expected new index names, but ${names} exist already`,
      );
    }
    return new StagedIndexes(this.#emptyIndexes(functions));
  }

  commitIndexers(staged: StagedIndexes<T>): void {
    for (const [name, index] of staged.indexes) this.#indexes.set(name, index);
  }

  get(entry: Pick<Entry<T>, 'key'>): Entry<T> | undefined {
    return this.#items.get(entry.key);
  }

  getByKey(key: string): Entry<T> | undefined {
    return this.#items.get(key);
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  list(): Entry<T>[] {
    return this.#items.toArray();
  }

  listKeys(): Key[] {
    return this.#items.toKeyArray();
  }

  entries(): IterableIterator<Entry<T>> {
    return this.#items.values();
  }

  byIndex(indexName: string, value: string): Entry<T>[] {
    const keys = this.#index(indexName).keys(value);
    // Often all objects have the same namespace.
    return keys.length === this.size ? this.list() : this.#entriesOf(keys);
  }

  indexKeys(indexName: string, value: string): Key[] {
    return this.#index(indexName).keys(value).sort();
  }

  /** The values of an entry under an index, whether it is stored or not. */
  indexValues(indexName: string, entry: Entry<T>): readonly string[] {
    return this.#index(indexName).valuesFor(entry);
  }

  index(indexName: string, entry: Entry<T>): Entry<T>[] {
    const index = this.#index(indexName);
    const values = index.valuesFor(entry);
    return this.#entriesOf(new Set(values.flatMap((value) => index.keys(value))));
  }

  listIndexFuncValues(indexName: string): string[] {
    return this.#indexes.get(indexName)?.values() ?? [];
  }

  indexerNames(): string[] {
    return [...this.#indexes.keys()];
  }

  indexNameOf(indexFunction: IndexFunction<T>): string | undefined {
    return [...this.#indexes.values()].find((index) => index.indexFunction === indexFunction)?.name;
  }

  #entriesOf(keys: Iterable<Key>): Entry<T>[] {
    const entries: Entry<T>[] = [];
    for (const key of keys) {
      const entry = this.#items.get(key);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  #index(indexName: string): IndexBuckets<T> {
    const index = this.#indexes.get(indexName);
    if (index === undefined) {
      const expected = this.indexerNames().join(', ') || '(none)';
      const message = `unknown index ${JSON.stringify(indexName)}; expected one of ${expected}, or add it with addIndexers`;
      throw new KubeflectError('KUBEFLECT_INDEX_UNKNOWN', message);
    }
    return index;
  }

  #emptyIndexes(functions: Map<string, IndexFunction<T>>): Map<string, IndexBuckets<T>> {
    return new Map(
      [...functions].map(([name, indexFunction]) => [
        name,
        new IndexBuckets(name, indexFunction, this.#onIndexError),
      ]),
    );
  }
}
