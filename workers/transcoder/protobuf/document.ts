/** A whole document: an item of a list, or an event of a watch. */

import { checkHeader, writeCell } from '../cell';
import { abandon, INVALID, o, p, RARE, setInput, setOutput, UNEXPECTED } from '../cursor';
import { OUTPUT } from '../memory';
import {
  API_VERSION,
  AN_OBJECT,
  capture,
  captured,
  capturedLength,
  KIND,
  METADATA,
  plan,
  resetCaptures,
} from '../plan';
import { nextObject } from '../strings';
import { table } from '../table';
import { resetScratch } from '../text';
import { writeText } from '../tokens';
import { addField, resetOffsets } from '../walk';
import { writeRootMessage } from './message';
import { Schema } from './schema';
import { readLength, readTag } from './wire';

/** Numbers of ROW_TYPES in src/wire/cells.ts. */
const ITEM: u32 = 0;
const ADDED: u32 = 1;
const MODIFIED: u32 = 2;
const DELETED: u32 = 3;

const KIND_TEXT: usize = memory.data<u8>([0x6b, 0x69, 0x6e, 0x64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const API_VERSION_TEXT: usize = memory.data<u8>([
  0x61, 0x70, 0x69, 0x56, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0, 0, 0, 0, 0, 0,
]);

/** `k8s` and a zero. */
const MAGIC: u32 = 0x0073386b;

/** The item from `from` to `end`; what it is, its list has said. The length of the cell. */
export function protobufItem(schema: Schema, from: usize, end: usize): u32 {
  begin(from);
  // What its list said is not what was asked for.
  if (!plan.areItemsTyped) abandon(UNEXPECTED);
  writeRoot(schema, true, end);
  return writeCell(ITEM);
}

/** The event from `from` to `end`. Bookmarks and errors are the reference decoder's. */
export function protobufEvent(schema: Schema, from: usize, end: usize): u32 {
  begin(from);
  const type = takeType(end);
  if (p >= end || readTag(end) != 18) abandon(RARE);
  // A RawExtension of one field: the envelope.
  const extensionLength = readLength(end);
  if (p + extensionLength != end || extensionLength == 0 || readTag(end) != 10) abandon(RARE);
  const envelopeLength = readLength(end);
  if (p + envelopeLength != end || envelopeLength < 4 || load<u32>(p) != MAGIC) abandon(RARE);
  setInput(p + 4);
  const raw = takeEnvelope(end);
  setInput(raw);
  writeRoot(schema, false, rawEnd);
  return writeCell(type);
}

function begin(from: usize): void {
  nextObject();
  setInput(from);
  setOutput(OUTPUT);
  resetCaptures();
  resetScratch();
  resetOffsets();
}

function takeType(end: usize): u32 {
  if (p >= end || readTag(end) != 10) abandon(RARE);
  const length = readLength(end);
  const text = p;
  setInput(text + length);
  const word = load<u64>(text);
  if (length == 5 && (word & 0xffffffffff) == 0x4445444441) return ADDED;
  if (length == 8 && word == 0x4445494649444f4d) return MODIFIED;
  if (length == 7 && (word & 0xffffffffffffff) == 0x444554454c4544) return DELETED;
  abandon(UNEXPECTED);
  return ITEM;
}

let rawEnd: usize = 0;

/** The address of the object in the envelope from `p` to `end`: Unknown{1 typeMeta{1 apiVersion, 2 kind}, 2 raw, 3 contentEncoding, 4 contentType}. */
function takeEnvelope(end: usize): usize {
  let raw: usize = 0;
  let last: u32 = 0;
  while (p < end) {
    const tag = readTag(end);
    // In this order, each once.
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
    // No type, and no address for a text of none.
    if (length == 0) abandon(UNEXPECTED);
    capture(number, p, length);
    setInput(p + length);
  }
}

/** The object from `p` to `end`, with its kind and apiVersion before its first field, where JSON's events have them. */
function writeRoot(schema: Schema, isItem: bool, end: usize): void {
  const key = table.root;
  const start = o;
  const isPartial = plan.partialKindLength > 0;
  setOutput(start + key.referenceBytes);
  let node = addField(key.root, KIND_TEXT, 4);
  if (isPartial || (!isItem && plan.kindLength > 0)) writeText(plan.kind, plan.kindLength);
  else if (isItem) writeText(plan.itemKind, plan.itemKindLength);
  else {
    // Any: then it is what it says, which has to be a name.
    if (!isName(captured(KIND), capturedLength(KIND))) abandon(RARE);
    writeText(captured(KIND), capturedLength(KIND));
  }
  node = addField(node, API_VERSION_TEXT, 10);
  writeText(plan.apiVersion, plan.apiVersionLength);
  writeRootMessage(schema.root, key, node, start, plan.root, end);
  if (p != end) abandon(INVALID);
  // An empty object has metadata in JSON too, but no name.
  if (captured(METADATA) != AN_OBJECT) abandon(UNEXPECTED);
  checkHeader(isItem);
}

function isName(text: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const byte: u32 = load<u8>(text + i);
    if ((byte | 0x20) - 0x61 >= 26 && byte - 0x30 >= 10) return false;
  }
  return length > 0;
}
