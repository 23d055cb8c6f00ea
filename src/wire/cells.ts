/**
 * Memory full of cells. A cell is one object with its header, and knows its size: it can be copied to anywhere else as it is.
 *
 *     0  type (bits 0–7), 1 if the texts are UTF-16 instead of Latin-1 (bit 8)   ┐
 *     1  bytes of the cell, a multiple of 4                                       │
 *     2  bytes of the namespace, 0 without one                                    │  eight 32-bit words,
 *     3  bytes of the key: namespace, slash, name                                 │  in the machine's byte order
 *     4  bytes of the uid                                                         │
 *     5  bytes of the resource version                                            │
 *     6  bytes of the index values                                                │
 *     7  bytes of the payload                                                     ┘
 *     key, uid, resource version, index values, payload, up to 3 bytes of nothing
 *
 * Index values: for each index a count (32 bits, little-endian), then so many texts, each after its length (likewise).
 */

import { type Key, metaNamespaceKey } from '../kube/key.js';

/** What the worker knows about one object besides its payload. */
export interface RowHeader {
  readonly type: RowType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** In the order of `DecodingOptions.indexPaths`, then `hookIndexes`. */
  readonly indexValues: readonly (readonly string[])[];
}

/** An object on its way to a batch: the cell at `offset`. */
export interface CellRow {
  readonly cells: Cells;
  readonly offset: number;
}

/** Several, one after the other. */
export interface CellRun extends CellRow {
  readonly byteLength: number;
  readonly count: number;
}

/** Event types as the header carries them. Items of lists are `item`. */
export type RowType = ObjectRowType | 'bookmark' | 'error' | 'rejected';

export type ObjectRowType = 'item' | 'added' | 'modified' | 'deleted';

/** In the order of their numbers in cells. */
export const ROW_TYPES = ['item', 'added', 'modified', 'deleted', 'bookmark', 'error', 'rejected'] as const;

export const CELL_HEAD_BYTES = 32;

const WIDE = 0x100;

/** Less is not worth a buffer that many others may wait for. */
const MIN_LENT_BYTES = 64 * 1024;

export class Cells {
  readonly bytes: Buffer;
  readonly #words: Uint32Array;

  constructor(buffer: ArrayBufferLike) {
    this.bytes = Buffer.from(buffer);
    this.#words = new Uint32Array(buffer, 0, buffer.byteLength >>> 2);
  }

  /** Offsets of cells are multiples of 4. */
  byteLengthAt(offset: number): number {
    return this.#word(offset, 1);
  }

