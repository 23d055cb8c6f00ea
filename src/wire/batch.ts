/**
 * One batch, as a worker posts it to the main thread: rows of one stream, in the order of the stream, in one buffer.
 * A small batch is transferred; a large one is in shared memory, which the worker reuses once the main thread has
 * released it.
 *
 * Everything in a batch but the payloads of objects is msgpack, and read by any msgpack library:
 *
 *      byte   0  9b                                          an array of eleven
 *             1  a4 "KFB2"
 *             6  ce CRC-32 of everything after this number   ┐
 *            11  ce epoch                                    │
 *            16  ce sequence                                 │
 *            21  ce number of cells                          │  32 bits each,
 *            26  ce bytes of cells                           │  big-endian
 *            31  ce bytes of the table's id                  │
 *            36  ce number of the first definition           │
 *            41  ce number of definitions                    │
 *            46  ce bytes of definitions                     │
 *            51  ce not 0 until the batch is released        ┘  at a multiple of 4, for Atomics
 *     cells: one per row, drawn in cells.ts; the payload of a control row is drawn in control-row.ts
 *     the table's id: a string
 *     definitions: those that this stream has not sent yet: an array of strings and of arrays of strings
 *
 * A stream sends every definition of its table once, except for those that the main thread had when the stream was
 * opened, so no stream depends on another. The main thread skips what it has from another stream of the same thread
 * and kind.
 */

import { crc32 } from 'node:zlib';
import { freeBuffer } from '../util/free-buffer.js';
import { type CellRow, type CellRun, Cells, CellWriter } from './cells.js';
import { type ControlRow, packControlRow, unpackControlRow } from './control-row.js';
import type { DefinitionSource } from './definitions.js';
import { failBatch, pack, unpack } from './msgpack.js';
import type { ObjectReader } from './object-reader.js';
import type { ObjectReaders } from './object-readers.js';
import { packDefinitions, unpackDefinitions } from './packed-definitions.js';
import type { ScratchBuffers } from './scratch-buffers.js';

export type { CellRow, CellRun, RowHeader, RowType } from './cells.js';
export type { ControlRow } from './control-row.js';

/** What a decoder produces, to be added to a batch. Cells are only borrowed. */
export type WritableRow = CellRow | ControlRow;

/** The offset of an object's cell in the batch, or a row that carries no object. */
export type BatchRow = number | ControlRow;

export interface Batch {
  /** In the order of the stream. */
  readonly rows: readonly BatchRow[];
  /** Holds nothing but this batch. If it is shared memory, it is only borrowed: see `releaseBatch`. */
  readonly buffer: ArrayBufferLike;
  /** The cells in `buffer`. */
  readonly cells: Cells;
  /** Reads the payloads. */
  readonly reader: ObjectReader;
}

export interface BatchReaderOptions {
  /** The epoch of the stream: batches of others are rejected. */
  readonly epoch: number;
  /** The readers of all threads' tables. */
  readonly readers: ObjectReaders;
}

/** The bytes of the head up to the first number. */
const MAGIC = Buffer.from([0x9b, 0xa4, ...Buffer.from('KFB2'), 0xce]);
const UINT32 = 0xce;
const HEAD_BYTES = 56;

// Offsets of the numbers in the head.
const CHECKSUM = 7;
const EPOCH = 12;
const SEQUENCE = 17;
const CELL_COUNT = 22;
const CELL_BYTES = 27;
const TABLE_ID_BYTES = 32;
const FIRST_DEFINITION = 37;
const DEFINITION_COUNT = 42;
const DEFINITION_BYTES = 47;

/** The 32-bit word of the buffer that is not 0 until the batch is released. */
export const IN_USE_WORD = 13;

/** The checksum covers everything from here on. */
const CHECKED = CHECKSUM + 4;

const NO_DEFINITIONS: readonly Buffer[] = [Buffer.from([0x90])];

const NO_PAYLOAD = { namespace: '', name: '', uid: '', resourceVersion: '', indexValues: [] };

export interface BatchWriterOptions {
  /** How many definitions the main thread has, by the table's id. */
  readonly known?: Readonly<Record<string, number>> | undefined;
  /** The scratch buffers of the thread. */
  readonly scratch: ScratchBuffers;
}

