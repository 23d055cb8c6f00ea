/** A run: the cells of consecutive documents, one after the other from CELL on. */

import { versionAt, versionLength, writeCellAt } from './cell';
import { o } from './cursor';
import { CELL, CELL_BYTES, HEADER_BYTES, OUTPUT } from './memory';
import { foundVersion, foundVersionLength } from './shard';

/** A run ends when its cells have this size. */
const RUN_BYTES: u32 = 128 * 1024;

// Why a run ended, unless a document was abandoned: the numbers are those of workers/decode/transcoder.ts.
/** There is no space for more cells, or what follows is not looked at. */
export const FULL: u32 = 0;
/** The next document has not arrived completely. */
export const INCOMPLETE: u32 = 1;
/** The next document is too large. */
export const OVERSIZED: u32 = 2;

/**
 * What JavaScript reads of the last run; it reads exported globals slowly. Words of 32 bits, each a variable below:
 *
 *     0  runItems        3  runEnd            6  runForeign
 *     1  runBytes        4  itemEnd           7  runVersion
 *     2  runLast         5  isRunOrdered      8  runVersionLength
 */
export const RUN: usize = memory.data(9 * 4, 4);

// The last run: the number of documents, the length of their cells, and the offset of the last cell.
let runItems: u32 = 0;
let runBytes: u32 = 0;
let runLast: u32 = 0;
/** Documents of other shards, which have no cells. */
let runForeign: u32 = 0;
/** The resource version of the last document, if it is of another shard. */
let runVersion: usize = 0;
let runVersionLength: u32 = 0;
/** Why it ended. */
let runEnd: u32 = FULL;
/** The address after the last document. */
export let itemEnd: usize = 0;
/** The resource versions are decimal numbers, and each is greater than the one before. */
let isRunOrdered: bool = false;

// The version in the last cell.
let lastVersion: usize = 0;
let lastVersionLength: u32 = 0;

export function beginRun(from: usize): void {
  runItems = 0;
  runBytes = 0;
  runLast = 0;
  runForeign = 0;
  runVersionLength = 0;
  runEnd = FULL;
  itemEnd = from;
  isRunOrdered = true;
  lastVersion = 0;
  lastVersionLength = 0;
  publish();
}

function publish(): void {
  store<u32>(RUN, runItems);
  store<u32>(RUN, runBytes, 4);
  store<u32>(RUN, runLast, 8);
  store<u32>(RUN, runEnd, 12);
  store<u32>(RUN, <u32>itemEnd, 16);
  store<u32>(RUN, <u32>isRunOrdered, 20);
  store<u32>(RUN, runForeign, 24);
  store<u32>(RUN, <u32>runVersion, 28);
  store<u32>(RUN, runVersionLength, 32);
}

/** Leaves out the document of another shard that ends before `end`. */
export function skipInRun(end: usize): void {
  runForeign++;
  runVersion = foundVersion;
  runVersionLength = foundVersionLength;
  itemEnd = end;
  publish();
}

export function endRun(reason: u32): void {
  runEnd = reason;
  publish();
}

/**
 * Writes the cell of the document that was read, which ends before `end`. False if the run is full: then the document
 * was not added if `itemEnd` is before it.
 */
export function addToRun(type: u32, end: usize): bool {
  if (runItems > 0 && <usize>runBytes + (o - OUTPUT) + HEADER_BYTES > CELL_BYTES) return false;
  runLast = runBytes;
  runBytes += writeCellAt(CELL + runBytes, type);
  runItems++;
  runVersionLength = 0;
  itemEnd = end;
  if (isRunOrdered) isRunOrdered = isDecimal(versionAt, versionLength) && isAfterLast();
  lastVersion = versionAt;
  lastVersionLength = versionLength;
  publish();
  return runBytes < RUN_BYTES;
}

function isDecimal(chars: usize, length: u32): bool {
  if (length == 0 || load<u8>(chars) == 0x30) return false;
  for (let i: u32 = 0; i < length; i++) if (<u32>load<u8>(chars + i) - 0x30 >= 10) return false;
  return true;
}

/** Whether the version of the last cell is greater than the one before. */
function isAfterLast(): bool {
  if (versionLength != lastVersionLength) return versionLength > lastVersionLength;
  for (let i: u32 = 0; i < versionLength; i++) {
    const digit: u32 = load<u8>(versionAt + i);
    const before: u32 = load<u8>(lastVersion + i);
    if (digit != before) return digit > before;
  }
  return false;
}