  typeAt(offset: number): RowType | undefined {
    return ROW_TYPES[this.#word(offset, 0) & 0xff];
  }

  keyAt(offset: number): Key {
    return this.#text(offset, offset + CELL_HEAD_BYTES, this.#word(offset, 3)) as Key;
  }

  namespaceAt(offset: number): string {
    return this.#text(offset, offset + CELL_HEAD_BYTES, this.#word(offset, 2));
  }

  nameAt(offset: number): string {
    const namespaceBytes = this.#word(offset, 2);
    const slashBytes = namespaceBytes === 0 ? 0 : this.#isWide(offset) ? 2 : 1;
    const skipped = namespaceBytes + slashBytes;
    return this.#text(offset, offset + CELL_HEAD_BYTES + skipped, this.#word(offset, 3) - skipped);
  }

  uidAt(offset: number): string {
    const start = offset + CELL_HEAD_BYTES + this.#word(offset, 3);
    return this.#text(offset, start, this.#word(offset, 4));
  }

  resourceVersionAt(offset: number): string {
    const start = offset + CELL_HEAD_BYTES + this.#word(offset, 3) + this.#word(offset, 4);
    return this.#text(offset, start, this.#word(offset, 5));
  }

  /** The values of the index with this number; undefined if the worker did not compute it. */
  indexValuesAt(offset: number, indexNumber: number): string[] | undefined {
    let at = this.payloadStartAt(offset) - this.#word(offset, 6);
    const end = this.payloadStartAt(offset);
    for (let number = 0; at < end; number++) {
      const count = this.bytes.readUInt32LE(at);
      at += 4;
      const values: string[] = [];
      for (let i = 0; i < count; i++) {
        const length = this.bytes.readUInt32LE(at);
        if (number === indexNumber) values.push(this.#text(offset, at + 4, length));
        at += 4 + length;
      }
      if (number === indexNumber) return values;
    }
    return undefined;
  }

  payloadStartAt(offset: number): number {
    return (
      offset +
      CELL_HEAD_BYTES +
      this.#word(offset, 3) +
      this.#word(offset, 4) +
      this.#word(offset, 5) +
      this.#word(offset, 6)
    );
  }

  payloadEndAt(offset: number): number {
    return this.payloadStartAt(offset) + this.#word(offset, 7);
  }

  /** A copy of the cell alone, as an event of another type. */
  copyAs(offset: number, type: RowType): CellRow {
    const byteLength = this.byteLengthAt(offset);
    const buffer = new ArrayBuffer(byteLength);
    const copy = new Cells(buffer);
    this.bytes.copy(copy.bytes, 0, offset, offset + byteLength);
    copy.#words[0] = (this.#word(offset, 0) & ~0xff) | ROW_TYPES.indexOf(type);
    return { cells: copy, offset: 0 };
  }

  /** True if there is a cell with all its parts between `offset` and `end`, so that none of the above reads anything else. */
  isCellAt(offset: number, end: number): boolean {
    if (end - offset < CELL_HEAD_BYTES) return false;
    const byteLength = this.byteLengthAt(offset);
    if (byteLength % 4 !== 0 || byteLength > end - offset || this.typeAt(offset) === undefined) return false;
    const padding = offset + byteLength - this.payloadEndAt(offset);
    if (padding < 0 || padding > 3) return false;
    const namespaceBytes = this.#word(offset, 2);
    return namespaceBytes === 0 || namespaceBytes < this.#word(offset, 3);
  }

  /** Whether two cells are of the same object in the same version: equal key, uid and version. Without a version nobody can tell. */
  isSameStateAt(offset: number, other: Cells, otherOffset: number): boolean {
    const words = this.#words;
    const others = other.#words;
    const start = offset >>> 2;
    const otherStart = otherOffset >>> 2;
    if (((words[start] as number) ^ (others[otherStart] as number)) & WIDE) return false;
    for (let word = 2; word <= 5; word++) if (words[start + word] !== others[otherStart + word]) return false;
    const versionBytes = words[start + 5] as number;
    if (versionBytes === 0) return false;
    const bytes = (words[start + 3] as number) + (words[start + 4] as number) + versionBytes;
    const whole = bytes >>> 2;
    const text = start + CELL_HEAD_BYTES / 4;
    const otherText = otherStart + CELL_HEAD_BYTES / 4;
    for (let word = 0; word < whole; word++)
      if (words[text + word] !== others[otherText + word]) return false;
    for (let byte = whole * 4; byte < bytes; byte++) {
      if (this.bytes[text * 4 + byte] !== other.bytes[otherText * 4 + byte]) return false;
    }
    return true;
  }

  #isWide(offset: number): boolean {
    return (this.#word(offset, 0) & WIDE) !== 0;
  }

  #text(offset: number, start: number, length: number): string {
    return this.bytes.toString(this.#isWide(offset) ? 'utf16le' : 'latin1', start, start + length);
  }

  #word(offset: number, word: number): number {
    return this.#words[(offset >>> 2) + word] as number;
  }
}

const NOTHING: SharedArrayBuffer = new SharedArrayBuffer(0);

/** Buffers that lie by. */
const MAX_LYING = 4;

/** Buffers that are looked after until they are given back. */
const MAX_LENT = 16;

/**
 * Memory that writers of one thread use in turn: memory that was never touched costs a page fault for every 4 KiB. It is shared, so that
 * other threads may read it for a while: they say that they are done in a word of it.
 */
export class Scratch {
  readonly byteLength: number;
  readonly #lying: SharedArrayBuffer[] = [];
  readonly #lent: Int32Array[] = [];

  /** Of one buffer: better too much than too little. */
  constructor(byteLength: number) {
    this.byteLength = byteLength;
  }

  take(): SharedArrayBuffer {
    return this.#lying.pop() ?? this.#takeReturned() ?? new SharedArrayBuffer(this.byteLength);
  }

  /** Those that a writer had to make larger are let go. */
  give(buffer: SharedArrayBuffer): void {
    if (buffer.byteLength === this.byteLength && this.#lying.length < MAX_LYING) this.#lying.push(buffer);
  }

  /** Somebody else has it until the word is 0. Of those that never come back, the oldest are forgotten. */
  lend(buffer: SharedArrayBuffer, word: number): void {
    if (buffer.byteLength !== this.byteLength) return;
    this.#lent.push(new Int32Array(buffer, word * 4, 1));
    if (this.#lent.length > MAX_LENT) this.#lent.shift();
  }

  #takeReturned(): SharedArrayBuffer | undefined {
    const place = this.#lent.findIndex((word) => Atomics.load(word, 0) === 0);
    return this.#lent.splice(place, place < 0 ? 0 : 1)[0]?.buffer as SharedArrayBuffer | undefined;
  }
}

/** Writes cells one after the other, behind room for a head. Holds memory from the first cell to `finish`; it grows if it has to. */
export class CellWriter {
  readonly #scratch: Scratch;
  readonly #headBytes: number;
  #buffer: SharedArrayBuffer = NOTHING;
  #bytes: Buffer = Buffer.from(NOTHING);
  #words: Uint32Array = new Uint32Array(NOTHING);
  #cells: Cells = new Cells(NOTHING);
  /** With the head. */
  #length: number;

