/**
 * One batch as it crosses the door: rows of one stream in its order, in one buffer. A small one is transferred; a large one is lent by the worker, which
 * writes into it again when it is given back.
 *
 *     0  "KFB1"                                   ┐
 *     1  CRC-32 of everything after this word     │
 *     2  epoch                                    │
 *     3  sequence                                 │
 *     4  number of cells                          │  eleven 32-bit words,
 *     5  bytes of cells                           │  in the machine's byte order
 *     6  bytes of the table's id                  │
 *     7  number of the first definition           │
 *     8  number of definitions                    │
 *     9  bytes of definitions                     │
 *    10  1 until it is given back                 ┘
 *     cells: one per row, drawn in cells.ts; the payload of a control row is itself as JSON
 *     the table's id, as Latin-1
 *     definitions: those that this stream has not sent yet, as a JSON array
 *
 * A stream sends every definition of its table once, but for those that the main thread had when the stream was opened: so it does not
 * matter what became of other streams. The main thread skips what it has from another stream of the same thread and kind.
 */

import { crc32 } from 'node:zlib';
import { KubeflectError } from '../util/errors.js';
import { type CellRow, type CellRun, Cells, CellWriter, type Scratch } from './cells.js';
import type { ObjectReader } from './object-reader.js';
import type { ObjectReaders } from './object-readers.js';
import type { Definition, DefinitionSource } from './tables/definition.js';

export type { CellRow, CellRun, RowHeader, RowType } from './cells.js';

/** A row that carries no object. */
export type ControlRow =
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'error'; readonly status: Readonly<Record<string, unknown>> }
  | {
      readonly type: 'rejected';
      readonly reason:
        | 'wrong-type'
        | 'wrong-gvk'
        | 'table'
        | 'no-metadata'
        | 'unknown-event'
        | 'undecodable'
        | 'hook'
        | 'quarantined';
      readonly message: string;
      readonly eventType?: string;
      readonly key?: string;
      readonly resourceVersion?: string;
    };

/** What a decoder gives, and a batch takes. Cells are only borrowed. */
export type WritableRow = CellRow | ControlRow;

/** The offset of the cell of an object in the batch's cells; or a row that carries no object. */
export type BatchRow = number | ControlRow;

export interface Batch {
  /** In the order of the stream. */
  readonly rows: readonly BatchRow[];
  /** Nothing but what this batch brought; the receiver's own. */
  readonly buffer: ArrayBufferLike;
  /** In `buffer`. */
  readonly cells: Cells;
  /** Reads the payloads. */
  readonly reader: ObjectReader;
}

export interface BatchReaderOptions {
  /** Of the stream. */
  readonly epoch: number;
  /** Knows the tables of all threads. */
  readonly readers: ObjectReaders;
}

const MAGIC = 0x3142464b;
const HEAD_WORDS = 11;
/** Not 0 until the buffer is given back. */
export const LENT_WORD = 10;
type Head = readonly [number, number, number, number, number, number, number, number, number, number];
const HEAD_BYTES = HEAD_WORDS * 4;

const NO_PAYLOAD = { namespace: '', name: '', uid: '', resourceVersion: '', indexValues: [] };

export interface BatchWriterOptions {
  /** How many definitions the reader has, by the table's id. */
  readonly known?: Readonly<Record<string, number>> | undefined;
  /** Of the thread, for batches while they are written. */
  readonly scratch: Scratch;
}

/** The worker's side of a stream's batches. One per stream; used again after `finish`. */
export class BatchWriter {
  readonly #source: DefinitionSource;
  readonly #cells: CellWriter;
  readonly #known: Readonly<Record<string, number>>;
  #rows = 0;
  #tableId: string;
  /** How many definitions of the table this stream has sent, or need not send. */
  #sent: number;

  /** `source` is what made the payloads. Its definitions travel with the batches. It may become another table between two batches. */
  constructor(source: DefinitionSource, { known = {}, scratch }: BatchWriterOptions) {
    this.#source = source;
    this.#known = known;
    this.#tableId = source.tableId;
    this.#sent = known[source.tableId] ?? 0;
    this.#cells = new CellWriter(scratch, HEAD_BYTES);
  }

  /** Rows since the last `finish`. */
  get rows(): number {
    return this.#rows;
  }

  /** Size that the batch would have now, but for definitions. */
  get bytes(): number {
    return HEAD_BYTES + this.#cells.length;
  }

  /** Copies what it needs. */
  add(row: WritableRow): void {
    if ('cells' in row) {
      this.#cells.copy(row);
    } else {
      this.#cells.write({ ...NO_PAYLOAD, type: row.type }, Buffer.from(JSON.stringify(row)));
    }
    this.#rows++;
  }

  addRun(run: CellRun): void {
    this.#cells.copyRun(run);
    this.#rows += run.count;
  }

