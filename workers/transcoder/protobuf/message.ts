/**
 * From a message to a record of the payload in one pass, field by field as they come, along the same tree of shapes as JSON's objects.
 *
 * What Go writes is read here: each field once, the elements of a list or map one after the other. A message in which a field comes back later is
 * right too (the last value counts, lists go on, messages are merged), but nobody writes it: it is the reference decoder's.
 */

import { abandon, INVALID, o, p, RARE, setInput, setOutput } from '../cursor';
import { elementOf, Key } from '../keys';
import { AN_OBJECT, captureOther, nextObjectWithPlace, Path, placeNamed, plan } from '../plan';
import { childOf, Node } from '../shapes';
import { writeByte, writeCountAt, writeText } from '../tokens';
import { addOffset, endRecord, offsets, putKeysBetween, setOffsets } from '../walk';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  Field,
  fieldOf,
  fieldOfBit,
  INLINED,
  INT32,
  INT64,
  INT_OR_STRING,
  keyOf,
  LIST,
  MAP,
  MESSAGE,
  Message,
  MICRO_TIME,
  NAMED_LIST,
  NONE,
  QUANTITY,
  RAW_JSON,
  SCHEMA_OR_ARRAY,
  SCHEMA_OR_BOOL,
  SCHEMA_OR_STRINGS,
  SINGLE,
  STRING,
  TIME,
} from './schema';
import {
  isPacked,
  needOutput,
  writeBoolean,
  writeBytes,
  writeDouble,
  writeDuration,
  writeInteger,
  writeIntOrString,
  writeNamedList,
  writeNull,
  writeQuantity,
  writeRawJson,
  writeString,
  writeTime,
} from './values';
import { LENGTH, readLength, readTag, readVarint, skipUnknown, skipValue, takeSameTag, VARINT } from './wire';

/** The message from `p` to `end`, as an object under this key. */
function writeMessage(message: Message, key: Key, path: Path | null, end: usize, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  const start = o;
  const values = start + key.referenceBytes;
  setOutput(values);
  const object = path === null ? 0 : nextObjectWithPlace();
  writeMessageFields(message, key, key.root, start, values, offsets, path, object, end, depth);
}

/** The fields of a record that began at `start`, has its values from `values` on, and has followed the tree to `from`: see walk.ts. */
export function writeMessageFields(
  outermost: Message,
  key: Key,
  from: Node,
  start: usize,
  values: usize,
  firstOffset: usize,
  path: Path | null,
  object: u32,
  messageEnd: usize,
  depth: u32,
): void {
  let node = from;
  let message = outermost;
  let end = messageEnd;
  // A message within whose fields stand here too; there is one level of this.
  let isInlined = false;
  let seen: u64 = 0;
  // Keys and values so far, if the table has no room for the record's shape.
  let mapKeys: i32 = -1;
  let missing: u64 = 0;
  while (true) {
    let field = changetype<Field>(0);
    let tag: u32 = 0;
    let isEmpty = false;
    if (p < end) {
      tag = readTag(end);
      const number = tag >> 3;
      if (number > message.lastNumber || fieldOf(message, number).kind == NONE) {
        skipUnknown(tag, end);
        continue;
      }
      field = fieldOf(message, number);
    } else if (isInlined) {
      isInlined = false;
      message = outermost;
      end = messageEnd;
      continue;
    } else {
      // What JSON always has, and was not there.
      missing = outermost.required & ~seen;
      if (missing == 0) break;
      field = fieldOfBit(outermost, <u32>ctz(missing));
      isEmpty = true;
    }
    const kind: u32 = field.kind;
    if (kind == INLINED) {
      if ((tag & 7) != LENGTH) abandon(INVALID);
      if (isInlined) abandon(RARE);
      isInlined = true;
      const length = readLength(end);
      end = p + length;
      message = field.message;
      continue;
    }
    const bit: u64 = (<u64>1) << <u64>field.bit;
    if ((seen & bit) != 0) abandon(RARE);
    seen |= bit;
    if (!isEmpty && (tag & 7) != <u32>field.wireType) {
      abandon(field.repetition == LIST && isPacked(tag, field.wireType) ? RARE : INVALID);
    }
    let place: Path | null = null;
    if (path !== null) {
      place = placeNamed(path, field.name, field.nameLength, object);
      if (place !== null && place.isDropped) {
        if (!isEmpty) {
          skipValue(tag, end);
          while (takeSameTag(tag, end)) skipValue(tag, end);
        }
        continue;
      }
    }
    if (!isEmpty && field.isLeftOutWhenEmpty && takeEmpty(field, end)) continue;
    needOutput(0);
    const fieldKey = keyOf(field);
    if (mapKeys < 0) {
      let next: Node | null = null;
      if (fieldKey !== null) next = childWith(node, fieldKey, field);
      if (next !== null) {
        node = next;
        addOffset();
      } else {
        mapKeys = node.keys;
        putKeysBetween(node, start, values, firstOffset);
        setOffsets(firstOffset);
      }
    }
    if (mapKeys >= 0) {
      mapKeys++;
      writeText(field.name, field.nameLength);
    }
    const valueKey = fieldKey === null ? key : fieldKey;
    if (isEmpty) writeEmpty(field, valueKey, place, depth);
    else if (field.repetition == SINGLE) writeFieldValue(field, valueKey, place, end, depth);
    else if (field.repetition == LIST) writeList(field, valueKey, place, tag, end, depth + 1);
    else writeMap(field, valueKey, place, tag, end, depth + 1);
  }
  if (mapKeys >= 0) writeCountAt(start, mapKeys, 0x80, 0xde);
  else if (node.keys == 0) {
    setOutput(start);
    writeByte(0x80);
  } else endRecord(key, node, start, values, firstOffset);
}

