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
import { endRecord, offsets, putKeysBetween, setOffsets } from '../walk';
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
import { writeLikelyString } from './strings';
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
@inline
function writeMessage(message: Message, key: Key, path: Path | null, end: usize, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  const start = o;
  setOutput(start + key.referenceBytes);
  writeMessageFields(message, key, key.root, start, path, end, depth);
}

/**
 * The fields of a record that began at `start`, with a reference as long as that key's last, and has followed the tree to `from`: see walk.ts. Input
 * and offsets are kept in locals, which the compiler keeps in registers, and are put back where others look for them.
 */
export function writeMessageFields(
  outermost: Message,
  key: Key,
  from: Node,
  start: usize,
  path: Path | null,
  messageEnd: usize,
  depth: u32,
): void {
  const values = start + key.referenceBytes;
  const object = path === null ? 0 : nextObjectWithPlace();
  const firstOffset = offsets - (<usize>from.keys << 2);
  // For all that is not copied from the document: no record has more fields than bits.
  needOutput(0);
  let node = from;
  let message = outermost;
  let end = messageEnd;
  let at = p;
  let offset = offsets;
  // A message within whose fields stand here too; there is one level of this.
  let isInlined = false;
  let seen: u64 = 0;
  // Keys and values so far, if the table has no room for the record's shape.
  let mapKeys: i32 = -1;
  while (true) {
    let field = changetype<Field>(0);
    let tag: u32 = 0;
    if (at < end) {
      tag = load<u8>(at);
      if (tag - 8 < 0x78) at++;
      else {
        tag = readLongTag(at, end);
        at = p;
      }
      const number = tag >> 3;
      if (number <= message.lastNumber) field = fieldOf(message, number);
      else {
        at = afterUnknown(at, tag, end);
        continue;
      }
      // Go sends what is empty, which is most of what there is: no length, or zero.
      if (field.leftOutWhenEmpty == 1 && load<u8>(at) == 0 && at < end && (tag & 7) == <u32>field.wireType) {
        const bit: u64 = (<u64>1) << <u64>field.bit;
        if ((seen & bit) != 0) abandon(RARE);
        seen |= bit;
        at++;
        continue;
      }
    } else if (isInlined) {
      isInlined = false;
      message = outermost;
      end = messageEnd;
      continue;
    } else {
      // What JSON always has, and was not there.
      const missing = outermost.required & ~seen;
      if (missing == 0) break;
      field = fieldOfBit(outermost, <u32>ctz(missing));
    }
    const kind: u32 = field.kind;
    const isMissing = tag == 0;
    setInput(at);
    if (kind == INLINED || kind == NONE) {
      if (kind == NONE) skipUnknown(tag, end);
      else {
        if ((tag & 7) != LENGTH) abandon(INVALID);
        if (isInlined) abandon(RARE);
        isInlined = true;
        const length = readLength(end);
        end = p + length;
        message = field.message;
      }
      at = p;
      continue;
    }
    const bit: u64 = (<u64>1) << <u64>field.bit;
    if ((seen & bit) != 0) abandon(RARE);
    seen |= bit;
    if ((tag & 7) != <u32>field.wireType && !isMissing) {
      abandon(field.repetition == LIST && isPacked(tag, field.wireType) ? RARE : INVALID);
    }
    let place: Path | null = null;
    if (path !== null) {
      place = placeNamed(path, field.name, field.nameLength, object);
      if (place !== null && place.isDropped) {
        if (!isMissing) {
          skipValue(tag, end);
          while (takeSameTag(tag, end)) skipValue(tag, end);
          at = p;
        }
        continue;
      }
    }
    // Also zeros that are written longer than they need to be.
    if (field.leftOutWhenEmpty != 0 && !isMissing && (load<u8>(at) == 0x80 || field.leftOutWhenEmpty == 2)) {
      if (takeEmpty(field, end)) {
        at = p;
        continue;
      }
    }
    const fieldKey = keyOf(field);
    if (mapKeys < 0) {
      let next: Node | null = null;
      if (fieldKey !== null) next = childWith(node, fieldKey, field);
      if (next !== null) {
        node = next;
        store<u32>(offset, <u32>o);
        offset += 4;
      } else {
        mapKeys = node.keys;
        putKeysBetween(node, start, values, firstOffset);
        offset = firstOffset;
      }
    }
    if (mapKeys >= 0) {
      mapKeys++;
      writeText(field.name, field.nameLength);
    }
    if (kind == STRING && field.repetition == SINGLE && !isMissing) {
      let length: u32 = load<u8>(at);
      if (length < 0x80) at++;
      else {
        length = readLength(end);
        at = p;
      }
      if (<isize>(end - at) < <isize>length) abandon(INVALID);
      writeLikelyString(placeOfField(field), at, length, place);
      at += length;
      continue;
    }
    setOffsets(offset);
    const valueKey = fieldKey === null ? key : fieldKey;
    if (kind == MESSAGE && field.repetition == SINGLE && !isMissing) {
      if (place !== null) captureOther(place, AN_OBJECT);
      const length = readLength(end);
      writeMessage(field.message, valueKey, place, p + length, depth + 1);
      at = p;
      continue;
    }
    if (isMissing) writeEmpty(field, valueKey, place, depth);
    else if (field.repetition == SINGLE) writeFieldValue(field, valueKey, place, end, depth);
    else if (field.repetition == LIST) writeList(field, valueKey, place, tag, end, depth + 1);
    else writeMap(field, valueKey, place, tag, end, depth + 1);
    at = p;
  }
  setInput(at);
  if (mapKeys >= 0) {
    setOffsets(firstOffset);
    writeCountAt(start, mapKeys, 0x80, 0xde);
  } else if (node.keys == 0) {
    setOutput(start);
    writeByte(0x80);
  } else endRecord(key, node, start, values, firstOffset);
}

/** Out of the way of the loop. */
function readLongTag(at: usize, end: usize): u32 {
  setInput(at);
  return readTag(end);
}

function afterUnknown(at: usize, tag: u32, end: usize): usize {
  setInput(at);
  skipUnknown(tag, end);
  return p;
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
      writeLikelyString(placeOfField(field), from, length, path);
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
      writeLikelyString(placeOfField(field) + 1, text, keyLength, null);
      writeFieldValue(field, element, place, entryEnd, depth);
      count++;
    }
    if (p != entryEnd) abandon(RARE);
  } while (takeSameTag(tag, end));
  writeCountAt(start, count, 0x80, 0xde);
}

@inline
function placeOfField(field: Field): u32 {
  return <u32>changetype<usize>(field) >> 1;
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