/** Writes the batches of one stream, in a worker; starts over after each `finish`. */
export class BatchWriter {
  readonly #source: DefinitionSource;
  readonly #cells: CellWriter;
  readonly #known: Readonly<Record<string, number>>;
  #rows = 0;
  #tableId: string;
  #packedTableId: Buffer;
  /** How many definitions of the table this stream has sent, or does not need to send. */
  #sent: number;

  /**
   * `source` holds the definitions that payloads refer to, which are sent with the batches. Its table may change
   * between two batches.
   */
  constructor(source: DefinitionSource, { known = {}, scratch }: BatchWriterOptions) {
    this.#source = source;
    this.#known = known;
    this.#tableId = source.tableId;
    this.#packedTableId = Buffer.from(pack(source.tableId));
    this.#sent = known[source.tableId] ?? 0;
    this.#cells = new CellWriter(scratch, HEAD_BYTES);
  }

  /** Rows since the last `finish`. */
  get rows(): number {
    return this.#rows;
  }

  /** The size of the batch so far, without definitions. */
  get bytes(): number {
    return HEAD_BYTES + this.#cells.length;
  }

  /** Copies what it needs. */
  add(row: WritableRow): void {
    if ('cells' in row) {
      this.#cells.copy(row);
    } else {
      this.#cells.write({ ...NO_PAYLOAD, type: row.type }, packControlRow(row));
    }
    this.#rows++;
  }

  addRun(run: CellRun): void {
    this.#cells.copyRun(run);
    this.#rows += run.count;
  }