  /** The batch, to be transferred, or to be read by one other thread: see `giveBack`. */
  finish(epoch: number, sequence: number): ArrayBufferLike {
    const { tableId, definitions } = this.#source;
    if (tableId !== this.#tableId) {
      this.#tableId = tableId;
      this.#sent = this.#known[tableId] ?? 0;
    }
    const news = definitions.slice(this.#sent);
    const text = news.length === 0 ? '' : JSON.stringify(news);
    const tail = Buffer.from(tableId + text);
    const cellBytes = this.#cells.length;
    const length = HEAD_BYTES + cellBytes + tail.length;
    const buffer = this.#cells.finish(tail, LENT_WORD);
    const words = new Uint32Array(buffer, 0, HEAD_WORDS);
    words[0] = MAGIC;
    words[2] = epoch;
    words[3] = sequence;
    words[4] = this.#rows;
    words[5] = cellBytes;
    words[6] = tableId.length;
    words[7] = this.#sent;
    words[8] = news.length;
    words[9] = tail.length - tableId.length;
    words[LENT_WORD] = 1;
    words[1] = crc32(Buffer.from(buffer, 8, length - 8));
    this.#sent = definitions.length;
    this.#rows = 0;
    return buffer;
  }
}

/** The buffer of a batch of which nothing is needed any more: its worker may write into it. */
export function giveBack({ buffer }: Pick<Batch, 'buffer'>): void {
  if (isShared(buffer)) Atomics.store(new Int32Array(buffer, 0, HEAD_WORDS), LENT_WORD, 0);
}

/** What a batch takes of its buffer. */
export function batchBytes(buffer: ArrayBufferLike): number {
  if (!isShared(buffer)) return buffer.byteLength;
  const [, , , , , cellBytes, idBytes, , , definitionBytes] = new Uint32Array(
    buffer,
    0,
    HEAD_WORDS,
  ) as unknown as Head;
  return HEAD_BYTES + cellBytes + idBytes + definitionBytes;
}

export function isShared(buffer: ArrayBufferLike): buffer is SharedArrayBuffer {
  return buffer instanceof SharedArrayBuffer;
}

/** The main thread's side of a stream's batches. One per stream. */
export class BatchReader {
  readonly #epoch: number;
  readonly #readers: ObjectReaders;
  #sequence = 0;
  /** Kept for the stream: its worker does not send a definition twice. */
  #reader: ObjectReader | undefined;

  constructor(options: BatchReaderOptions) {
    this.#epoch = options.epoch;
    this.#readers = options.readers;
  }

  /** Throws `KUBEFLECT_BATCH_INVALID` for what is not the batch that is due, as it was sent; no row of it is used. */
  read(buffer: ArrayBufferLike): Batch {
    if (buffer.byteLength < HEAD_BYTES) fail('a batch', `${buffer.byteLength} bytes`);
    const bytes = Buffer.from(buffer);
    const head = new Uint32Array(buffer, 0, HEAD_WORDS);
    const [magic, checksum, epoch, sequence, rowCount, cellBytes, idBytes, first, count, definitionBytes] =
      head as unknown as Head;
    if (magic !== MAGIC) fail('a batch', 'something else');
    const cellsEnd = HEAD_BYTES + cellBytes;
    const definitionsStart = cellsEnd + idBytes;
    const length = definitionsStart + definitionBytes;
    const isLengthRight = isShared(buffer) ? length <= buffer.byteLength : length === buffer.byteLength;
    if (cellBytes % 4 !== 0 || !isLengthRight) fail(`${length} bytes`, `${buffer.byteLength}`);
    if (checksum !== crc32(bytes.subarray(8, length))) fail('a batch as it was sent', 'a damaged one');
    if (epoch !== this.#epoch || sequence !== this.#sequence) {
      fail(`batch ${this.#sequence} of epoch ${this.#epoch}`, `batch ${sequence} of epoch ${epoch}`);
    }
    const reader = this.#readerOf(bytes.toString('latin1', cellsEnd, definitionsStart));
    if (first + count > reader.size) {
      const text = bytes.toString('utf8', definitionsStart, definitionsStart + definitionBytes);
      reader.extend(first, JSON.parse(text) as Definition[]);
    }
    const cells = new Cells(buffer);
    const rows = readRows(cells, HEAD_BYTES, cellsEnd, rowCount);
    this.#sequence++;
    return { rows, buffer, cells, reader };
  }

  #readerOf(tableId: string): ObjectReader {
    if (this.#reader?.tableId !== tableId) this.#reader = this.#readers.get(tableId);
    return this.#reader;
  }
}

function readRows(cells: Cells, start: number, end: number, rowCount: number): BatchRow[] {
  const rows: BatchRow[] = [];
  let offset = start;
  while (offset < end) {
    if (!cells.isCellAt(offset, end)) fail(`a cell at ${offset}`, 'something else');
    rows.push(readRow(cells, offset));
    offset += cells.byteLengthAt(offset);
  }
  if (rows.length !== rowCount) fail(`${rowCount} rows`, `${rows.length}`);
  return rows;
}

function readRow(cells: Cells, offset: number): BatchRow {
  const type = cells.typeAt(offset);
  if (type !== 'bookmark' && type !== 'error' && type !== 'rejected') return offset;
  const text = cells.bytes.toString('utf8', cells.payloadStartAt(offset), cells.payloadEndAt(offset));
  return JSON.parse(text) as ControlRow;
}

function fail(expected: string, received: string): never {
  throw new KubeflectError(
    'KUBEFLECT_BATCH_INVALID',
    `expected ${expected} from a worker, received ${received}; this is a bug in kubeflect`,
  );
}
