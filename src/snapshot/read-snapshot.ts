import { Cells } from '../wire/cells.js';
import { PayloadChecker } from '../wire/check-payload.js';
import { type Definition, MAX_DEFINITIONS, toDefinitions } from '../wire/definitions.js';
import { unpack } from '../wire/msgpack.js';
import { FRAME_CELLS, FRAME_DEFINITIONS, FRAME_END, FRAME_HEADER, FrameReader } from './frames.js';
import { type SnapshotFiles, UntrustedFile } from './snapshot-files.js';
import {
  checkIdentity,
  type ExpectedIdentity,
  type SnapshotHeader,
  unpackHeader,
} from './snapshot-header.js';
import { broken, SnapshotRejection } from './snapshot-rejection.js';

/**
 * Every start leaves tables of threads that are gone. Beyond this, an informer starts cold once, and all objects are
 * read with new tables.
 */
export const MAX_TABLES = 64;

const TABLE_BYTES = 4;
/** The header of a cell alone has more. */
const MIN_CELL_BYTES = 32;

/** Cells that were read, and checked as those of a batch are. */
export interface ReadCells {
  readonly buffer: SharedArrayBuffer;
  readonly offsets: Uint32Array;
  readonly table: number;
}

export interface ReadOptions {
  readonly files: SnapshotFiles;
  readonly name: string;
  readonly key: Uint8Array | undefined;
  readonly maxBytes: number;
  readonly expected: ExpectedIdentity;
  /** Its identity is the expected one; nothing else has been read yet. */
  readonly onHeader?: (header: SnapshotHeader) => void;
  readonly onTable: (definitions: readonly Definition[]) => void;
  readonly onCells: (cells: ReadCells) => void;
}

/**
 * Reads a snapshot, checking everything: the identity first, then each frame before the next. What `onTable` and
 * `onCells` received counts only if it returns. Throws `SnapshotRejection`, and nothing else, for whatever the file is.
 */
export function readSnapshot(options: ReadOptions): SnapshotHeader {
  const { files, name, maxBytes } = options;
  let opened: ReturnType<SnapshotFiles['open']>;
  try {
    opened = files.open(name);
  } catch (error) {
    const reason = error instanceof UntrustedFile ? 'permissions' : 'failed';
    throw new SnapshotRejection(reason, error instanceof UntrustedFile ? error.message : codeOf(error));
  }
  if (opened === undefined) throw new SnapshotRejection('absent', 'there is none');
  try {
    if (opened.bytes > maxBytes) throw new SnapshotRejection('size', `it is larger than ${maxBytes} bytes`);
    return readFrames(new FrameReader(files, opened.file, opened.bytes, options.key), opened.bytes, options);
  } catch (error) {
    if (error instanceof SnapshotRejection) throw error;
    throw new SnapshotRejection('failed', codeOf(error));
  } finally {
    files.close(opened.file);
  }
}

/** The header alone, of any identity; undefined if it cannot be read. */
export function readHeader(options: Pick<ReadOptions, 'files' | 'name' | 'key'>): SnapshotHeader | undefined {
  try {
    const opened = options.files.open(options.name);
    if (opened === undefined) return undefined;
    try {
      return headerOf(new FrameReader(options.files, opened.file, opened.bytes, options.key));
    } finally {
      options.files.close(opened.file);
    }
  } catch {
    return undefined;
  }
}

function headerOf(reader: FrameReader): SnapshotHeader {
  const { kind, body } = reader.next();
  if (kind !== FRAME_HEADER) throw broken('the header is missing');
  return unpackHeader(Buffer.from(body));
}

function readFrames(reader: FrameReader, size: number, options: ReadOptions): SnapshotHeader {
  const header = headerOf(reader);
  checkIdentity(header.identity, options.expected);
  const checkers: PayloadChecker[] = [];
  let objects = 0;
  if (header.tables > MAX_TABLES) throw broken(`it has ${header.tables} tables of definitions`);
  // Before anybody prepares for so many.
  if (header.objects * MIN_CELL_BYTES > size) throw broken('its header says more objects than it can have');
  options.onHeader?.(header);
  for (;;) {
    const { kind, body } = reader.next();
    if (kind === FRAME_END) {
      checkEnd(header, reader, { objects, tables: checkers.length });
      return header;
    }
    if (kind === FRAME_DEFINITIONS && checkers.length < header.tables) {
      const definitions = definitionsOf(Buffer.from(body));
      checkers.push(new PayloadChecker(definitions));
      options.onTable(definitions);
    } else if (kind === FRAME_CELLS) {
      const read = cellsOf(body, checkers);
      objects += read.offsets.length;
      if (objects > header.objects) throw broken('it has more objects than its header says');
      options.onCells(read);
    } else throw broken(`a frame of kind ${kind} was not expected`);
  }
}

function checkEnd(header: SnapshotHeader, reader: FrameReader, read: { objects: number; tables: number }) {
  if (!reader.isAtEnd) throw broken('there is something after its end');
  if (read.objects !== header.objects || read.tables !== header.tables) {
    throw broken(`it has ${read.objects} objects, expected ${header.objects}`);
  }
}

function definitionsOf(bytes: Buffer): readonly Definition[] {
  try {
    const value = unpack(bytes, 0, bytes.length);
    const length = Array.isArray(value) ? value.length : -1;
    if (length > MAX_DEFINITIONS) throw broken('a table has too many definitions');
    return toDefinitions(value, length);
  } catch {
    throw broken('a table of definitions is damaged');
  }
}

function cellsOf(buffer: SharedArrayBuffer, checkers: readonly PayloadChecker[]): ReadCells {
  const end = buffer.byteLength;
  if (end < TABLE_BYTES || end % 4 !== 0) throw broken('a frame of cells is damaged');
  const cells = new Cells(buffer);
  const table = cells.bytes.readUInt32BE(0);
  const checker = checkers[table];
  if (checker === undefined) throw broken('cells refer to a missing table of definitions');
  const offsets: number[] = [];
  for (let offset = TABLE_BYTES; offset < end; offset += cells.byteLengthAt(offset)) {
    if (!isObject(cells, offset, end, checker)) throw broken('a cell is damaged');
    offsets.push(offset);
  }
  return { buffer, offsets: new Uint32Array(offsets), table };
}

/** A cell that may be stored, with a payload that can be read. */
function isObject(cells: Cells, offset: number, end: number, checker: PayloadChecker): boolean {
  if (!cells.isCellAt(offset, end) || cells.byteLengthAt(offset) === 0) return false;
  const type = cells.typeAt(offset);
  if (type !== 'item' && type !== 'added' && type !== 'modified') return false;
  return checker.isObject(cells.bytes, cells.payloadStartAt(offset), cells.payloadEndAt(offset));
}

/** Messages of Node have the path, which the caller knows; a code is enough. */
function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown error';
}
