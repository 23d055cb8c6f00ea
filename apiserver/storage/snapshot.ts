import { type Layer, mapLayer, merge } from './layer.js';
import { SortedKeys } from './sorted-keys.js';
import type { StoredObject } from './stored-object.js';

/** The current state, which a snapshot overlays with the differences. */
export interface NewestState {
  get(key: string): StoredObject | undefined;
  layers(start: string): Layer[];
  countRange(start: string, end: string): number;
}

/**
 * A collection as it was at one revision, while writes go on: what a long list reads slice by slice.
 * It holds only the keys that were written since; `close` it, or every later write is remembered here too.
 */
export class Snapshot {
  readonly revision: number;
  readonly #newest: NewestState;
  readonly #before = new Map<string, StoredObject | undefined>();
  readonly #beforeKeys = new SortedKeys();
  readonly #onClose: (snapshot: Snapshot) => void;

  constructor(newest: NewestState, revision: number, onClose: (snapshot: Snapshot) => void) {
    this.#newest = newest;
    this.revision = revision;
    this.#onClose = onClose;
  }

  /** The first write of a key since the snapshot preserves the key's value in it. */
  remember(key: string, previous: StoredObject | undefined): void {
    if (this.#before.has(key)) return;
    this.#before.set(key, previous);
    this.#beforeKeys.add(key);
  }

  /**
   * Objects with start <= key < end in key order. Do not hold the iterator across writes: scan again from the
   * last key instead.
   */
  scan(start: string, end: string): IterableIterator<StoredObject> {
    return merge([mapLayer(this.#beforeKeys, this.#before, start), ...this.#newest.layers(start)], end);
  }

  /** How many objects `scan` would return, without iterating over populated sets. */
  count(start: string, end: string): number {
    let total = this.#newest.countRange(start, end);
    for (const key of this.#beforeKeys.from(start)) {
      if (key >= end) break;
      const now = this.#newest.get(key) === undefined ? 0 : 1;
      total += (this.#before.get(key) === undefined ? 0 : 1) - now;
    }
    return total;
  }

  close(): void {
    this.#onClose(this);
  }
}
