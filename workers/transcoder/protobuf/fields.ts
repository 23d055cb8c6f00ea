/**
 * Writes the fields of a message by its schema, where the trail (trails.ts) ends, and extends the trail.
 *
 * Accepts what Go writes: each field once, and the elements of a list or map together. A message with repeated fields
 * is valid too (the last value counts, lists continue, messages are merged), but no server writes it: it is left to the
 * reference decoder.
 */

import { abandon, INVALID, o, p, RARE, setInput, setOutput } from '../cursor';
import { Key } from '../keys';
import { nextObjectWithPlace, Path, placeNamed } from '../plan';
import { childOf, Node } from '../shapes';
import { writeByte, writeCountAt, writeAsciiString } from '../tokens';
import { endRecord, insertKeys, setOffsets } from '../walk';
import { writeFieldValue, writeList, writeMap } from './field-value';
import {
  BOOL,
  BYTES,
  DOUBLE,
  Field,
  fieldOf,
  fieldOfBit,
  INLINED,
  INT32,
  INT64,
  keyOf,
  LIST,
  MESSAGE,
  Message,
  MICRO_TIME,
  NAMED_LIST,
  NONE,
  SINGLE,
  STRING,
  TIME,
} from './schema';
import {
  addStep,
  DROP,
  ENTER,
  LEAVE,
  NO_STEP,
  SKIP_EMPTY,
  PUT_BOOLEAN,
  PUT_INTEGER,
  PUT_LIST,
  PUT_MAP,
  PUT_MESSAGE,
  PUT_MESSAGES,
  PUT_STRING,
  PUT_VALUE,
  SKIP_UNKNOWN,
  Step,
} from './trails';
import { isPacked, needOutput, writeNull } from './values';
import { LENGTH, readLength, readTag, readVarint, skipUnknown, skipValue, takeSameTag } from './wire';

/**
 * Writes the fields from `p` to `messageEnd`. The record began at `start`, with its values from `values` on, and has
 * followed the tree of shapes to `from` and the trail to `lastStep`, if there is one; `before` has the bits of the
 * fields so far. Reading continues within an inlined message, up to `inlinedEnd`, if that is not 0.
 */
export function writeFieldsFrom(
  lastStep: Step,
  from: Node,
  before: u64,
  outermost: Message,
  key: Key,
  path: Path | null,
  start: usize,
  values: usize,
  firstOffset: usize,
  inlined: Message | null,
  inlinedEnd: usize,
  messageEnd: usize,
  depth: u32,
): void {
  const object = path === null ? 0 : nextObjectWithPlace();
  let step = lastStep;
  let node = from;
  let seen = before;
  let offset = firstOffset + (<usize>node.keys << 2);
  // Fields of an inlined message belong to this record too; there is one level of this.
  let isInlined = inlined !== null;
  let message = inlined === null ? outermost : inlined;
  let end = isInlined ? inlinedEnd : messageEnd;
  // The number of keys, if the record became a map because the table is full.
  let mapKeys: i32 = -1;
  while (true) {
    const at = p;
    let field = changetype<Field>(0);
    let tag: u32 = 0;
    if (at < end) {
      tag = readTag(end);
      const number = tag >> 3;
      if (number <= message.lastNumber) field = fieldOf(message, number);
      if (changetype<usize>(field) == 0 || field.kind == NONE) {
        step = addStep(step, at, p, SKIP_UNKNOWN, field, node, null, seen, outermost);
        skipUnknownValues(tag, end);
        continue;
      }
    } else if (isInlined) {
      isInlined = false;
      message = outermost;
      end = messageEnd;
      step = addStep(step, at, at, LEAVE, field, node, null, seen, outermost);
      continue;
    } else {
      // A field that is nil, and that JSON shows as null.
      const missing = outermost.required & ~seen;
      if (missing == 0) break;
      step = NO_STEP;
      field = fieldOfBit(outermost, <u32>ctz(missing));
    }
    const tagEnd = p;
    const isMissing = tag == 0;
    if (field.kind == INLINED) {
      if ((tag & 7) != LENGTH) abandon(INVALID);
      if (isInlined) abandon(RARE);
      isInlined = true;
      const length = readLength(end);
      end = p + length;
      message = field.message;
      step = addStep(step, at, tagEnd, ENTER, field, node, null, seen, outermost);
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
          step = addStep(step, at, tagEnd, DROP, field, node, place, seen, outermost);
          skipValues(tag, end);
        }
        continue;
      }
    }
    if (field.omittedWhenEmpty != 0 && !isMissing && takeEmpty(field, end)) {
      // Zeros may be encoded in more bytes than necessary.
      const isShort = p == tagEnd + 1;
      step = isShort ? addStep(step, at, tagEnd, SKIP_EMPTY, field, node, place, seen, outermost) : NO_STEP;
      continue;
    }
    const fieldKey = keyOf(field);
    if (mapKeys < 0) {
      let next: Node | null = null;
      if (fieldKey !== null) next = childWith(node, fieldKey, field);
      if (next !== null) {
        node = next;
        store<u32>(offset, <u32>o);
        offset += 4;
        if (!isMissing) step = addStep(step, at, tagEnd, actionOf(field), field, node, place, seen, outermost);
      } else {
        mapKeys = node.keys;
        insertKeys(node, start, values, firstOffset);
        offset = firstOffset;
        step = NO_STEP;
      }
    }
    if (mapKeys >= 0) {
      mapKeys++;
      writeAsciiString(field.name, field.nameLength);
    }
    setOffsets(offset);
    const valueKey = fieldKey === null ? key : fieldKey;
    if (isMissing) writeNull(place);
    else if (field.repetition == SINGLE) writeFieldValue(field, valueKey, place, end, depth);
    else if (field.repetition == LIST) writeList(field, valueKey, place, tag, end, depth + 1);
    else writeMap(field, valueKey, place, tag, end, depth + 1);
  }
  needOutput(0);
  if (mapKeys >= 0) {
    setOffsets(firstOffset);
    writeCountAt(start, mapKeys, 0x80, 0xde);
  } else if (node.keys == 0) {
    setOutput(start);
    writeByte(0x80);
  } else endRecord(key, node, start, values, firstOffset);
}

function actionOf(field: Field): u32 {
  const kind: u32 = field.kind;
  if (field.repetition == LIST) return kind == MESSAGE ? PUT_MESSAGES : PUT_LIST;
  if (field.repetition != SINGLE) return PUT_MAP;
  switch (kind) {
    case STRING:
      return PUT_STRING;
    case MESSAGE:
      return PUT_MESSAGE;
    case BOOL:
      return PUT_BOOLEAN;
    case INT32:
    case INT64:
      return PUT_INTEGER;
    default:
      return PUT_VALUE;
  }
}

/** Skips all consecutive values of an unknown field: they are one step. */
export function skipUnknownValues(tag: u32, end: usize): void {
  skipUnknown(tag, end);
  while (takeSameTag(tag, end)) skipUnknown(tag, end);
}

/** Skips all consecutive values of a field. */
export function skipValues(tag: u32, end: usize): void {
  skipValue(tag, end);
  while (takeSameTag(tag, end)) skipValue(tag, end);
}

/** The child of the node for this key, which becomes the first child; null if there is no memory for a new one. */
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

/** Skips the value at `p` if it is empty and JSON omits it. Lists and maps that were sent are not empty. */
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
