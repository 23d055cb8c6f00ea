/**
 * Memory full of cells. A cell is one object with its header. It states its size and can be copied anywhere else as
 * it is, to a multiple of 4 bytes. It is a msgpack array, in which every size has a fixed width, so that the parts
 * are found without a msgpack reader:
 *
 *     byte  0  98                                 an array of eight
 *           1  type                               an integer: the position in ROW_TYPES
 *           2  ce size of the cell                with padding: a multiple of 4
 *           7  ce size of the namespace           0 without one
 *          12  db size, key                       namespace, slash, name
 *              db size, uid
 *              db size, resource version
 *              c6 size, index values              for each index `dd` and the number of its values, then for each
 *                                                 value `db`, its size and itself
 *              c6 size, payload                   see object-packer.ts; that of a control row: control-row.ts
 *              padding                            up to three times 00, the integer 0
 *
 * Sizes are numbers of bytes, of 32 bits, big-endian. Strings are ASCII. If one string of a cell is not, all of them
 * are UTF-16 (little-endian), which is binary data to msgpack: c6 instead of db.
 */

import { type Key, metaNamespaceKey } from '../kube/key.js';
import type { ScratchBuffers } from './scratch-buffers.js';

/** What a worker sends of an object besides its payload. */
export interface RowHeader {
  readonly type: RowType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** In the order of `DecodingOptions.indexPaths`, then `hookIndexes`. */
  readonly indexValues: readonly (readonly string[])[];
}

/** The cell of one object, at `offset`. */
export interface CellRow {
  readonly cells: Cells;
  readonly offset: number;
}

/** Several cells, one after the other. */
export interface CellRun extends CellRow {
  readonly byteLength: number;
  readonly count: number;
}

/** Several cells of a watch. */
export interface OrderedRun extends CellRun {
  /** Of the last cell. */
  readonly lastOffset: number;
  /** The resource versions are decimal numbers, and each is greater than the one before. */
  readonly isOrdered: boolean;
}

/** The types of watch events and control rows; `item` is an item of a list. */
export type RowType = ObjectRowType | 'bookmark' | 'error' | 'rejected';

export type ObjectRowType = 'item' | 'added' | 'modified' | 'deleted';

/** A cell holds the place of its type in this list. */
export const ROW_TYPES = ['item', 'added', 'modified', 'deleted', 'bookmark', 'error', 'rejected'] as const;

// Where the parts of a cell are, from its start.
const TYPE = 1;
const CELL_BYTES = 3;
const NAMESPACE_BYTES = 8;
const KEY = 12;

// Tokens of msgpack.
const ARRAY_OF_EIGHT = 0x98;
const UINT32 = 0xce;
const BIN32 = 0xc6;
const STR32 = 0xdb;
const ARRAY32 = 0xdd;

/** A token and a size of 32 bits. */
const SIZE_BYTES = 5;

/** A smaller batch is copied: its scratch buffer is free again at once. */
const MIN_SHARED_BYTES = 64 * 1024;

export class Cells {
  readonly bytes: Buffer;
  // Arrays of a fixed length, not a DataView: V8 does not inline the access of one to a growable buffer, as slabs are.
  readonly #octets: Uint8Array;
  readonly #words: Uint32Array;

  constructor(buffer: ArrayBufferLike) {
    this.bytes = Buffer.from(buffer);
    this.#octets = new Uint8Array(buffer, 0, buffer.byteLength);
    this.#words = new Uint32Array(buffer, 0, buffer.byteLength >>> 2);
  }

  /** Offsets of cells are multiples of 4. */
  byteLengthAt(offset: number): number {
    return this.#uint32At(offset + CELL_BYTES);
  }