  /**
   * Returns the batch: an ArrayBuffer to be transferred, or shared memory that one other thread reads and then
   * releases (`releaseBatch`).
   */
  finish(epoch: number, sequence: number): ArrayBufferLike {
    const { tableId, definitions } = this.#source;
    if (tableId !== this.#tableId) {
      this.#tableId = tableId;
      this.#packedTableId = Buffer.from(pack(tableId));
      this.#sent = this.#known[tableId] ?? 0;
    }
    const unsent = definitions.length - this.#sent;
    const id = this.#packedTableId;
    const packed = unsent === 0 ? NO_DEFINITIONS : packDefinitions(definitions, this.#sent);
    const packedBytes = packed.reduce((sum, { length }) => sum + length, 0);
    const cellBytes = this.#cells.length;
    const length = HEAD_BYTES + cellBytes + id.length + packedBytes;
    const buffer = this.#cells.finish([id, ...packed], IN_USE_WORD);
    const bytes = Buffer.from(buffer, 0, length);
    MAGIC.copy(bytes);
    for (let at = MAGIC.length - 1; at < HEAD_BYTES; at += 5) bytes[at] = UINT32;
    bytes.writeUInt32BE(epoch, EPOCH);
    bytes.writeUInt32BE(sequence, SEQUENCE);
    bytes.writeUInt32BE(this.#rows, CELL_COUNT);
    bytes.writeUInt32BE(cellBytes, CELL_BYTES);
    bytes.writeUInt32BE(id.length, TABLE_ID_BYTES);
    bytes.writeUInt32BE(this.#sent, FIRST_DEFINITION);
    bytes.writeUInt32BE(unsent, DEFINITION_COUNT);
    bytes.writeUInt32BE(packedBytes, DEFINITION_BYTES);
    bytes.writeUInt32BE(1, IN_USE_WORD * 4);
    bytes.writeUInt32BE(crc32(bytes.subarray(CHECKED)), CHECKSUM);
    this.#sent = definitions.length;
    this.#rows = 0;
    return buffer;
  }
}

/** Frees the memory of the batch, or lets the worker use it again: nothing of it may be read any more. */
export function releaseBatch({ buffer }: Pick<Batch, 'buffer'>): void {
  if (isShared(buffer)) Atomics.store(new Int32Array(buffer), IN_USE_WORD, 0);
  else freeBuffer(buffer as ArrayBuffer);
}

/** The bytes of the buffer that the batch takes. */
export function batchBytes(buffer: ArrayBufferLike): number {
  if (!isShared(buffer)) return buffer.byteLength;
  const head = Buffer.from(buffer, 0, HEAD_BYTES);
  return (
    HEAD_BYTES +
    head.readUInt32BE(CELL_BYTES) +
    head.readUInt32BE(TABLE_ID_BYTES) +
    head.readUInt32BE(DEFINITION_BYTES)
  );
}

export function isShared(buffer: ArrayBufferLike): buffer is SharedArrayBuffer {
  return buffer instanceof SharedArrayBuffer;
}

/** Reads the batches of one stream, on the main thread. */
export class BatchReader {
  readonly #epoch: number;
  readonly #readers: ObjectReaders;
  #sequence = 0;
  /** Kept for the stream, because its worker sends a definition only once. */
  #reader: ObjectReader | undefined;
  /** The id of `#reader`, as batches carry it. */
  #packedTableId: Buffer = Buffer.alloc(0);

  constructor(options: BatchReaderOptions) {
    this.#epoch = options.epoch;
    this.#readers = options.readers;
  }

  /**
   * Throws `KUBEFLECT_BATCH_INVALID`, without any row, if the buffer is not the next batch of the stream, undamaged.
   */
  read(buffer: ArrayBufferLike): Batch {
    if (buffer.byteLength < HEAD_BYTES) failBatch('a batch', `${buffer.byteLength} bytes`);
    const bytes = Buffer.from(buffer);
    if (MAGIC.compare(bytes, 0, MAGIC.length) !== 0) failBatch('a batch', 'something else');
    const cellBytes = bytes.readUInt32BE(CELL_BYTES);
    const cellsEnd = HEAD_BYTES + cellBytes;
    const definitionsStart = cellsEnd + bytes.readUInt32BE(TABLE_ID_BYTES);
    const length = definitionsStart + bytes.readUInt32BE(DEFINITION_BYTES);
    const isLengthRight = isShared(buffer) ? length <= buffer.byteLength : length === buffer.byteLength;
    if (cellBytes % 4 !== 0 || !isLengthRight) failBatch(`${length} bytes`, `${buffer.byteLength}`);
    if (bytes.readUInt32BE(CHECKSUM) !== crc32(bytes.subarray(CHECKED, length))) {
      failBatch('an undamaged batch', 'one with another checksum');
    }
    const epoch = bytes.readUInt32BE(EPOCH);
    const sequence = bytes.readUInt32BE(SEQUENCE);
    if (epoch !== this.#epoch || sequence !== this.#sequence) {
      failBatch(`batch ${this.#sequence} of epoch ${this.#epoch}`, `batch ${sequence} of epoch ${epoch}`);
    }
    const reader = this.#readerOf(bytes, cellsEnd, definitionsStart);
    const first = bytes.readUInt32BE(FIRST_DEFINITION);
    const count = bytes.readUInt32BE(DEFINITION_COUNT);
    if (first + count > reader.size) {
      const skipped = Math.max(0, reader.size - first);
      const range = { start: definitionsStart, end: length, count, skipped };
      reader.extend(first + skipped, unpackDefinitions(bytes, range));
    }
    const cells = new Cells(buffer);
    const rows = readRows(cells, HEAD_BYTES, cellsEnd, bytes.readUInt32BE(CELL_COUNT));
    this.#sequence++;
    return { rows, buffer, cells, reader };
  }

  /** The reader of the table whose id is in the bytes from `start` up to `end`. */
  #readerOf(bytes: Buffer, start: number, end: number): ObjectReader {
    const known = this.#packedTableId;
    if (this.#reader !== undefined && known.compare(bytes, start, end) === 0) return this.#reader;
    const tableId = unpack(bytes, start, end);
    if (typeof tableId !== 'string') return failBatch('the id of a table', typeof tableId);
    this.#packedTableId = Buffer.from(bytes.subarray(start, end));
    this.#reader = this.#readers.get(tableId);
    return this.#reader;
  }
}

function readRows(cells: Cells, start: number, end: number, rowCount: number): BatchRow[] {
  const rows: BatchRow[] = [];
  let offset = start;
  while (offset < end) {
    if (!cells.isCellAt(offset, end)) failBatch(`a cell at ${offset}`, 'something else');
    rows.push(readRow(cells, offset));
    offset += cells.byteLengthAt(offset);
  }
  if (rows.length !== rowCount) failBatch(`${rowCount} rows`, `${rows.length}`);
  return rows;
}

function readRow(cells: Cells, offset: number): BatchRow {
  const type = cells.typeAt(offset);
  if (type !== 'bookmark' && type !== 'error' && type !== 'rejected') return offset;
  return unpackControlRow(type, cells.bytes, cells.payloadStartAt(offset), cells.payloadEndAt(offset));
}
