import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';

/**
 * Entries that mostly come in the order of their keys, as the initial events of a watch do: then they are an array, and are found by
 * halving it. That is cheaper than a Map, and never copied in one go as one that grows is. Whoever is late goes to a Map.
 */
export class EntriesByKey<T extends KubernetesObject> implements Iterable<Entry<T>> {
  /** With rising keys. */
  readonly #inOrder: Entry<T>[] = [];
  /** Keys of `#inOrder` that are not there any more. */
  readonly #removed = new Set<string>();
  /** Keys that were not behind all others when they came; none of them is in `#inOrder`. */
  readonly #late = new Map<string, Entry<T>>();

  get size(): number {
    return this.#inOrder.length - this.#removed.size + this.#late.size;
  }

  get(key: string): Entry<T> | undefined {
    if (this.#isBehindAll(key)) return undefined;
    const place = this.#placeOf(key);
    if (place === -1) return this.#late.get(key);
    return this.#removed.has(key) ? undefined : this.#inOrder[place];
  }

  set(entry: Entry<T>): void {
    const { key } = entry;
    if (this.#isBehindAll(key)) {
      this.#inOrder.push(entry);
      return;
    }
    const place = this.#placeOf(key);
    if (place === -1) {
      this.#late.set(key, entry);
    } else {
      this.#inOrder[place] = entry;
      this.#removed.delete(key);
    }
  }

  delete(key: string): void {
    if (this.#placeOf(key) === -1) this.#late.delete(key);
    else this.#removed.add(key);
  }

  /** Those that came in the order of their keys, then the others. */
  [Symbol.iterator](): Iterator<Entry<T>> {
    return this.#removed.size + this.#late.size === 0 ? this.#inOrder.values() : this.#all();
  }

  *#all(): IterableIterator<Entry<T>> {
    for (const entry of this.#inOrder) if (!this.#removed.has(entry.key)) yield entry;
    yield* this.#late.values();
  }

  #isBehindAll(key: string): boolean {
    const last = this.#inOrder.at(-1);
    return last === undefined || key > last.key;
  }

  /** Of a key in `#inOrder`; -1 if it is none of those. */
  #placeOf(key: string): number {
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
