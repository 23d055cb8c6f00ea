import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import { type Batch, type ControlRow, releaseBatch } from '../../wire/batch.js';
import type { Cells, ObjectRowType } from '../../wire/cells.js';
import type { Entry } from '../entry.js';
import type { Slab } from './slab.js';
import type { SlabCache } from './slab-cache.js';
import { SlabEntry } from './slab-entry.js';

/** An item of a list, an event with its object, or a row without one. */
export type EntryRow<T extends KubernetesObject> =
  | SlabEntry<T>
  | { readonly type: EventType; readonly entry: SlabEntry<T> }
  | ControlRow;

type EventType = (typeof EVENT_TYPES)[keyof typeof EVENT_TYPES];

const EVENT_TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const;

/** What the store holds for a key. */
export type StoredEntry<T extends KubernetesObject> = (key: Key) => Entry<T> | undefined;

/**
 * The batches of one stream on their way into a cache. An object of a list that is stored already, in this very state, becomes the
 * entry that is stored, so that nothing else of a relist lives for longer than its batch.
 */
export class SlabIntake<T extends KubernetesObject> {
  readonly #cache: SlabCache<T>;
  readonly #stored: StoredEntry<T>;
  /**
   * Where the next object of a list is, if lists have an order and the store was filled by one: behind the last. Most of a relist is
   * found so, without making a key of it.
   */
  #guessedSlab: Slab | undefined;
  #guessedSlot = 0;
  /** The last object was not where it was looked for. */
  #isLost = true;

  constructor(cache: SlabCache<T>, stored: StoredEntry<T>) {
    this.#cache = cache;
    this.#stored = stored;
  }

  /** The rows of a batch, in order. The batch is empty afterwards. */
  rows(batch: Batch): EntryRow<T>[] {
    let ownSlab: Slab | undefined;
    const copy = (key: Key, offset: number): SlabEntry<T> => {
      const entry = this.#cache.copyOf(batch, key, offset);
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
        (isListed ? this.#guess(batch.cells, row) : undefined) ??
        this.#entryOf(batch.cells, row, isListed, copy);
      rows.push(type === 'item' ? entry : { type: EVENT_TYPES[type], entry });
    }
    if (ownSlab === undefined) releaseBatch(batch);
    return rows;
  }

  /** The stored entry of this object, if it is of the same state, and where one of a list is looked for first. */
  #guess(cells: Cells, offset: number): SlabEntry<T> | undefined {
    const guessed = this.#guessedSlab?.tenants[this.#guessedSlot++];
    if (!guessed?.slab.cells.isSameStateAt(guessed.offset, cells, offset)) return undefined;
    if (!(guessed instanceof SlabEntry && guessed.isStored)) return undefined;
    this.#isLost = false;
    return guessed;
  }

  #entryOf(
    cells: Cells,
    offset: number,
    isListed: boolean,
    copy: (key: Key, offset: number) => SlabEntry<T>,
  ): SlabEntry<T> {
    const key = cells.keyAt(offset);
    const stored = this.#stored(key);
    if (stored === undefined) return copy(key, offset);
    if (isListed && stored instanceof SlabEntry) {
      this.#goOnBehind(stored);
      if (stored.slab.cells.isSameStateAt(stored.offset, cells, offset)) return stored;
    }
    // All states of an object share one text.
    return copy(stored.key, offset);
  }

  /** One that was updated since is somewhere else; those behind it are still where they were. */
  #goOnBehind(stored: SlabEntry<T>): void {
    if (this.#isLost || stored.slab === this.#guessedSlab) {
      this.#guessedSlab = stored.slab;
      this.#guessedSlot = stored.slot + 1;
    }
    this.#isLost = true;
  }
}
