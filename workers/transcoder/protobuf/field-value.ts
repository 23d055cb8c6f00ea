/** Writes the values of fields: single ones, lists, maps, and the defaults that JSON always contains. */

import { abandon, INVALID, o, p, RARE, setInput, setOutput } from '../cursor';
import { elementOf, Key } from '../keys';
import { AN_OBJECT, beginObjectAt, captureOther, nextObjectWithPlace, Path, placeNamed, plan } from '../plan';
import { writeCountAt } from '../tokens';
import { writeMessage } from './message';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  Field,
  INT32,
  INT64,
  INT_OR_STRING,
  MESSAGE,
  MICRO_TIME,
  NAMED_LIST,
  QUANTITY,
  RAW_JSON,
  SCHEMA_OR_ARRAY,
  SCHEMA_OR_BOOL,
  STRING,
  TIME,
} from './schema';
import { writeLikelyString } from './string-guesses';
import { writeDuration, writeTime } from './times';
import {
  needOutput,
  writeBoolean,
  writeBytes,
  writeDouble,
  writeInteger,
  writeIntOrString,
  writeNamedList,
  writeNull,
  writeQuantity,
  writeRawJson,
  writeString,
} from './values';
import { LENGTH, readLength, readTag, readVarint, skipValue, takeSameTag, VARINT } from './wire';

/** Writes one value of the field, which begins at `p`; a message with its length. */
export function writeFieldValue(field: Field, key: Key, path: Path | null, end: usize, depth: u32): void {
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
      writeLikelyString(field, false, from, length, path);
      return;
    case MESSAGE:
      if (path !== null) {
        captureOther(path, AN_OBJECT);
        beginObjectAt(path);
      }
      writeMessage(field, key, path, valueEnd, depth + 1);
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
      writeTime(field, end, false, path);
      return;
    case MICRO_TIME:
      writeTime(field, end, true, path);
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
      // JSON schemas, where no index path leads.
      if (path !== null) abandon(RARE);
      writeSchemaUnion(kind, field, key, end, depth);
  }
}

/** A JSON schema, or one of its short forms. */
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
    if (kind == SCHEMA_OR_ARRAY) writeMessage(field, key, null, from + length, depth + 2);
    else {
      setInput(from + length);
      writeString(from, length, null);
    }
    count++;
  } while (takeSameTag(tag, end));
  if (p != end) abandon(RARE);
  writeCountAt(start, count, 0x90, 0xdc);
}

/** Nothing may follow it. */
function writeUnionSchema(field: Field, key: Key, schemaEnd: usize, end: usize, depth: u32): void {
  if (schemaEnd != end) abandon(RARE);
  writeMessage(field, key, null, schemaEnd, depth + 1);
}

export function writeList(field: Field, key: Key, path: Path | null, tag: u32, end: usize, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  // The captured value must not be a list.
  if (path !== null && (path.capture > 0 || path.isGate)) abandon(RARE);
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

/** Entries are messages with a key (1) and a value (2), both required. */
export function writeMap(field: Field, key: Key, path: Path | null, tag: u32, end: usize, depth: u32): void {
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
    const chars = p;
    setInput(chars + keyLength);
    if (p >= entryEnd || readTag(entryEnd) != valueTag) abandon(RARE);
    let place: Path | null = null;
    if (path !== null) place = placeNamed(path, chars, keyLength, object);
    if (place !== null && place.isDropped) skipValue(valueTag, entryEnd);
    else {
      writeLikelyString(field, true, chars, keyLength, null);
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
