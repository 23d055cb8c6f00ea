import { compareResourceVersion } from '../../src/kube/compare-resource-version.js';
import type { Key } from '../../src/kube/key.js';
import type { CellRow, ObjectRowType } from '../../src/wire/cells.js';
import type { Decoded } from '../decode/decoder.js';

type RejectedRow = Extract<Decoded, { type: 'rejected' }>;

interface Held {
  readonly row: Decoded;
  /**
   * An ADDED event that began the object's life while it was held: whoever waits for it has never heard of the object.
   */
  readonly isNew: boolean;
}

/** Rejected events without a key that are held one by one; the rest is only counted. */
const MAX_UNKEYED = 1000;

/** Of a held row besides its cell, roughly. */
const ROW_BYTES = 200;

/**
 * Events of a watch that cannot be sent for the moment, merged by key, so that there are no more of them than objects:
 *
 *     MODIFIED 5, MODIFIED 8            →  MODIFIED 8
 *     ADDED 5, MODIFIED 8               →  ADDED 8
 *     MODIFIED 5, DELETED 8, ADDED 9    →  DELETED 8, ADDED 9
 *     ADDED 5, DELETED 8                →  nothing
 *     bookmark 5, bookmark 8            →  bookmark 8
 *
 * What is left is left where it stood. So the result is the stream with some events missing: its versions go up as the
 * stream's do, and whoever has applied a part of it can ask the server for the rest, since an event is only ever left
 * out for a later one of the same key.
 *
 * Nothing is merged across the bookmark that ends a streaming list: the list is what stands before it.
 */
export class Coalescer {
  /** By place in the stream. */
  readonly #rows = new Map<number, Held>();
  // Places of what may be merged. A key has at most one row of each.
  readonly #present = new Map<Key, number>();
  readonly #deleted = new Map<Key, number>();
  readonly #rejected = new Map<string, number>();
  #bookmark: number | undefined;
  #nextPlace = 0;
  #cellBytes = 0;
  #unkeyed = 0;
  #lastUnkeyed = 0;
  /**
   * The newest version of an object seen on the stream, held or not; undefined while the initial state may still be
   * arriving, in no order.
   */
  #newest: string | undefined;
  /**
   * The object that came with it; undefined for the end of the state. Two objects may share a version, one may not
   * repeat it.
   */
  #newestKey: Key | undefined;

  /**
   * A streaming list whose end has not come: what a bookmark says before that is no news of the objects that follow.
   */
  #isListing: boolean;

  /**
   * `startResourceVersion` is what the watch was opened with; undefined if it begins with the state of the collection.
   */
  constructor(startResourceVersion: string | undefined, isStreamingList = false) {
    this.#newest = startResourceVersion;
    this.#isListing = isStreamingList;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  get heldBytes(): number {
    return this.#cellBytes + this.#rows.size * ROW_BYTES;
  }

  /**
   * To be asked of every row that could be sent without being held. False for a repetition, from a lagging replica:
   * whoever got the whole stream would pass over it, but whoever got it merged may not have heard of what is newer.
   */
  passes(row: Decoded): boolean {
    if (this.#isRepetition(row)) return false;
    if ('cells' in row) this.#notice(row);
    else if (row.type === 'bookmark') this.#noticeBookmark(row);
    return true;
  }

  /** Copies what it needs. */
  add(row: Decoded): void {
    if (this.#isRepetition(row)) return;
    if ('cells' in row) this.#addObject(row);
    else if (row.type === 'rejected') this.#addRejected(row);
    else if (row.type === 'bookmark') this.#addBookmark(row);
    else this.#append(row, false);
    this.passes(row);
  }

  /** The oldest row, which is held no longer. */
  take(): Decoded | undefined {
    for (const [place, { row }] of this.#rows) {
      this.#remove(place);
      if (this.#rows.size === 0) this.#unkeyed = 0;
      return row;
    }
    return undefined;
  }

  #notice(row: CellRow): void {
    if (this.#isListing || (this.#newest === undefined && typeOf(row) === 'added')) return;
    this.#moveTo(row.cells.resourceVersionAt(row.offset), keyOf(row));
  }

  /**
   * A bookmark tells that the state of the collection has been sent, and nothing else. What comes after one and is
   * older is no repetition for that: the bookmark was not true, and the main thread has to know.
   */
  #noticeBookmark({ resourceVersion, initialEventsEnd }: Extract<Decoded, { type: 'bookmark' }>): void {
    if (initialEventsEnd) this.#isListing = false;
    const isBehindState = this.#newest === undefined && !this.#isListing;
    if (initialEventsEnd || isBehindState) this.#moveTo(resourceVersion, undefined);
  }

  #moveTo(version: string, key: Key | undefined): void {
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
    // A repetition among the initial events, which come in no order. It must not take the place of what is newer.
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
    const leftOut = ++this.#unkeyed - MAX_UNKEYED;
    if (leftOut > 0) this.#remove(this.#lastUnkeyed);
    const message =
      leftOut > 0 ? `${row.message} (${leftOut} others without a key are left out)` : row.message;
    this.#lastUnkeyed = this.#append({ ...row, message }, false);
  }

  #addBookmark(row: Extract<Decoded, { type: 'bookmark' }>): void {
    if (row.initialEventsEnd) {
      for (const places of [this.#present, this.#deleted, this.#rejected]) places.clear();
      this.#bookmark = undefined;
      this.#append(row, false);
    } else {
      this.#remove(this.#bookmark);
      this.#bookmark = this.#append(row, false);
    }
  }

  #append(row: Decoded, isNew: boolean): number {
    const place = this.#nextPlace++;
    this.#rows.set(place, { row, isNew });
    if ('cells' in row) this.#cellBytes += row.cells.byteLengthAt(row.offset);
    return place;
  }

  /** Leaves no trace of it: keys come and go for as long as a watch lives. */
  #remove(place: number | undefined): void {
    const held = this.#held(place);
    if (place === undefined || held === undefined) return;
    const { row } = held;
    this.#rows.delete(place);
    if ('cells' in row) {
      this.#cellBytes -= row.cells.byteLengthAt(row.offset);
      const places = typeOf(row) === 'deleted' ? this.#deleted : this.#present;
      forget(places, keyOf(row), place);
    } else if (row.type === 'rejected' && row.key !== undefined) {
      forget(this.#rejected, row.key, place);
    } else if (place === this.#bookmark) this.#bookmark = undefined;
  }

  #held(place: number | undefined): Held | undefined {
    return place === undefined ? undefined : this.#rows.get(place);
  }

  #isRepetition(row: Decoded): boolean {
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

/** Unless the key has a later row by now. */
function forget<K>(places: Map<K, number>, key: K, place: number): void {
  if (places.get(key) === place) places.delete(key);
}

/** Of an object or a bookmark. */
function versionOf(row: Decoded): string | undefined {
  if ('cells' in row) return row.cells.resourceVersionAt(row.offset);
  return row.type === 'bookmark' ? row.resourceVersion : undefined;
}

function isNotNewer(version: string, than: string | undefined): boolean {
  const order = than === undefined ? undefined : compareResourceVersion(version, than);
  return order !== undefined && order <= 0;
}