/** The child of the node for this key, which is the first child from now on; null if there is no room for a new one. */
@inline
function childWith(node: Node, key: Key, field: Field): Node | null {
  const child = node.child;
  return child !== null && child.key === key ? child : otherChildWith(node, key, field);
}

function otherChildWith(node: Node, key: Key, field: Field): Node | null {
  let before = node.child;
  if (before !== null) {
    let child = before.sibling;
    while (child !== null) {
      if (child.key === key) {
        before.sibling = child.sibling;
        child.sibling = node.child;
        node.child = child;
        return child;
      }
      before = child;
      child = child.sibling;
    }
  }
  return childOf(node, field.name, field.nameLength);
}

/** True, with `p` behind it, if the value at `p` is empty. Of the kinds of which JSON leaves out what is empty; lists and maps that are there are not. */
function takeEmpty(field: Field, end: usize): bool {
  if (field.repetition != SINGLE) return false;
  const before = p;
  switch (<u32>field.kind) {
    case BOOL:
    case INT64:
      if (readVarint(end) == 0) return true;
      break;
    case INT32:
      if (<u32>readVarint(end) == 0) return true;
      break;
    case DOUBLE:
      if (end - p >= 8 && load<f64>(p) == 0) {
        setInput(p + 8);
        return true;
      }
      break;
    case STRING:
    case BYTES:
    case NAMED_LIST:
    case TIME:
    case MICRO_TIME:
      if (readLength(end) == 0) return true;
      break;
    default:
  }
  setInput(before);
  return false;
}

/** One value of the field, which begins at `p`; a message with its length. */
function writeFieldValue(field: Field, key: Key, path: Path | null, end: usize, depth: u32): void {
  const kind: u32 = field.kind;
  switch (kind) {
    case BOOL:
      writeBoolean(readVarint(end) != 0, path);
      return;
    case INT32:
      writeInteger(<i32>readVarint(end), path);
      return;
    case INT64:
      writeInteger(<i64>readVarint(end), path);
      return;
    case DOUBLE:
      if (end - p < 8) abandon(INVALID);
      setInput(p + 8);
      writeDouble(load<f64>(p - 8), path);
      return;
    default:
  }
  const length = readLength(end);
  const from = p;
  const valueEnd = from + length;
  switch (kind) {
    case STRING:
      setInput(valueEnd);
      writeString(from, length, path);
      return;
    case MESSAGE:
      if (path !== null) captureOther(path, AN_OBJECT);
      writeMessage(field.message, key, path, valueEnd, depth + 1);
      return;
    case BYTES:
      setInput(valueEnd);
      writeBytes(from, length, path);
      return;
    default:
      writeSpecial(kind, field, key, path, valueEnd, depth);
  }
}

function writeSpecial(kind: u32, field: Field, key: Key, path: Path | null, end: usize, depth: u32): void {
  switch (kind) {
    case TIME:
      writeTime(end, false, path);
      return;
    case MICRO_TIME:
      writeTime(end, true, path);
      return;
    case DURATION:
      writeDuration(end, path);
      return;
    case QUANTITY:
      writeQuantity(end, path);
      return;
    case INT_OR_STRING:
      writeIntOrString(end, path);
      return;
    case RAW_JSON:
      writeRawJson(key, end, path, depth);
      return;
    case NAMED_LIST:
      if (depth + 1 > plan.maxDepth) abandon(INVALID);
      writeNamedList(end, path);
      return;
    default:
      // Of schemas, where no index leads.
      if (path !== null) abandon(RARE);
      writeSchemaUnion(kind, field, key, end, depth);
  }
}