  constructor(scratch: Scratch, headBytes = 0) {
    this.#scratch = scratch;
    this.#headBytes = headBytes;
    this.#length = headBytes;
  }

  /** Bytes of cells. */
  get length(): number {
    return this.#length - this.#headBytes;
  }

  /** What was written; others after the next `write` or `copy`. */
  get cells(): Cells {
    return this.#cells;
  }

  clear(): void {
    this.#length = this.#headBytes;
  }

  /**
   * What was written, with the tail behind it. Begins anew. If it is little, in a buffer of its own and of its exact size, to be transferred;
   * else in that of the scratch, which whoever reads it lets go of by a 0 in this word of the head.
   */
  finish(tail: Buffer, lentWord: number): ArrayBufferLike {
    const length = this.#length + tail.length;
    this.#reserve(length);
    tail.copy(this.#bytes, this.#length);
    this.clear();
    const buffer = this.#buffer;
    this.#setBuffer(NOTHING);
    if (length >= MIN_LENT_BYTES) {
      Atomics.store(new Int32Array(buffer), lentWord, 1);
      this.#scratch.lend(buffer, lentWord);
      return buffer;
    }
    const finished = new ArrayBuffer(length);
    Buffer.from(buffer).copy(Buffer.from(finished), 0, 0, length);
    this.#scratch.give(buffer);
    return finished;
  }

  /** A cell from elsewhere, as it is. */
  copy({ cells, offset }: CellRow): void {
    this.copyRun({ cells, offset, byteLength: cells.byteLengthAt(offset) });
  }

  copyRun({ cells, offset, byteLength }: Omit<CellRun, 'count'>): void {
    this.#reserve(this.#length + byteLength);
    cells.bytes.copy(this.#bytes, this.#length, offset, offset + byteLength);
    this.#length += byteLength;
  }

  /** The payload is copied. */
  write(header: RowHeader, payload: Uint8Array): void {
    const key = metaNamespaceKey(header.namespace, header.name);
    const isWide = !isLatin1(key, header.uid, header.resourceVersion, ...header.indexValues.flat());
    const unit = isWide ? 2 : 1;
    const encoding = isWide ? 'utf16le' : 'latin1';
    let indexBytes = 0;
    for (const values of header.indexValues) {
      indexBytes += 4;
      for (const value of values) indexBytes += 4 + value.length * unit;
    }
    const start = this.#length;
    const textBytes = (key.length + header.uid.length + header.resourceVersion.length) * unit;
    const end = start + CELL_HEAD_BYTES + textBytes + indexBytes + payload.length;
    const paddedEnd = (end + 3) & ~3;
    this.#reserve(paddedEnd);
    const word = start >>> 2;
    this.#words[word] = ROW_TYPES.indexOf(header.type) | (isWide ? WIDE : 0);
    this.#words[word + 1] = paddedEnd - start;
    this.#words[word + 2] = header.namespace.length * unit;
    this.#words[word + 3] = key.length * unit;
    this.#words[word + 4] = header.uid.length * unit;
    this.#words[word + 5] = header.resourceVersion.length * unit;
    this.#words[word + 6] = indexBytes;
    this.#words[word + 7] = payload.length;
    const bytes = this.#bytes;
    let at = start + CELL_HEAD_BYTES;
    at += bytes.write(key, at, encoding);
    at += bytes.write(header.uid, at, encoding);
    at += bytes.write(header.resourceVersion, at, encoding);
    for (const values of header.indexValues) {
      at = bytes.writeUInt32LE(values.length, at);
      for (const value of values) {
        at = bytes.writeUInt32LE(value.length * unit, at);
        at += bytes.write(value, at, encoding);
      }
    }
    bytes.set(payload, at);
    bytes.fill(0, end, paddedEnd);
    this.#length = paddedEnd;
  }

  #reserve(length: number): void {
    if (length <= this.#buffer.byteLength) return;
    const before = this.#bytes;
    const isFirst = before.length === 0 && length <= this.#scratch.byteLength;
    this.#setBuffer(isFirst ? this.#scratch.take() : new SharedArrayBuffer(2 * ((length + 3) & ~3)));
    before.copy(this.#bytes, 0, 0, this.#length);
  }

  #setBuffer(buffer: SharedArrayBuffer): void {
    this.#buffer = buffer;
    this.#bytes = Buffer.from(buffer);
    this.#words = new Uint32Array(buffer, 0, buffer.byteLength >>> 2);
    this.#cells = new Cells(buffer);
  }
}

function isLatin1(...texts: readonly string[]): boolean {
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  }
  return true;
}
