import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { EntryList } from '../../store/reflector-store.js';

/**
 * Entries that mostly arrive in the order of their keys, as the initial events of a watch do: these are kept in an
 * array and found by binary search. That is cheaper than a Map, and is not rehashed when it grows. The others are in a
 * Map.
 */
export class EntriesByKey<T extends KubernetesObject> implements EntryList<T> {
  /** Sorted by key. */
  readonly #inOrder: Entry<T>[] = [];
  /** Keys of `#inOrder` that were deleted. */
  readonly #removed = new Set<string>();
  /** Entries that arrived out of order; none of them is in `#inOrder`. */
  readonly #outOfOrder = new Map<string, Entry<T>>();

  get size(): number {
    return this.#inOrder.length - this.#removed.size + this.#outOfOrder.size;
  }

  /** Adds an entry if its key is after all others, which one comparison shows. Otherwise returns false. */
  append(entry: Entry<T>): boolean {
    if (!this.#isAfterAll(entry.key)) return false;
    this.#inOrder.push(entry);
    return true;
  }

  /** The entries are iterated in the order of their keys, each key once. */
  get isSortedByKey(): boolean {
    return this.#outOfOrder.size === 0;
  }

  get(key: string): Entry<T> | undefined {
    if (this.#isAfterAll(key)) return undefined;
    const index = this.#indexOf(key);
    if (index === -1) return this.#outOfOrder.get(key);
    return this.#removed.has(key) ? undefined : this.#inOrder[index];
  }

  set(entry: Entry<T>): void {
    if (this.append(entry)) return;
    const { key } = entry;
    const index = this.#indexOf(key);
    if (index === -1) {
      this.#outOfOrder.set(key, entry);
    } else {
      this.#inOrder[index] = entry;
      this.#removed.delete(key);
    }
  }

  delete(key: string): void {
    if (this.#indexOf(key) === -1) this.#outOfOrder.delete(key);
    else this.#removed.add(key);
  }

  /** First those that arrived in the order of their keys, then the others. */
  [Symbol.iterator](): Iterator<Entry<T>> {
    return this.#removed.size + this.#outOfOrder.size === 0 ? this.#inOrder.values() : this.#all();
  }

  *#all(): IterableIterator<Entry<T>> {
    for (const entry of this.#inOrder) if (!this.#removed.has(entry.key)) yield entry;
    yield* this.#outOfOrder.values();
  }

  #isAfterAll(key: string): boolean {
    const last = this.#inOrder.at(-1);
    return last === undefined || key > last.key;
  }

  /** The index of a key in `#inOrder`; -1 if it is not there. */
  #indexOf(key: string): number {
    let from = 0;
    let to = this.#inOrder.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#inOrder[middle] as Entry<T>).key < key) from = middle + 1;
      else to = middle;
    }
    return this.#inOrder[from]?.key === key ? from : -1;
  }
}
