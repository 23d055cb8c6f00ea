import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import { type Batch, type ControlRow, releaseBatch } from '../../wire/batch.js';
import type { Cells, ObjectRowType } from '../../wire/cells.js';
import type { Entry } from '../entry.js';
import type { Slab } from './slab.js';
import type { SlabCache } from './slab-cache.js';
import { SlabEntry } from './slab-entry.js';

/** An item of a list, an event with its object, or a row without an object. */
export type EntryRow<T extends KubernetesObject> =
  | SlabEntry<T>
  | { readonly type: EventType; readonly entry: SlabEntry<T> }
  | ControlRow;

type EventType = (typeof EVENT_TYPES)[keyof typeof EVENT_TYPES];

const EVENT_TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const;

/** What the store holds for a key. */
export type StoredEntry<T extends KubernetesObject> = (key: Key) => Entry<T> | undefined;

/**
 * Copies the batches of one stream into a cache. A listed object that is stored already, in the same state, becomes the
 * stored entry, so that an unchanged object of a relist does not outlive its batch.
 */
export class SlabIntake<T extends KubernetesObject> {
  readonly #cache: SlabCache<T>;
  readonly #stored: StoredEntry<T>;
  /**
   * Predicts the record of the next listed object: lists are ordered, and the store was filled by one, so it follows
   * the last one. Most objects of a relist are found this way, without building their keys.
   */
  #predictedSlab: Slab | undefined;
  #predictedSlot = 0;
  /** The last object was not where it was predicted. */
  #mispredicted = true;

  constructor(cache: SlabCache<T>, stored: StoredEntry<T>) {
    this.#cache = cache;
    this.#stored = stored;
  }

  /** The rows of a batch, in order. The batch must not be used afterwards. */
  rows(batch: Batch): EntryRow<T>[] {
    let ownSlab: Slab | undefined;
    const copy = (key: Key, offset: number, isListed: boolean): SlabEntry<T> => {
      const entry = this.#cache.copyOf(batch, key, offset, isListed);
      if (entry !== undefined) return entry;
      ownSlab ??= this.#cache.slabOf(batch);
      return new SlabEntry<T>(key, ownSlab, offset);
    };
    const rows: EntryRow<T>[] = [];
    for (const row of batch.rows) {
      if (typeof row !== 'number') {
        rows.push(row);
        continue;
      }
      const type = batch.cells.typeAt(row) as ObjectRowType;
      const isListed = type === 'item' || type === 'added';
      const entry =
        (isListed ? this.#predict(batch.cells, row) : undefined) ??
        this.#entryOf(batch.cells, row, isListed, copy);
      rows.push(type === 'item' ? entry : { type: EVENT_TYPES[type], entry });
    }
    if (ownSlab === undefined) releaseBatch(batch);
    return rows;
  }

  /** The predicted entry, if it is stored and in the same state. */
  #predict(cells: Cells, offset: number): SlabEntry<T> | undefined {
    const predicted = this.#predictedSlab?.records[this.#predictedSlot++];
    if (!predicted?.slab.cells.isSameStateAt(predicted.offset, cells, offset)) return undefined;
    if (!(predicted instanceof SlabEntry && predicted.isStored)) return undefined;
    this.#mispredicted = false;
    return predicted;
  }

  #entryOf(
    cells: Cells,
    offset: number,
    isListed: boolean,
    copy: (key: Key, offset: number, isListed: boolean) => SlabEntry<T>,
  ): SlabEntry<T> {
    const key = cells.keyAt(offset);
    const stored = this.#stored(key);
    if (stored === undefined) return copy(key, offset, isListed);
    if (isListed && stored instanceof SlabEntry) {
      this.#advancePrediction(stored);
      if (stored.slab.cells.isSameStateAt(stored.offset, cells, offset)) return stored;
    }
    // All states of an object share one key string.
    return copy(stored.key, offset, isListed);
  }

  /** An object that was updated since has moved; those after it are still where they were. */
  #advancePrediction(stored: SlabEntry<T>): void {
    if (this.#mispredicted || stored.slab === this.#predictedSlab) {
      this.#predictedSlab = stored.slab;
      this.#predictedSlot = stored.slot + 1;
    }
    this.#mispredicted = true;
  }
}
