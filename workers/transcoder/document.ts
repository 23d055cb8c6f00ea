/** A whole document: an item of a list, or an event of a watch. */

import { checkHeader, writeCell, writeCellAt } from './cell';
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
import { CELL, OUTPUT } from './memory';
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
import { Node } from './shapes';
import { skipValue } from './skip';
import { nextObject } from './strings';
import { table } from './table';
import { resetScratch } from './text';
import { writeText } from './tokens';
import { addField, endRecord, offsets, resetOffsets, writeFields, writeValue } from './walk';

/** Numbers of ROW_TYPES in src/wire/cells.ts. */
const ITEM: u32 = 0;
const ADDED: u32 = 1;
const MODIFIED: u32 = 2;
const DELETED: u32 = 3;
const NO_TYPE: u32 = 4;

// Names of fields, without the quote before and with the one behind.
const KIND_TEXT: usize = memory.data<u8>([0x6b, 0x69, 0x6e, 0x64, 0x22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const API_VERSION_TEXT: usize = memory.data<u8>([
  0x61, 0x70, 0x69, 0x56, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0x22, 0, 0, 0, 0, 0,
]);
const METADATA_TEXT: usize = memory.data<u8>([
  0x6d, 0x65, 0x74, 0x61, 0x64, 0x61, 0x74, 0x61, 0x22, 0, 0, 0, 0, 0, 0, 0,
]);

/** The address after the last item. */
export let itemEnd: usize = 0;

/** The length of the cell. An item that is not alone may be followed by anything. */
export function transcodeItem(from: usize, end: usize, isAlone: bool): u32 {
  begin(from, end);
  writeRoot(true);
  if (isAlone) finish();
  else unseal();
  itemEnd = p;
  return writeCell(ITEM);
}

/** Bytes of cells after which a run of items ends. The region has room for the largest cell of a window behind them. */
const RUN_BYTES: u32 = 128 * 1024;

// Of the last run: how many items, and the bytes of their cells, which begin at CELL.
export let runItems: u32 = 0;
export let runBytes: u32 = 0;

/**
 * Items one after the other with commas between them, from the one that begins at `from` on; they end at `itemEnd`. Ends before one of which fewer
 * than `leastBytes` are there, one of more than `mostBytes`, and what is no object; also where one is given up.
 */
export function transcodeItems(from: usize, end: usize, leastBytes: u32, mostBytes: u32): void {
  runItems = 0;
  runBytes = 0;
  itemEnd = from;
  let at = from;
  while (true) {
    begin(at, end);
    writeRoot(true);
    unseal();
    if (<u32>(p - at) > mostBytes) return;
    itemEnd = p;
    runBytes += writeCellAt(CELL + runBytes, ITEM);
    runItems++;
    if (runBytes >= RUN_BYTES || itemEnd + 2 >= end) return;
    // Anything else than `,{` is for the splitter: white space, or the end.
    if (load<u16>(itemEnd) != 0x7b2c) return;
    at = itemEnd + 1;
    if (<u32>(end - at) < leastBytes) return;
  }
}

export function transcodeEvent(from: usize, end: usize): u32 {
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
      writeRoot(false);
    } else abandon(RARE);
    const next = peek();
    setInput(p + 1);
    if (next == 0x7d) break;
    if (next != 0x2c) abandon(INVALID);
  }
  if (type == NO_TYPE || !hasObject) abandon(UNEXPECTED);
  finish();
  return writeCell(type);
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
  nextObject();
  setDocumentEnd(end);
  setInput(from);
  setOutput(OUTPUT);
  resetCaptures();
  resetScratch();
  resetOffsets();
  documentEnd = end;
}

let documentEnd: usize = 0;

function finish(): void {
  if (peek() != 0 || p != documentEnd) abandon(INVALID);
  unseal();
}

/** The object at `p`. Items of typed lists do not say what they are: that is put before their first field, where events have it. */
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
    node = addField(node, KIND_TEXT, 4);
    if (isPartial) writeText(plan.kind, plan.kindLength);
    else writeText(plan.itemKind, plan.itemKindLength);
    node = addField(node, API_VERSION_TEXT, 10);
    writeText(plan.apiVersion, plan.apiVersionLength);
  }
  if (isPartial) writePartial(key, node, start, values, firstOffset, object);
  else writeFields(key, node, start, values, firstOffset, plan.root, object, 1);
  // It says it after all, further on.
  if (isTypeGiven && (captured(KIND) != 0 || captured(API_VERSION) != 0)) abandon(RARE);
  checkHeader(isTypeGiven);
}

function startsWithType(at: usize): bool {
  return (
    (load<u64>(at) & 0xffffffffff) == 0x22646e696b ||
    (load<u64>(at) == 0x6973726556697061 && (load<u32>(at, 8) & 0xffffff) == 0x226e6f)
  );
}

/** Of the object only its metadata, whatever else the server sent. */
function writePartial(key: Key, node: Node, start: usize, values: usize, firstOffset: usize, object: u32): void {
  let end = node;
  while (true) {
    const place = placeOf(plan.root, p + 1, object);
    if (place === null) abandonEscapedKey();
    if (place !== null && place.capture == METADATA + 1) {
      end = addField(end, METADATA_TEXT, 8);
      takeKey(place);
      writeValue(end.key, place, 1);
    } else {
      // Only captured.
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

/** A key with escapes might be one of the plan's. */
function abandonEscapedKey(): void {
  let at = p + 1;
  while (load<u8>(at) != 0x22) if (load<u8>(at++) == 0x5c) abandon(RARE);
}

function skipField(): void {
  skipValue(1);
  takeColon();
  skipValue(1);
}
