/** Decodes a JSON document: an item of a list, or an event of a watch. */

import { ADDED, checkHeader, DELETED, ITEM, MODIFIED, writeCell } from './cell';
import {
  abandon,
  INVALID,
  o,
  p,
  peek,
  RARE,
  seal,
  setInput,
  setOutput,
  takeColon,
  UNEXPECTED,
  unseal,
} from './cursor';
import { Key } from './keys';
import { OUTPUT } from './memory';
import {
  API_VERSION,
  captured,
  KIND,
  METADATA,
  nextObjectWithPlace,
  Path,
  placeOf,
  plan,
  resetCaptures,
} from './plan';
import { setDocumentEnd } from './read-ahead';
import { addToRun, beginRun, endRun, INCOMPLETE, OVERSIZED, skipInRun } from './run';
import { endOfLine } from './scan';
import { isObjectOfOther, isSharded } from './shard';
import { Node } from './shapes';
import { skipValue } from './skip';
import { nextObject } from './string-table';
import { table } from './table';
import { resetScratch } from './json-strings';
import { writeAsciiString } from './tokens';
import { addField, endRecord, offsets, resetOffsets, writeFields, writeValue } from './walk';

const NO_TYPE: u32 = 4;
/** Instead of the type of an event: its object is of another shard, and was not read. */
export const FOREIGN: u32 = 5;

