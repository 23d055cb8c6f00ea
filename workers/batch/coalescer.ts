import { compareResourceVersion } from '../../src/kube/compare-resource-version.js';
import type { Key } from '../../src/kube/key.js';
import type { CellRow, ObjectRowType, OrderedRun } from '../../src/wire/cells.js';
import type { Decoded } from '../decode/decoder.js';

type RejectedRow = Extract<Decoded, { type: 'rejected' }>;

interface Held {
  readonly row: Decoded;
  /** An ADDED event of an object that the main thread does not know: the object was created while rows were held. */
  readonly isNew: boolean;
}

/** Rejected events without a key that are held individually; the rest is only counted. */
const MAX_UNKEYED = 1000;

/** Approximate size of a held row without its cell. */
const ROW_BYTES = 200;

/**
 * Holds the events of a watch that cannot be sent yet, merged by key, so that there are no more of them than objects:
 *
 *     MODIFIED 5, MODIFIED 8            →  MODIFIED 8
 *     ADDED 5, MODIFIED 8               →  ADDED 8
 *     MODIFIED 5, DELETED 8, ADDED 9    →  DELETED 8, ADDED 9
 *     ADDED 5, DELETED 8                →  nothing
 *     bookmark 5, bookmark 8            →  bookmark 8
 *
 * The remaining events keep their order. So the result is the stream without some of its events: its versions increase
 * as those of the stream do, and a watch can be resumed after any part of it, since an event is only ever omitted for a
 * later one of the same key.
 *
 * Nothing is merged across the bookmark that ends a streaming list: the list is what comes before it.
 */
export class Coalescer {
  /** By position in the stream. */
  readonly #rows = new Map<number, Held>();
  // Positions of the rows that may be merged. A key has at most one row of each.
  readonly #present = new Map<Key, number>();
  readonly #deleted = new Map<Key, number>();
  readonly #rejected = new Map<string, number>();
  #bookmark: number | undefined;
  #nextPosition = 0;
  #cellBytes = 0;
  #unkeyed = 0;
  #lastUnkeyed = 0;
  /**
   * The newest version of an object on the stream, held or not; undefined while initial events may still arrive, which
   * are not ordered.
   */
  #newest: string | undefined;
  /**
   * The object that had it; undefined for the bookmark that ends the initial events. Two objects may share a version,
   * but one object does not repeat it.
   */
  #newestKey: Key | undefined;

  /** The end of a streaming list has not arrived: until then bookmarks do not relate to the objects that follow. */
  #isListing: boolean;