/** A schema, or what may stand in its place. */
function writeSchemaUnion(kind: u32, field: Field, key: Key, end: usize, depth: u32): void {
  if (kind == SCHEMA_OR_BOOL) {
    let isAllowed = false;
    while (p < end) {
      const tag = readTag(end);
      if (tag == 8) isAllowed = readVarint(end) != 0;
      else if (tag == 18) {
        const length = readLength(end);
        writeUnionSchema(field, key, p + length, end, depth);
        return;
      } else abandon(RARE);
    }
    writeBoolean(isAllowed, null);
    return;
  }
  if (p == end) {
    writeNull(null);
    return;
  }
  const tag = readTag(end);
  if (tag == 10) {
    const length = readLength(end);
    writeUnionSchema(field, key, p + length, end, depth);
    return;
  }
  if (tag != 18 || depth + 1 > plan.maxDepth) abandon(RARE);
  const start = o;
  setOutput(o + 1);
  let count: u32 = 0;
  do {
    needOutput(0);
    const length = readLength(end);
    const from = p;
    if (kind == SCHEMA_OR_ARRAY) writeMessage(field.message, key, null, from + length, depth + 2);
    else {
      setInput(from + length);
      writeString(from, length, null);
    }
    count++;
  } while (takeSameTag(tag, end));
  if (p != end) abandon(RARE);
  writeCountAt(start, count, 0x90, 0xdc);
}

/** It has to be all that is left. */
function writeUnionSchema(field: Field, key: Key, schemaEnd: usize, end: usize, depth: u32): void {
  if (schemaEnd != end) abandon(RARE);
  writeMessage(field.message, key, null, schemaEnd, depth + 1);
}

function writeList(field: Field, key: Key, path: Path | null, tag: u32, end: usize, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  // Not of its elements.
  if (path !== null && path.capture > 0) abandon(RARE);
  const start = o;
  setOutput(o + 1);
  let count: u32 = 0;
  do {
    needOutput(0);
    writeFieldValue(field, key, path, end, depth);
    count++;
  } while (takeSameTag(tag, end));
  writeCountAt(start, count, 0x90, 0xdc);
}

/** Entries are messages of a key (1) and a value (2), both always there. */
function writeMap(field: Field, key: Key, path: Path | null, tag: u32, end: usize, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  if (path !== null) captureOther(path, AN_OBJECT);
  const object = path === null ? 0 : nextObjectWithPlace();
  const valueTag: u32 = 16 | (isVarint(field.kind) ? VARINT : LENGTH);
  const element = elementOf(key);
  const start = o;
  setOutput(o + 1);
  let count: u32 = 0;
  do {
    needOutput(0);
    const length = readLength(end);
    const entryEnd = p + length;
    if (length == 0 || readTag(entryEnd) != 10) abandon(RARE);
    const keyLength = readLength(entryEnd);
    const text = p;
    setInput(text + keyLength);
    if (p >= entryEnd || readTag(entryEnd) != valueTag) abandon(RARE);
    let place: Path | null = null;
    if (path !== null) place = placeNamed(path, text, keyLength, object);
    if (place !== null && place.isDropped) skipValue(valueTag, entryEnd);
    else {
      writeString(text, keyLength, null);
      writeFieldValue(field, element, place, entryEnd, depth);
      count++;
    }
    if (p != entryEnd) abandon(RARE);
  } while (takeSameTag(tag, end));
  writeCountAt(start, count, 0x80, 0xde);
}

@inline
function isVarint(kind: u32): bool {
  return kind == BOOL || kind == INT32 || kind == INT64;
}

/** What JSON has where nothing was sent. */
function writeEmpty(field: Field, key: Key, path: Path | null, depth: u32): void {
  if (field.isNullable) {
    writeNull(path);
    return;
  }
  switch (<u32>field.kind) {
    case BOOL:
      writeBoolean(false, path);
      return;
    case INT32:
    case INT64:
    case DOUBLE:
      writeInteger(0, path);
      return;
    case STRING:
      writeString(p, 0, path);
      return;
    case MESSAGE:
      if (path !== null) captureOther(path, AN_OBJECT);
      writeMessage(field.message, key, path, p, depth + 1);
      return;
    default:
      writeSpecial(field.kind, field, key, path, p, depth);
  }
}
