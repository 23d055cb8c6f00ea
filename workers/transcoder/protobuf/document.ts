/** Decodes a protobuf document: an item of a list, or an event of a watch. */

import { ADDED, checkHeader, DELETED, ITEM, MODIFIED, writeCell } from '../cell';
import { abandon, INVALID, o, p, RARE, setInput, setOutput, UNEXPECTED } from '../cursor';
import { beginDocument, FOREIGN } from '../document';
import { AN_OBJECT, API_VERSION, capture, captured, capturedLength, KIND, METADATA, plan } from '../plan';
import { addToRun, beginRun, endRun, itemEnd, INCOMPLETE, OVERSIZED, skipInRun } from '../run';
import { isSharded } from '../shard';
import { table } from '../table';
import { writeAsciiString } from '../tokens';
import { addField } from '../walk';
import { writeRootMessage } from './message';
import { Schema } from './schema';
import { isMessageOfOther } from './shard';
import { beginUnknownFields, countUnknownFields, readLength, readTag } from './wire';

const KIND_NAME: usize = memory.data<u8>([0x6b, 0x69, 0x6e, 0x64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const API_VERSION_NAME: usize = memory.data<u8>([
  0x61, 0x70, 0x69, 0x56, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0, 0, 0, 0, 0, 0,
]);

/** `k8s` and a zero. */
const MAGIC: u32 = 0x0073386b;

/** Decodes the item from `from` to `end`, whose type is that of its list. Returns the length of the cell. */
export function protobufItem(schema: Schema, from: usize, end: usize): u32 {
  beginDocument(from);
  // The list does not have the expected type.
  if (!plan.areItemsTyped) abandon(UNEXPECTED);
  writeRoot(schema, true, end);
  countUnknownFields();
  return writeCell(ITEM);
}

/** Decodes the event from `from` to `end`. Bookmarks and errors are left to the reference decoder. */
export function protobufEvent(schema: Schema, from: usize, end: usize): u32 {
  const type = readEvent(schema, from, end);
  // The caller has checked the shard.
  if (type == FOREIGN) abandon(RARE);
  countUnknownFields();
  return writeCell(type);
}

/** The length of an event, before it. */
const LENGTH_BYTES: usize = 4;

/**
 * Decodes consecutive events, each after its length, from the one at `from` on. Stops before one that is not complete,
 * one of more than `maxBytes`, and one that is abandoned.
 */
export function protobufEvents(schema: Schema, from: usize, end: usize, maxBytes: u32): void {
  beginRun(from);
  let at = from;
  while (true) {
    const available = <isize>(end - at) - <isize>LENGTH_BYTES;
    const length = bswap<u32>(load<u32>(at));
    if (available < 0 || length > <u32>available) {
      endRun(INCOMPLETE);
      return;
    }
    if (length > maxBytes) {
      endRun(OVERSIZED);
      return;
    }
    const eventEnd = at + LENGTH_BYTES + length;
    const type = readEvent(schema, at + LENGTH_BYTES, eventEnd);
    if (type == FOREIGN) {
      skipInRun(eventEnd);
      at = eventEnd;
      continue;
    }
    const hasMore = addToRun(type, eventEnd);
    // One that did not fit is read again.
    if (itemEnd == eventEnd) countUnknownFields();
    if (!hasMore) return;
    at = eventEnd;
  }
}

/** Returns the type of the event. */
function readEvent(schema: Schema, from: usize, end: usize): u32 {
  beginDocument(from);
  const type = takeType(end);
  if (p >= end || readTag(end) != 18) abandon(RARE);
  // A RawExtension with one field: the envelope.
  const extensionLength = readLength(end);
  if (p + extensionLength != end || extensionLength == 0 || readTag(end) != 10) abandon(RARE);
  const envelopeLength = readLength(end);
  if (p + envelopeLength != end || envelopeLength < 4 || load<u32>(p) != MAGIC) abandon(RARE);
  setInput(p + 4);
  const raw = takeEnvelope(end);
  if (isSharded() && isMessageOfOther(raw, rawEnd)) return FOREIGN;
  setInput(raw);
  writeRoot(schema, false, rawEnd);
  return type;
}

function takeType(end: usize): u32 {
  if (p >= end || readTag(end) != 10) abandon(RARE);
  const length = readLength(end);
  const chars = p;
  setInput(chars + length);
  const word = load<u64>(chars);
  if (length == 5 && (word & 0xffffffffff) == 0x4445444441) return ADDED;
  if (length == 8 && word == 0x4445494649444f4d) return MODIFIED;
  if (length == 7 && (word & 0xffffffffffffff) == 0x444554454c4544) return DELETED;
  abandon(UNEXPECTED);
  return ITEM;
}

let rawEnd: usize = 0;

/**
 * The address of the object in the envelope from `p` to `end`:
 * Unknown{1 typeMeta{1 apiVersion, 2 kind}, 2 raw, 3 contentEncoding, 4 contentType}.
 */
function takeEnvelope(end: usize): usize {
  let raw: usize = 0;
  let last: u32 = 0;
  while (p < end) {
    const tag = readTag(end);
    // Each field once, in this order.
    if (tag <= last || (tag & 7) != 2) abandon(RARE);
    last = tag;
    const length = readLength(end);
    const after = p + length;
    if (tag == 10) takeTypeMeta(after);
    else if (tag == 18) {
      raw = p;
      rawEnd = after;
    } else if ((tag != 26 && tag != 34) || length > 0) abandon(RARE);
    setInput(after);
  }
  if (raw == 0) abandon(RARE);
  return raw;
}

function takeTypeMeta(end: usize): void {
  while (p < end) {
    const tag = readTag(end);
    if (tag != 10 && tag != 18) abandon(RARE);
    const number = tag == 10 ? API_VERSION : KIND;
    if (captured(number) != 0) abandon(RARE);
    const length = readLength(end);
    // An empty string has no address, and is no type.
    if (length == 0) abandon(UNEXPECTED);
    capture(number, p, length);
    setInput(p + length);
  }
}

/** Writes the object from `p` to `end`, with kind and apiVersion before its first field, as in JSON events. */
function writeRoot(schema: Schema, isItem: bool, end: usize): void {
  const key = table.root;
  const start = o;
  beginUnknownFields();
  const isPartial = plan.partialKindLength > 0;
  setOutput(start + key.referenceBytes);
  let node = addField(key.root, KIND_NAME, 4);
  if (isPartial || (!isItem && plan.kindLength > 0)) writeAsciiString(plan.kind, plan.kindLength);
  else if (isItem) writeAsciiString(plan.itemKind, plan.itemKindLength);
  else {
    // Any kind is expected: the object's own, which has to be a name.
    if (!isName(captured(KIND), capturedLength(KIND))) abandon(RARE);
    writeAsciiString(captured(KIND), capturedLength(KIND));
  }
  node = addField(node, API_VERSION_NAME, 10);
  writeAsciiString(plan.apiVersion, plan.apiVersionLength);
  writeRootMessage(schema.root, key, node, start, plan.root, end);
  if (p != end) abandon(INVALID);
  // Without metadata there is no name.
  if (captured(METADATA) != AN_OBJECT) abandon(UNEXPECTED);
  checkHeader(isItem);
}

function isName(chars: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const byte: u32 = load<u8>(chars + i);
    if ((byte | 0x20) - 0x61 >= 26 && byte - 0x30 >= 10) return false;
  }
  return length > 0;
}