  typeAt(offset: number): RowType | undefined {
    return ROW_TYPES[this.#octets[offset + TYPE] as number];
  }

  keyAt(offset: number): Key {
    return this.#stringAt(offset + KEY) as Key;
  }

  namespaceAt(offset: number): string {
    const start = offset + KEY + SIZE_BYTES;
    return this.#string(start, this.#uint32At(offset + NAMESPACE_BYTES), this.#isWide(offset));
  }

  nameAt(offset: number): string {
    const namespaceBytes = this.#uint32At(offset + NAMESPACE_BYTES);
    const isWide = this.#isWide(offset);
    const slashBytes = namespaceBytes === 0 ? 0 : isWide ? 2 : 1;
    const skipped = namespaceBytes + slashBytes;
    return this.#string(offset + KEY + SIZE_BYTES + skipped, this.#sizeAt(offset + KEY) - skipped, isWide);
  }

  uidAt(offset: number): string {
    return this.#stringAt(this.#after(offset + KEY));
  }

  resourceVersionAt(offset: number): string {
    return this.#stringAt(this.#after(this.#after(offset + KEY)));
  }

  /** The values of the index with this number; undefined if the worker did not compute it. */
  indexValuesAt(offset: number, indexNumber: number): string[] | undefined {
    const values = this.#indexValuesAt(offset);
    const end = this.#after(values);
    let at = values + SIZE_BYTES;
    for (let number = 0; at < end; number++) {
      const count = this.#sizeAt(at);
      at += SIZE_BYTES;
      if (number === indexNumber) {
        const strings: string[] = [];
        for (let i = 0; i < count; i++) {
          strings.push(this.#stringAt(at));
          at = this.#after(at);
        }
        return strings;
      }
      for (let i = 0; i < count; i++) at = this.#after(at);
    }
    return undefined;
  }

  payloadStartAt(offset: number): number {
    return this.#after(this.#indexValuesAt(offset)) + SIZE_BYTES;
  }

  payloadEndAt(offset: number): number {
    return this.#after(this.#after(this.#indexValuesAt(offset)));
  }

  /** A copy of the cell alone, as an event of another type. */
  copyAs(offset: number, type: RowType): CellRow {
    const byteLength = this.byteLengthAt(offset);
    const copy = new Cells(new ArrayBuffer(byteLength));
    this.bytes.copy(copy.bytes, 0, offset, offset + byteLength);
    copy.bytes[TYPE] = ROW_TYPES.indexOf(type);
    return { cells: copy, offset: 0 };
  }

  /**
   * True if there is a cell with all its parts between `offset` and `end`, so that none of the methods above reads
   * anything else.
   */
  isCellAt(offset: number, end: number): boolean {
    if (end - offset < KEY) return false;
    const { bytes } = this;
    const byteLength = this.byteLengthAt(offset);
    if (byteLength % 4 !== 0 || byteLength > end - offset || this.typeAt(offset) === undefined) return false;
    if (bytes[offset] !== ARRAY_OF_EIGHT) return false;
    if (bytes[offset + CELL_BYTES - 1] !== UINT32 || bytes[offset + NAMESPACE_BYTES - 1] !== UINT32)
      return false;
    const stringToken = this.#isWide(offset) ? BIN32 : STR32;
    const cellEnd = offset + byteLength;
    const uid = this.#endOf(stringToken, offset + KEY, cellEnd);
    const resourceVersion = this.#endOf(stringToken, uid, cellEnd);
    const indexValues = this.#endOf(stringToken, resourceVersion, cellEnd);
    const payload = this.#endOf(BIN32, indexValues, cellEnd);
    const padding = cellEnd - this.#endOf(BIN32, payload, cellEnd);
    if (!(padding >= 0 && padding <= 3)) return false;
    if (!this.#areIndexValues(indexValues + SIZE_BYTES, payload, stringToken)) return false;
    const namespaceBytes = this.#uint32At(offset + NAMESPACE_BYTES);
    return namespaceBytes === 0 || namespaceBytes < this.#sizeAt(offset + KEY);
  }

  /**
   * Whether two cells have the same key, uid and resource version. False without a version: then the state is
   * unknown.
   */
  isSameStateAt(offset: number, other: Cells, otherOffset: number): boolean {
    const version = this.#after(this.#after(offset + KEY));
    const versionBytes = this.#sizeAt(version);
    if (versionBytes === 0) return false;
    // The sizes between are compared as well, so the same bytes are the same strings.
    const length = version + SIZE_BYTES + versionBytes - offset;
    if (otherOffset + length > other.bytes.length) return false;
    const octets = this.#octets;
    const otherOctets = other.#octets;
    const words = this.#words;
    const otherWords = other.#words;
    const start = offset >>> 2;
    const otherStart = otherOffset >>> 2;
    const wholeWords = length >>> 2;
    for (let word = NAMESPACE_BYTES >>> 2; word < wholeWords; word++) {
      if (words[start + word] !== otherWords[otherStart + word]) return false;
    }
    for (let byte = wholeWords * 4; byte < length; byte++) {
      if (octets[offset + byte] !== otherOctets[otherOffset + byte]) return false;
    }
    return true;
  }

  #uint32At(at: number): number {
    const octets = this.#octets;
    return (
      (((octets[at] as number) << 24) |
        ((octets[at + 1] as number) << 16) |
        ((octets[at + 2] as number) << 8) |
        (octets[at + 3] as number)) >>>
      0
    );
  }

  #isWide(offset: number): boolean {
    return this.#octets[offset + KEY] === BIN32;
  }

  #indexValuesAt(offset: number): number {
    return this.#after(this.#after(this.#after(offset + KEY)));
  }

