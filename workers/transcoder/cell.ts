/** Writes cells: the header of an object and its payload, in the layout of src/wire/cells.ts. */

import { abandon, o, RARE, UNEXPECTED } from './cursor';
import { indexValueBytes, writeIndexValues } from './index-values';
import { CELL, copyBytes, HEADER_BYTES, isSameBytes, OUTPUT } from './memory';
import {
  AN_OBJECT,
  API_VERSION,
  captured,
  capturedLength,
  KIND,
  METADATA,
  NAME,
  NAMESPACE,
  NOT_A_STRING,
  plan,
  RESOURCE_VERSION,
  UID,
} from './plan';

// Row types: the numbers of ROW_TYPES in src/wire/cells.ts.
export const ITEM: u32 = 0;
export const ADDED: u32 = 1;
export const MODIFIED: u32 = 2;
export const DELETED: u32 = 3;

/** A msgpack token and a size of 32 bits. */
export const SIZE_BYTES: usize = 5;
/** Offset of the key: array and type, length of the cell, length of the namespace come before it. */
const KEY: usize = 2 + SIZE_BYTES + SIZE_BYTES;
/** A cell without its strings, index values and payload. */
const FIXED_BYTES: usize = KEY + 5 * SIZE_BYTES;

const UINT32: u32 = 0xce;
const BIN32: u32 = 0xc6;
export const STR32: u32 = 0xdb;
export const ARRAY32: u32 = 0xdd;

/** `Table` */
const TABLE_KIND: usize = memory.data<u8>([0x54, 0x61, 0x62, 0x6c, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Checks what `writeRoot` captured. Anything but an object of the expected type with a name and a version is left to
 * the reference decoder.
 */
export function checkHeader(isTypeGiven: bool): void {
  const isExpected =
    isTypeGiven ||
    (isKind() && isCaptured(API_VERSION, plan.apiVersion, plan.apiVersionLength)) ||
    (plan.partialKindLength > 0 &&
      isCaptured(KIND, plan.partialKind, plan.partialKindLength) &&
      isCaptured(API_VERSION, plan.partialApiVersion, plan.partialApiVersionLength));
  if (!isExpected || captured(METADATA) != AN_OBJECT) abandon(UNEXPECTED);
  if (capturedLength(NAME) == 0 || capturedLength(RESOURCE_VERSION) == 0) abandon(UNEXPECTED);
  const namespace = captured(NAMESPACE);
  if (namespace == NOT_A_STRING || namespace == AN_OBJECT) abandon(UNEXPECTED);
}

/** Tables are rejected by the reference decoder, with their own message. */
function isKind(): bool {
  if (plan.kindLength > 0) return isCaptured(KIND, plan.kind, plan.kindLength);
  return capturedLength(KIND) > 0 && !isCaptured(KIND, TABLE_KIND, 5);
}

function isCaptured(number: u32, chars: usize, length: u32): bool {
  return capturedLength(number) == length && isSameBytes(captured(number), chars, length);
}

/** Writes the cell at `CELL`; returns its length. */
export function writeCell(type: u32): u32 {
  return writeCellAt(CELL, type);
}

/** The resource version in the cell that was written last. */
export let versionAt: usize = 0;
export let versionLength: u32 = 0;

export function writeCellAt(cell: usize, type: u32): u32 {
  const namespaceLength = capturedLength(NAMESPACE);
  const keyLength = namespaceLength + (namespaceLength > 0 ? 1 : 0) + capturedLength(NAME);
  const stringBytes = keyLength + capturedLength(UID) + capturedLength(RESOURCE_VERSION);
  const indexBytes = indexValueBytes();
  if (FIXED_BYTES + stringBytes + indexBytes > HEADER_BYTES) abandon(RARE);
  store<u8>(cell, 0x98);
  store<u8>(cell, <u8>type, 1);
  writeSize(cell + 2 + SIZE_BYTES, UINT32, namespaceLength);
  let at = writeSize(cell + KEY, STR32, keyLength);
  if (namespaceLength > 0) {
    at = writeCaptured(NAMESPACE, at);
    store<u8>(at++, 0x2f);
  }
  at = writeCaptured(NAME, at);
  at = writeCaptured(UID, writeSize(at, STR32, capturedLength(UID)));
  versionLength = capturedLength(RESOURCE_VERSION);
  versionAt = writeSize(at, STR32, versionLength);
  at = writeCaptured(RESOURCE_VERSION, versionAt);
  at = writeIndexValues(writeSize(at, BIN32, indexBytes));
  const payloadBytes = o - OUTPUT;
  at = writeSize(at, BIN32, <u32>payloadBytes);
  copyBytes(at, OUTPUT, payloadBytes);
  at += payloadBytes;
  store<u32>(at, 0);
  const length = <u32>((at - cell + 3) & ~3);
  writeSize(cell + 2, UINT32, length);
  return length;
}

/** Returns the address after it. */
@inline
export function writeSize(at: usize, token: u32, size: u32): usize {
  store<u8>(at, <u8>token);
  store<u32>(at, bswap<u32>(size), 1);
  return at + SIZE_BYTES;
}

function writeCaptured(number: u32, at: usize): usize {
  copyBytes(at, captured(number), capturedLength(number));
  return at + capturedLength(number);
}