// Names of fields, followed by a quote.
const KIND_NAME: usize = memory.data<u8>([0x6b, 0x69, 0x6e, 0x64, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const API_VERSION_NAME: usize = memory.data<u8>([
  0x61, 0x70, 0x69, 0x56, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0x22, 0, 0, 0, 0, 0,
]);
const METADATA_NAME: usize = memory.data<u8>([
  0x6d, 0x65, 0x74, 0x61, 0x64, 0x61, 0x74, 0x61, 0x22, 0, 0, 0, 0, 0, 0, 0,
]);

/** Returns the length of the cell. */
export function transcodeItem(from: usize, end: usize): u32 {
  begin(from, end);
  writeRoot(true);
  finish();
  return writeCell(ITEM);
}

/**
 * Decodes consecutive items, separated by commas, from the one at `from` on. Stops before an item of which fewer than
 * `minBytes` have arrived, one of more than `maxBytes`, one that is abandoned, and anything that is not an object.
 */
export function transcodeItems(from: usize, end: usize, minBytes: u32, maxBytes: u32): void {
  beginRun(from);
  let at = from;
  while (true) {
    begin(at, end);
    const isOfOther = isSharded() && isObjectOfOther();
    if (isOfOther) skipValue(0);
    else writeRoot(true);
    unseal();
    if (<u32>(p - at) > maxBytes) return;
    const itemEnd = p;
    if (isOfOther) skipInRun(itemEnd);
    else if (!addToRun(ITEM, itemEnd)) return;
    if (itemEnd + 2 >= end) return;
    // Anything but `,{` is left to the splitter: white space, or the end.
    if (load<u16>(itemEnd) != 0x7b2c) return;
    at = itemEnd + 1;
    if (<u32>(end - at) < minBytes) return;
  }
}

/**
 * Decodes consecutive events, each of which is a line, from the one at `from` on. Stops before a line that is not
 * complete, one of more than `maxBytes`, and one that is abandoned.
 */
export function transcodeEvents(from: usize, end: usize, maxBytes: u32): void {
  beginRun(from);
  let at = from;
  while (true) {
    const lineEnd = endOfLine(at, end);
    if (lineEnd == 0) {
      endRun(INCOMPLETE);
      return;
    }
    if (<u32>(lineEnd - at) > maxBytes) {
      endRun(OVERSIZED);
      return;
    }
    const type = readEvent(at, lineEnd);
    if (type == FOREIGN) skipInRun(lineEnd + 1);
    else if (!addToRun(type, lineEnd + 1)) return;
    at = lineEnd + 1;
  }
}

/** Returns the length of the cell. The caller has checked the shard. */
export function transcodeEvent(from: usize, end: usize): u32 {
  const type = readEvent(from, end);
  if (type == FOREIGN) abandon(RARE);
  return writeCell(type);
}

/** Returns the type of the event. */
function readEvent(from: usize, end: usize): u32 {
  begin(from, end);
  if (peek() != 0x7b) abandon(UNEXPECTED);
  setInput(p + 1);
  let type = NO_TYPE;
  let hasObject = false;
  while (true) {
    if (peek() != 0x22) abandon(UNEXPECTED);
    // `type":"` and `object":`
    const name = load<u64>(p + 1);
    if ((name & 0xffffffffff) == 0x2265707974) {
      if (type != NO_TYPE) abandon(RARE);
      setInput(p + 6);
      takeColon();
      type = takeType();
    } else if ((name & 0xffffffffffffff) == 0x227463656a626f) {
      if (hasObject) abandon(RARE);
      hasObject = true;
      setInput(p + 8);
      takeColon();
      if (peek() != 0x7b) abandon(UNEXPECTED);
      if (isSharded()) {
        // An event without a known type has no shard.
        if (type == NO_TYPE) abandon(RARE);
        if (isObjectOfOther()) {
          unseal();
          return FOREIGN;
        }
      }
      writeRoot(false);
    } else abandon(RARE);
    const next = peek();
    setInput(p + 1);
    if (next == 0x7d) break;
    if (next != 0x2c) abandon(INVALID);
  }
  if (type == NO_TYPE || !hasObject) abandon(UNEXPECTED);
  finish();
  return type;
}

function takeType(): u32 {
  if (peek() != 0x22) abandon(UNEXPECTED);
  const word = load<u64>(p + 1);
  if ((word & 0xffffffffffff) == 0x224445444441) {
    setInput(p + 7);
    return ADDED;
  }
  if (word == 0x4445494649444f4d && load<u8>(p + 9) == 0x22) {
    setInput(p + 10);
    return MODIFIED;
  }
  if (word == 0x22444554454c4544) {
    setInput(p + 9);
    return DELETED;
  }
  abandon(UNEXPECTED);
  return NO_TYPE;
}

function begin(from: usize, end: usize): void {
  seal(end);
  setDocumentEnd(end);
  beginDocument(from);
  documentEnd = end;
}

/** Also for protobuf/document.ts. */
export function beginDocument(from: usize): void {
  nextObject();
  setInput(from);
  setOutput(OUTPUT);
  resetCaptures();
  resetScratch();
  resetOffsets();
}

let documentEnd: usize = 0;

function finish(): void {
  if (peek() != 0 || p != documentEnd) abandon(INVALID);
  unseal();
}

/**
 * The object at `p`. Items of typed lists do not carry their type: it is inserted before their first field, as in
 * events.
 */
function writeRoot(isItem: bool): void {
  if (peek() != 0x7b) abandon(UNEXPECTED);
  setInput(p + 1);
  if (peek() != 0x22) abandon(UNEXPECTED);
  const key = table.root;
  const start = o;
  const firstOffset = offsets;
  const isPartial = plan.partialKindLength > 0;
  const isTypeGiven = isItem && plan.areItemsTyped && !startsWithType(p + 1);
  const object = nextObjectWithPlace();
  const values = start + key.referenceBytes;
  setOutput(values);
  let node = key.root;
  if (isTypeGiven || isPartial) {
    node = addField(node, KIND_NAME, 4);
    if (isPartial) writeAsciiString(plan.kind, plan.kindLength);
    else writeAsciiString(plan.itemKind, plan.itemKindLength);
    node = addField(node, API_VERSION_NAME, 10);
    writeAsciiString(plan.apiVersion, plan.apiVersionLength);
  }
  if (isPartial) writePartial(key, node, start, values, firstOffset, object);
  else writeFields(key, node, start, values, firstOffset, plan.root, object, 1);
  // The item carries its type after all, further on.
  if (isTypeGiven && (captured(KIND) != 0 || captured(API_VERSION) != 0)) abandon(RARE);
  checkHeader(isTypeGiven);
}

function startsWithType(at: usize): bool {
  return (
    (load<u64>(at) & 0xffffffffff) == 0x22646e696b ||
    (load<u64>(at) == 0x6973726556697061 && (load<u32>(at, 8) & 0xffffff) == 0x226e6f)
  );
}

/** Writes only the metadata of the object, whatever else the server sent. */
function writePartial(key: Key, node: Node, start: usize, values: usize, firstOffset: usize, object: u32): void {
  let end = node;
  while (true) {
    const place = placeOf(plan.root, p + 1, object);
    if (place === null) abandonEscapedKey();
    if (place !== null && place.capture == METADATA + 1) {
      end = addField(end, METADATA_NAME, 8);
      takeKey(place);
      writeValue(end.key, place, 1);
    } else {
      // Captured, but not written.
      const before = o;
      if (place !== null) {
        takeKey(place);
        writeValue(key, place, 1);
      } else skipField();
      setOutput(before);
    }
    const separator = peek();
    setInput(p + 1);
    if (separator == 0x7d) break;
    if (separator != 0x2c || peek() != 0x22) abandon(INVALID);
  }
  endRecord(key, end, start, values, firstOffset);
}

function takeKey(place: Path): void {
  setInput(p + place.length + 2);
  takeColon();
}

/** A key with escapes might be one of the plan. */
function abandonEscapedKey(): void {
  let at = p + 1;
  while (load<u8>(at) != 0x22) if (load<u8>(at++) == 0x5c) abandon(RARE);
}

function skipField(): void {
  skipValue(1);
  takeColon();
  skipValue(1);
}
