import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { IndexFunction } from '../../store/index-function.js';
import type { Indexer, IndexReader } from '../../store/indexer.js';
import type { AssumedObjects } from './assumed-objects.js';

/** A store as its readers see it: with assumed objects in place of stored ones. Costs nothing while there are none. */
export class OverlayReader<T extends KubernetesObject> implements IndexReader<T> {
  readonly #store: Indexer<T>;
  readonly #assumed: AssumedObjects<T>;

  constructor(store: Indexer<T>, assumed: AssumedObjects<T>) {
    this.#store = store;
    this.#assumed = assumed;
  }

  get size(): number {
    const { hidden, shown } = this.#overlay();
    return this.#store.size - hidden.size + shown.length;
  }

  get lastStoreSyncResourceVersion(): string {
    return this.#store.lastStoreSyncResourceVersion;
  }

  get(entry: Pick<Entry<T>, 'key'>): Entry<T> | undefined {
    return this.getByKey(entry.key);
  }

  getByKey(key: string): Entry<T> | undefined {
    const assumed = this.#assumed.size === 0 ? undefined : this.#assumed.get(key as Key);
    return assumed === undefined ? this.#store.getByKey(key) : assumed.entry;
  }

  has(key: string): boolean {
    return this.#assumed.size === 0 ? this.#store.has(key) : this.getByKey(key) !== undefined;
  }

  list(): Entry<T>[] {
    return this.#with(this.#store.list(), () => true);
  }

  listKeys(): Key[] {
    return this.#assumed.size === 0 ? this.#store.listKeys() : this.list().map(({ key }) => key);
  }

  entries(): IterableIterator<Entry<T>> {
    return this.#assumed.size === 0 ? this.#store.entries() : this.list().values();
  }

  byIndex(indexName: string, value: string): Entry<T>[] {
    const stored = this.#store.byIndex(indexName, value);
    return this.#with(stored, (entry) => this.#store.indexValues(indexName, entry).includes(value));
  }

  indexKeys(indexName: string, value: string): Key[] {
    if (this.#assumed.size === 0) return this.#store.indexKeys(indexName, value);
    return this.byIndex(indexName, value)
      .map(({ key }) => key)
      .sort();
  }

  index(indexName: string, entry: Entry<T>): Entry<T>[] {
    const values = new Set(this.#store.indexValues(indexName, entry));
    return this.#with(this.#store.index(indexName, entry), (assumed) =>
      this.#store.indexValues(indexName, assumed).some((value) => values.has(value)),
    );
  }

  listIndexFuncValues(indexName: string): string[] {
    const stored = this.#store.listIndexFuncValues(indexName);
    if (this.#assumed.size === 0 || !this.indexerNames().includes(indexName)) return stored;
    const values = new Set(stored);
    const { hidden, shown } = this.#overlay();
    const valuesOf = (entries: Iterable<Entry<T>>): string[] =>
      [...entries].flatMap((entry) => this.#store.indexValues(indexName, entry));
    for (const value of valuesOf(hidden)) {
      if (this.byIndex(indexName, value).length === 0) values.delete(value);
    }
    for (const value of valuesOf(shown)) values.add(value);
    return [...values];
  }

  indexerNames(): string[] {
    return this.#store.indexerNames();
  }

  indexNameOf(indexFunction: IndexFunction<T>): string | undefined {
    return this.#store.indexNameOf(indexFunction);
  }

  /** Stored entries without those that are hidden, and the assumed ones that belong to them. */
  #with(stored: Entry<T>[], belongs: (assumed: Entry<T>) => boolean): Entry<T>[] {
    if (this.#assumed.size === 0) return stored;
    const { hidden, shown } = this.#overlay();
    return [...stored.filter((entry) => !hidden.has(entry)), ...shown.filter(belongs)];
  }

  #overlay(): { readonly hidden: ReadonlySet<Entry<T>>; readonly shown: readonly Entry<T>[] } {
    const hidden = new Set<Entry<T>>();
    const shown: Entry<T>[] = [];
    for (const { expectation, entry } of this.#assumed.all()) {
      const stored = this.#store.getByKey(expectation.key);
      if (stored !== undefined) hidden.add(stored);
      if (entry !== undefined) shown.push(entry);
    }
    return { hidden, shown };
  }
}
