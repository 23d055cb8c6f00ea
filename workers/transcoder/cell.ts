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

const HEAD_BYTES: usize = 32;

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
  if (HEAD_BYTES + textLength + indexBytes > HEADER_BYTES) abandon(RARE);
  let at = cell + HEAD_BYTES;
  if (namespaceLength > 0) {
    at = writeCaptured(NAMESPACE, at);
    store<u8>(at++, 0x2f);
  }
  at = writeCaptured(NAME, at);
  at = writeCaptured(UID, at);
  at = writeCaptured(RESOURCE_VERSION, at);
  at = writeIndexValues(at);
  const payloadBytes = o - OUTPUT;
  copyText(at, OUTPUT, payloadBytes);
  at += payloadBytes;
  store<u32>(at, 0);
  const length = <u32>((at - cell + 3) & ~3);
  store<u32>(cell, type);
  store<u32>(cell, length, 4);
  store<u32>(cell, namespaceLength, 8);
  store<u32>(cell, keyLength, 12);
  store<u32>(cell, capturedLength(UID), 16);
  store<u32>(cell, capturedLength(RESOURCE_VERSION), 20);
  store<u32>(cell, indexBytes, 24);
  store<u32>(cell, <u32>payloadBytes, 28);
  return length;
}

function writeCaptured(number: u32, at: usize): usize {
  copyText(at, captured(number), capturedLength(number));
  return at + capturedLength(number);
}

function bytesOfIndexValues(): u32 {
  let bytes = plan.indexCount << 2;
  for (let i: u32 = 0; i < spanCount(); i++) bytes += 4 + load<u32>(SPANS + i * 12, 8);
  return bytes;
}

function writeIndexValues(start: usize): usize {
  let at = start;
  for (let index: u32 = 0; index < plan.indexCount; index++) {
    const count = at;
    let values: u32 = 0;
    at += 4;
    for (let i: u32 = 0; i < spanCount(); i++) {
      const span = SPANS + i * 12;
      if (load<u32>(span) != index) continue;
      const length = load<u32>(span, 8);
      store<u32>(at, length);
      copyText(at + 4, load<u32>(span, 4), length);
      at += 4 + length;
      values++;
    }
    store<u32>(count, values);
  }
  return at;
}