  /** The size in the part that begins at `at` with a token. */
  #sizeAt(at: number): number {
    return this.#uint32At(at + 1);
  }

  /** The end of the part of which `at` is the beginning. */
  #after(at: number): number {
    return at + SIZE_BYTES + this.#uint32At(at + 1);
  }

  /** The same, or NaN if there is no such part before `end`. */
  #endOf(token: number, at: number, end: number): number {
    if (!(at + SIZE_BYTES <= end) || this.bytes[at] !== token) return Number.NaN;
    const partEnd = this.#after(at);
    return partEnd <= end ? partEnd : Number.NaN;
  }

  #areIndexValues(start: number, end: number, stringToken: number): boolean {
    let at = start;
    while (at < end) {
      if (at + SIZE_BYTES > end || this.bytes[at] !== ARRAY32) return false;
      const count = this.#sizeAt(at);
      at += SIZE_BYTES;
      for (let i = 0; i < count; i++) {
        at = this.#endOf(stringToken, at, end);
        if (Number.isNaN(at)) return false;
      }
    }
    return at === end;
  }

  #stringAt(at: number): string {
    return this.#string(at + SIZE_BYTES, this.#sizeAt(at), this.bytes[at] === BIN32);
  }

  #string(start: number, length: number, isWide: boolean): string {
    return this.bytes.toString(isWide ? 'utf16le' : 'latin1', start, start + length);
  }
}

const NOTHING: SharedArrayBuffer = new SharedArrayBuffer(0);

/**
 * Writes cells one after the other, after space for a head. Holds a scratch buffer from the first cell to `finish`,
 * and enlarges it if needed.
 */
export class CellWriter {
  readonly #scratch: ScratchBuffers;
  readonly #headBytes: number;
  #buffer: SharedArrayBuffer = NOTHING;
  #bytes: Buffer = Buffer.from(NOTHING);
  #cells: Cells = new Cells(NOTHING);
  /** Includes the head. */
  #length: number;

  constructor(scratch: ScratchBuffers, headBytes = 0) {
    this.#scratch = scratch;
    this.#headBytes = headBytes;
    this.#length = headBytes;
  }

  /** Bytes of cells. */
  get length(): number {
    return this.#length - this.#headBytes;
  }

  /** The cells that were written; valid until the next `write` or `copy`. */
  get cells(): Cells {
    return this.#cells;
  }

  clear(): void {
    this.#length = this.#headBytes;
  }