  /**
   * `startResourceVersion` is that of the watch request; undefined if the watch begins with the state of the
   * collection.
   */
  constructor(startResourceVersion: string | undefined, isStreamingList = false) {
    this.#newest = startResourceVersion;
    this.#isListing = isStreamingList;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  /** The rows so far are those of a streaming list, which is not complete. */
  get isListing(): boolean {
    return this.#isListing;
  }

  /** What follows is in the order of its versions. */
  get isOrdered(): boolean {
    return !this.#isListing && this.#newest !== undefined;
  }

  get heldBytes(): number {
    return this.#cellBytes + this.#rows.size * ROW_BYTES;
  }

  /**
   * To be called for every row that can be sent without being held. False for a repeated event of a lagging replica:
   * the main thread would skip it if it had received the complete stream, but may not have received what is newer.
   */
  passes(row: Decoded): boolean {
    if (this.#isRepeated(row)) return false;
    if ('cells' in row) this.#track(row);
    else if (row.type === 'bookmark') this.#trackBookmark(row);
    return true;
  }

  /** True if `passes` is true for every row of the run, which then need not be asked; otherwise it has to be. */
  passesRun({ cells, offset, lastOffset, isOrdered }: OrderedRun): boolean {
    // The initial events of a streaming list are not compared with anything.
    if (this.#isListing) return this.#newest === undefined;
    if (this.#newest === undefined || !isOrdered) return false;
    if (compareResourceVersion(cells.resourceVersionAt(offset), this.#newest) !== 1) return false;
    this.#newest = cells.resourceVersionAt(lastOffset);
    this.#newestKey = cells.keyAt(lastOffset);
    return true;
  }

  /** Copies what it needs. */
  add(row: Decoded): void {
    if (this.#isRepeated(row)) return;
    if ('cells' in row) this.#addObject(row);
    else if (row.type === 'rejected') this.#addRejected(row);
    else if (row.type === 'bookmark') this.#addBookmark(row);
    else this.#append(row, false);
    this.passes(row);
  }

  /** Removes and returns the oldest row. */
  take(): Decoded | undefined {
    for (const [position, { row }] of this.#rows) {
      this.#remove(position);
      if (this.#rows.size === 0) this.#unkeyed = 0;
      return row;
    }
    return undefined;
  }

  #track(row: CellRow): void {
    if (this.#isListing || (this.#newest === undefined && typeOf(row) === 'added')) return;
    this.#advanceTo(row.cells.resourceVersionAt(row.offset), keyOf(row));
  }

  /**
   * A bookmark only shows that the state of the collection has been sent. An older event after a bookmark is not a
   * repetition: the bookmark was wrong, and the main thread has to know.
   */
  #trackBookmark({ resourceVersion, initialEventsEnd }: Extract<Decoded, { type: 'bookmark' }>): void {
    if (initialEventsEnd) this.#isListing = false;
    const isAfterInitialState = this.#newest === undefined && !this.#isListing;
    if (initialEventsEnd || isAfterInitialState) this.#advanceTo(resourceVersion, undefined);
  }

  #advanceTo(version: string, key: Key | undefined): void {
    if (this.#newest !== undefined && compareResourceVersion(version, this.#newest) === -1) return;
    this.#newest = version;
    this.#newestKey = key;
  }

  #addObject(row: CellRow): void {
    const key = keyOf(row);
    const type = typeOf(row);
    const version = row.cells.resourceVersionAt(row.offset);
    const present = this.#held(this.#present.get(key));
    const latest = present ?? this.#held(this.#deleted.get(key));
    // A repetition among the initial events, which are not ordered. It must not replace a newer one.
    if (latest !== undefined && isNotNewer(version, versionOf(latest.row))) return;
    this.#remove(this.#present.get(key));
    if (type === 'deleted') {
      if (present?.isNew === true) return;
      this.#remove(this.#deleted.get(key));
      this.#deleted.set(key, this.#append(row.cells.copyAs(row.offset, type), false));
    } else {
      const isNew = present?.isNew ?? (type === 'added' && this.#isAhead(version));
      this.#present.set(key, this.#append(row.cells.copyAs(row.offset, isNew ? 'added' : type), isNew));
    }
  }

  #addRejected(row: RejectedRow): void {
    if (row.key !== undefined) {
      this.#remove(this.#rejected.get(row.key));
      this.#rejected.set(row.key, this.#append(row, false));
      return;
    }
    const omitted = ++this.#unkeyed - MAX_UNKEYED;
    if (omitted > 0) this.#remove(this.#lastUnkeyed);
    const message =
      omitted > 0 ? `${row.message} (${omitted} others without a key are omitted)` : row.message;
    this.#lastUnkeyed = this.#append({ ...row, message }, false);
  }

  #addBookmark(row: Extract<Decoded, { type: 'bookmark' }>): void {
    if (row.initialEventsEnd) {
      for (const positions of [this.#present, this.#deleted, this.#rejected]) positions.clear();
      this.#bookmark = undefined;
      this.#append(row, false);
    } else {
      this.#remove(this.#bookmark);
      this.#bookmark = this.#append(row, false);
    }
  }

  #append(row: Decoded, isNew: boolean): number {
    const position = this.#nextPosition++;
    this.#rows.set(position, { row, isNew });
    if ('cells' in row) this.#cellBytes += row.cells.byteLengthAt(row.offset);
    return position;
  }

  /** Removes all traces of the row: a watch may see an unlimited number of keys. */
  #remove(position: number | undefined): void {
    const held = this.#held(position);
    if (position === undefined || held === undefined) return;
    const { row } = held;
    this.#rows.delete(position);
    if ('cells' in row) {
      this.#cellBytes -= row.cells.byteLengthAt(row.offset);
      const positions = typeOf(row) === 'deleted' ? this.#deleted : this.#present;
      forget(positions, keyOf(row), position);
    } else if (row.type === 'rejected' && row.key !== undefined) {
      forget(this.#rejected, row.key, position);
    } else if (position === this.#bookmark) this.#bookmark = undefined;
  }

  #held(position: number | undefined): Held | undefined {
    return position === undefined ? undefined : this.#rows.get(position);
  }

  #isRepeated(row: Decoded): boolean {
    if (!('cells' in row) || this.#newest === undefined) return false;
    const order = compareResourceVersion(row.cells.resourceVersionAt(row.offset), this.#newest);
    return order === -1 || (order === 0 && this.#newestKey === keyOf(row));
  }

  #isAhead(version: string): boolean {
    return this.#newest !== undefined && compareResourceVersion(version, this.#newest) === 1;
  }
}

function keyOf({ cells, offset }: CellRow): Key {
  return cells.keyAt(offset);
}

function typeOf({ cells, offset }: CellRow): ObjectRowType {
  return cells.typeAt(offset) as ObjectRowType;
}

/** Unless the key has a newer row. */
function forget<K>(positions: Map<K, number>, key: K, position: number): void {
  if (positions.get(key) === position) positions.delete(key);
}

/** The version of an object or a bookmark. */
function versionOf(row: Decoded): string | undefined {
  if ('cells' in row) return row.cells.resourceVersionAt(row.offset);
  return row.type === 'bookmark' ? row.resourceVersion : undefined;
}

function isNotNewer(version: string, than: string | undefined): boolean {
  const order = than === undefined ? undefined : compareResourceVersion(version, than);
  return order !== undefined && order <= 0;
}
