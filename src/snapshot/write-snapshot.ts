import type { Cells } from '../wire/cells.js';
import type { Definition } from '../wire/definitions.js';
import { pack } from '../wire/msgpack.js';
import { FRAME_CELLS, FRAME_DEFINITIONS, FRAME_END, FRAME_HEADER, FrameWriter } from './frames.js';
import type { SnapshotFiles } from './snapshot-files.js';
import { packHeader, type SnapshotHeader } from './snapshot-header.js';

/** A frame of cells has about as many bytes, or one larger cell. */
const FRAME_BYTES = 1024 * 1024;
/** The number of its table, before the cells of a frame. */
const TABLE_BYTES = 4;

/** Some cells of one slab. */
export interface CapturedCells {
  readonly cells: Cells;
  /** In ascending order. */
  readonly offsets: Uint32Array;
  /** The number of the table with which the cells are read. */
  readonly table: number;
}

export interface SnapshotContent {
  readonly header: SnapshotHeader;
  /** The definitions of each table. */
  readonly tables: readonly (readonly Definition[])[];
  readonly slabs: readonly CapturedCells[];
}

export interface WriteOptions {
  readonly files: SnapshotFiles;
  readonly name: string;
  /** A name that no other file has: what is written there becomes `name` when it is complete. */
  readonly temporaryName: string;
  readonly key: Uint8Array | undefined;
  /** Random, of `SALT_BYTES`. */
  readonly salt: Uint8Array;
  readonly maxBytes: number;
  /** Polled between two frames; true ends it with `WriteAborted`. */
  readonly isAborted: () => boolean;
}

export class WriteAborted extends Error {}

/** The snapshot would be larger than `maxBytes`. */
export class SnapshotTooLarge extends Error {}

/**
 * Writes a snapshot beside the one of this name, and replaces it when everything is on the disk: whenever the process
 * or the machine stops, the name has the complete old snapshot, the complete new one, or none. Returns the bytes.
 */
export function writeSnapshot(content: SnapshotContent, options: WriteOptions): number {
  const { files, name, temporaryName } = options;
  const file = files.create(temporaryName);
  let isOpen = true;
  try {
    const bytes = writeFrames(content, file, options);
    files.sync(file);
    isOpen = false;
    files.close(file);
    files.rename(temporaryName, name);
    files.syncDirectory();
    return bytes;
  } catch (error) {
    try {
      if (isOpen) files.close(file);
      files.remove(temporaryName);
    } catch {
      // Removed at the next start.
    }
    throw error;
  }
}

function writeFrames(
  { header, tables, slabs }: SnapshotContent,
  file: number,
  { files, key, salt, maxBytes, isAborted }: WriteOptions,
): number {
  const writer = new FrameWriter(files, file, key, salt);
  const write = (kind: number, body: Uint8Array): void => {
    if (isAborted()) throw new WriteAborted('the snapshot is no longer wanted');
    if (writer.bytes + body.length > maxBytes) throw new SnapshotTooLarge(`more than ${maxBytes} bytes`);
    writer.write(kind, body);
  };
  write(FRAME_HEADER, packHeader(header));
  for (const definitions of tables) write(FRAME_DEFINITIONS, Buffer.from(pack(definitions)));
  for (const { cells, table, body } of frames(slabs)) {
    let end = TABLE_BYTES;
    body.writeUInt32BE(table);
    for (const [start, stop] of cells.runs) end += cells.bytes.copy(body, end, start, stop);
    write(FRAME_CELLS, body.subarray(0, end));
  }
  write(FRAME_END, Buffer.from(pack([header.objects])));
  return writer.bytes;
}

interface CellsOfFrame {
  readonly cells: { readonly bytes: Buffer; readonly runs: readonly (readonly [number, number])[] };
  readonly table: number;
  /** Large enough; used again for the next frame. */
  readonly body: Buffer;
}

/** Neighbouring cells are copied together. */
function* frames(slabs: readonly CapturedCells[]): Generator<CellsOfFrame> {
  let body = Buffer.allocUnsafeSlow(TABLE_BYTES + FRAME_BYTES);
  for (const { cells, offsets, table } of slabs) {
    let runs: [number, number][] = [];
    let length = 0;
    const frame = (): CellsOfFrame => {
      if (TABLE_BYTES + length > body.length) body = Buffer.allocUnsafeSlow(TABLE_BYTES + length);
      const full = { cells: { bytes: cells.bytes, runs }, table, body };
      runs = [];
      length = 0;
      return full;
    };
    for (const offset of offsets) {
      const byteLength = cells.byteLengthAt(offset);
      if (length > 0 && length + byteLength > FRAME_BYTES) yield frame();
      const last = runs.at(-1);
      if (last !== undefined && last[1] === offset) last[1] = offset + byteLength;
      else runs.push([offset, offset + byteLength]);
      length += byteLength;
    }
    if (length > 0) yield frame();
  }
}