  /**
   * Returns the head, the cells and the tails, and starts over. Little data is in an ArrayBuffer of exactly its size,
   * to be transferred. More is in a shared scratch buffer, which its reader releases by setting this word of the head
   * to 0.
   */
  finish(tails: readonly Uint8Array[], inUseWord: number): ArrayBufferLike {
    const length = tails.reduce((sum, tail) => sum + tail.length, this.#length);
    this.#reserve(length);
    let end = this.#length;
    for (const tail of tails) {
      this.#bytes.set(tail, end);
      end += tail.length;
    }
    this.clear();
    const buffer = this.#buffer;
    this.#setBuffer(NOTHING);
    if (length >= MIN_SHARED_BYTES) {
      Atomics.store(new Int32Array(buffer), inUseWord, 1);
      this.#scratch.releaseWhenZero(buffer, inUseWord);
      return buffer;
    }
    const finished = new ArrayBuffer(length);
    Buffer.from(buffer).copy(Buffer.from(finished), 0, 0, length);
    this.#scratch.release(buffer);
    return finished;
  }

  /** Copies a cell unchanged. */
  copy({ cells, offset }: CellRow): void {
    this.copyRun({ cells, offset, byteLength: cells.byteLengthAt(offset) });
  }

  copyRun({ cells, offset, byteLength }: Omit<CellRun, 'count'>): void {
    this.#reserve(this.#length + byteLength);
    cells.bytes.copy(this.#bytes, this.#length, offset, offset + byteLength);
    this.#length += byteLength;
  }

  /** Copies the payload. */
  write(header: RowHeader, payload: Uint8Array): void {
    const key = metaNamespaceKey(header.namespace, header.name);
    const isWide = !isAscii(key, header.uid, header.resourceVersion, ...header.indexValues.flat());
    const unit = isWide ? 2 : 1;
    let indexBytes = 0;
    for (const values of header.indexValues) {
      indexBytes += SIZE_BYTES;
      for (const value of values) indexBytes += SIZE_BYTES + value.length * unit;
    }
    const start = this.#length;
    const stringBytes = (key.length + header.uid.length + header.resourceVersion.length) * unit;
    const end = start + KEY + 5 * SIZE_BYTES + stringBytes + indexBytes + payload.length;
    const paddedEnd = (end + 3) & ~3;
    this.#reserve(paddedEnd);
    const bytes = this.#bytes;
    bytes[start] = ARRAY_OF_EIGHT;
    bytes[start + TYPE] = ROW_TYPES.indexOf(header.type);
    this.#size(UINT32, paddedEnd - start, start + CELL_BYTES - 1);
    this.#size(UINT32, header.namespace.length * unit, start + NAMESPACE_BYTES - 1);
    let at = this.#string(key, start + KEY, isWide);
    at = this.#string(header.uid, at, isWide);
    at = this.#string(header.resourceVersion, at, isWide);
    at = this.#size(BIN32, indexBytes, at);
    for (const values of header.indexValues) {
      at = this.#size(ARRAY32, values.length, at);
      for (const value of values) at = this.#string(value, at, isWide);
    }
    at = this.#size(BIN32, payload.length, at);
    bytes.set(payload, at);
    bytes.fill(0, end, paddedEnd);
    this.#length = paddedEnd;
  }

  /** Returns the end of what it wrote. */
  #string(string: string, at: number, isWide: boolean): number {
    const start = this.#size(isWide ? BIN32 : STR32, string.length * (isWide ? 2 : 1), at);
    return start + this.#bytes.write(string, start, isWide ? 'utf16le' : 'latin1');
  }

  #size(token: number, size: number, at: number): number {
    this.#bytes[at] = token;
    return this.#bytes.writeUInt32BE(size, at + 1);
  }

  #reserve(length: number): void {
    if (length <= this.#buffer.byteLength) return;
    const before = this.#bytes;
    const isFirst = before.length === 0 && length <= this.#scratch.byteLength;
    this.#setBuffer(isFirst ? this.#scratch.checkOut() : new SharedArrayBuffer(2 * ((length + 3) & ~3)));
    before.copy(this.#bytes, 0, 0, this.#length);
  }

  #setBuffer(buffer: SharedArrayBuffer): void {
    this.#buffer = buffer;
    this.#bytes = Buffer.from(buffer);
    this.#cells = new Cells(buffer);
  }
}

function isAscii(...strings: readonly string[]): boolean {
  for (const string of strings) {
    for (let i = 0; i < string.length; i++) if (string.charCodeAt(i) > 0x7f) return false;
  }
  return true;
}
