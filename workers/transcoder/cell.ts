/** The header of an object and its payload, as src/wire/cells.ts draws a cell. */

import { abandon, o, RARE, UNEXPECTED } from './cursor';
import { CELL, copyText, HEADER_BYTES, isSameText, OUTPUT, SPANS } from './memory';
import {
  AN_OBJECT,
  API_VERSION,
  captured,
  capturedLength,
  KIND,
  METADATA,
  NAME,
  NAMESPACE,
  NO_TEXT,
  plan,
  RESOURCE_VERSION,
  spanCount,
  UID,
} from './plan';

/** A token of msgpack and a size of 32 bits. */
const SIZE_BYTES: usize = 5;
/** Array and type, bytes of the cell, bytes of the namespace. */
const KEY: usize = 2 + SIZE_BYTES + SIZE_BYTES;
/** All of a cell but strings, index values and payload. */
const FIXED_BYTES: usize = KEY + 5 * SIZE_BYTES;

const UINT32: u32 = 0xce;
const BIN32: u32 = 0xc6;
const STR32: u32 = 0xdb;
const ARRAY32: u32 = 0xdd;

/** `Table` */
const TABLE_TEXT: usize = memory.data<u8>([0x54, 0x61, 0x62, 0x6c, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** Of what `writeRoot` read. Anything but an object of the expected type with a name and a version is the reference decoder's. */
export function checkHeader(isTypeGiven: bool): void {
  const isExpected =
    isTypeGiven ||
    (isKind() && isText(API_VERSION, plan.apiVersion, plan.apiVersionLength)) ||
    (plan.partialKindLength > 0 &&
      isText(KIND, plan.partialKind, plan.partialKindLength) &&
      isText(API_VERSION, plan.partialApiVersion, plan.partialApiVersionLength));
  if (!isExpected || captured(METADATA) != AN_OBJECT) abandon(UNEXPECTED);
  if (capturedLength(NAME) == 0 || capturedLength(RESOURCE_VERSION) == 0) abandon(UNEXPECTED);
  const namespace = captured(NAMESPACE);
  if (namespace == NO_TEXT || namespace == AN_OBJECT) abandon(UNEXPECTED);
}

/** Tables are refused by the reference decoder, with a message of their own. */
function isKind(): bool {
  if (plan.kindLength > 0) return isText(KIND, plan.kind, plan.kindLength);
  return capturedLength(KIND) > 0 && !isText(KIND, TABLE_TEXT, 5);
}

function isText(number: u32, text: usize, length: u32): bool {
  return capturedLength(number) == length && isSameText(captured(number), text, length);
}

/** Writes the cell at `CELL`; its length. */
export function writeCell(type: u32): u32 {
  return writeCellAt(CELL, type);
}

export function writeCellAt(cell: usize, type: u32): u32 {
  const namespaceLength = capturedLength(NAMESPACE);
  const keyLength = namespaceLength + (namespaceLength > 0 ? 1 : 0) + capturedLength(NAME);
  const textLength = keyLength + capturedLength(UID) + capturedLength(RESOURCE_VERSION);
  const indexBytes = bytesOfIndexValues();
  if (FIXED_BYTES + textLength + indexBytes > HEADER_BYTES) abandon(RARE);
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
  at = writeCaptured(RESOURCE_VERSION, writeSize(at, STR32, capturedLength(RESOURCE_VERSION)));
  at = writeIndexValues(writeSize(at, BIN32, indexBytes));
  const payloadBytes = o - OUTPUT;
  at = writeSize(at, BIN32, <u32>payloadBytes);
  copyText(at, OUTPUT, payloadBytes);
  at += payloadBytes;
  store<u32>(at, 0);
  const length = <u32>((at - cell + 3) & ~3);
  writeSize(cell + 2, UINT32, length);
  return length;
}

/** The place behind it. */
@inline
function writeSize(at: usize, token: u32, size: u32): usize {
  store<u8>(at, <u8>token);
  store<u32>(at, bswap<u32>(size), 1);
  return at + SIZE_BYTES;
}

function writeCaptured(number: u32, at: usize): usize {
  copyText(at, captured(number), capturedLength(number));
  return at + capturedLength(number);
}

function bytesOfIndexValues(): u32 {
  let bytes = (plan.indexCount + spanCount()) * <u32>SIZE_BYTES;
  for (let i: u32 = 0; i < spanCount(); i++) bytes += load<u32>(SPANS + i * 12, 8);
  return bytes;
}

function writeIndexValues(start: usize): usize {
  let at = start;
  for (let index: u32 = 0; index < plan.indexCount; index++) {
    const count = at;
    let values: u32 = 0;
    at += SIZE_BYTES;
    for (let i: u32 = 0; i < spanCount(); i++) {
      const span = SPANS + i * 12;
      if (load<u32>(span) != index) continue;
      const length = load<u32>(span, 8);
      at = writeSize(at, STR32, length);
      copyText(at, load<u32>(span, 4), length);
      at += length;
      values++;
    }
    writeSize(count, ARRAY32, values);
  }
  return at;
}
