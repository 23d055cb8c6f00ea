/**
 * Converts a message to a record of the payload in one pass, along a trail (trails.ts): the step for a tag determines
 * what is to be done. The record is written as described in walk.ts.
 */

import { abandon, INVALID, o, p, setInput, setOutput } from '../cursor';
import { Key } from '../keys';
import { AN_OBJECT, beginObjectAt, captureOther, Path, plan } from '../plan';
import { Node } from '../shapes';
import { writeCountAt } from '../tokens';
import { endRecord, offsets, setOffsets } from '../walk';
import { writeFieldValue, writeList, writeMap } from './field-value';
import { skipUnknownValues, skipValues, writeFieldsFrom } from './fields';
import { Field, INT32, Message } from './schema';
import { writeLikelyString } from './string-guesses';
import {
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
  Step,
  tagOf,
  Trail,
  trailAt,
  trailOf,
  selectStep,
  selectLeaveStep,
} from './trails';
import { needOutput, writeBoolean, writeInteger } from './values';
import { readLength, readTag, readVarint } from './wire';

/** Writes the message from `p` to `end`, a value of this field, as an object under this key. */
export function writeMessage(field: Field, key: Key, path: Path | null, end: usize, depth: u32): void {
  const trail = trailOf(field, key, path);
  if (trail !== null) writeAlongTrail(trail, end, depth);
  else writeWithoutTrail(field.message, key, key.root, o, path, end, depth);
}

/**
 * Writes the message of the whole object; its record began at `start`, and has followed the tree of shapes to `from`.
 */
export function writeRootMessage(message: Message, key: Key, from: Node, start: usize, path: Path, end: usize): void {
  const trail = trailAt(path, message, key, from);
  if (trail !== null) writeRecord(trail, start, end, 1);
  else writeWithoutTrail(message, key, from, start, path, end, 1);
}

function writeWithoutTrail(
  message: Message,
  key: Key,
  from: Node,
  start: usize,
  path: Path | null,
  end: usize,
  depth: u32,
): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  needOutput(0);
  const values = start + key.referenceBytes;
  if (from.keys == 0) setOutput(values);
  const firstOffset = offsets - (<usize>from.keys << 2);
  writeFieldsFrom(NO_STEP, from, 0, message, key, path, start, values, firstOffset, null, 0, end, depth);
}

@inline
function writeAlongTrail(trail: Trail, end: usize, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  const start = o;
  setOutput(start + trail.key.referenceBytes);
  writeRecord(trail, start, end, depth);
}

/**
 * Writes the fields from `p` to `messageEnd` of a record that began at `start`, with a reference as long as the key's
 * last one. Input and offsets are kept in locals, and thus in registers, and are written back before calls that use
 * them. A tag or a byte is read before it is known whether it belongs to the message: if not, the next step detects
 * that.
 */
function writeRecord(trail: Trail, start: usize, messageEnd: usize, depth: u32): void {
  const key = trail.key;
  const values = start + key.referenceBytes;
  let step = trail.first;
  let at = p;
  let end = messageEnd;
  let offset = offsets;
  const firstOffset = offset - (<usize>step.node.keys << 2);
  // The inlined message that is being read, if any.
  let inlined = changetype<Message>(0);
  // For all that is not copied from the document: no record has more fields than bits. Repeated at the end of the
  // record.
  needOutput(0);
  while (true) {
    if (at >= end) {
      if (at > end) abandon(INVALID);
      if (changetype<usize>(inlined) != 0) {
        if (step.next.action != LEAVE && !selectLeaveStep(step)) break;
        step = step.next;
        inlined = changetype<Message>(0);
        end = messageEnd;
        continue;
      }
      const node = step.node;
      if (!step.isComplete || node.shape < 0) break;
      setInput(at);
      setOffsets(offset);
      needOutput(0);
      endRecord(key, node, start, values, firstOffset);
      return;
    }
    const bytes = load<u32>(at);
    const next = step.next;
    if ((bytes & next.mask) != next.bytes) {
      if (selectStep(step, bytes)) continue;
      break;
    }
    const value = at + next.tagBytes;
    const action: u32 = next.action;
    if (action == SKIP_EMPTY) {
      at = value + 1;
      step = next;
      continue;
    }
    const first: u32 = load<u8>(value);
    // Empty, or perhaps a zero that is encoded in more bytes than necessary.
    if ((first & 0x7f) == 0 && next.isOmittedWhenEmpty) {
      if (first == 0 && selectStep(step, bytes)) continue;
      break;
    }
    step = next;
    if (action == PUT_STRING) {
      let chars = value + 1;
      let length = first;
      if (first >= 0x80) {
        setInput(value);
        length = readLength(end);
        chars = p;
      }
      if (<isize>(end - chars) < <isize>length) abandon(INVALID);
      store<u32>(offset, <u32>o);
      offset += 4;
      at = chars + length;
      writeLikelyString(step.field, false, chars, length, step.place);
      continue;
    }
    setInput(value);
    if (action >= ENTER) {
      if (action == ENTER) {
        const length = readLength(end);
        at = p;
        end = at + length;
        inlined = step.field.message;
        continue;
      }
      setInput(at);
      const tag = readTag(end);
      if (action == DROP) skipValues(tag, end);
      else skipUnknownValues(tag, end);
      at = p;
      continue;
    }
    store<u32>(offset, <u32>o);
    offset += 4;
    setOffsets(offset);
    const place = step.place;
    switch (action) {
      case PUT_MESSAGE: {
        if (place !== null) {
          captureOther(place, AN_OBJECT);
          beginObjectAt(place);
        }
        const length = readLength(end);
        const messageTrail = trailOfStep(step);
        if (messageTrail !== null) writeAlongTrail(messageTrail, p + length, depth + 1);
        else writeMessage(step.field, step.node.key, place, p + length, depth + 1);
        break;
      }
      case PUT_MESSAGES:
        writeMessages(step, end, depth + 1);
        break;
      case PUT_BOOLEAN:
        writeBoolean(readVarint(end) != 0, place);
        break;
      case PUT_INTEGER:
        writeInteger(<u32>step.field.kind == INT32 ? <i32>readVarint(end) : <i64>readVarint(end), place);
        break;
      case PUT_LIST:
        writeList(step.field, step.node.key, place, tagOf(step), end, depth + 1);
        break;
      case PUT_MAP:
        writeMap(step.field, step.node.key, place, tagOf(step), end, depth + 1);
        break;
      default:
        writeFieldValue(step.field, step.node.key, place, end, depth);
    }
    at = p;
  }
  setInput(at);
  setOffsets(offset);
  writeFieldsFrom(
    step,
    step.node,
    step.seen,
    trail.message,
    key,
    trail.path,
    start,
    values,
    firstOffset,
    changetype<Message | null>(inlined),
    end,
    messageEnd,
    depth,
  );
}

@inline
function trailOfStep(step: Step): Trail | null {
  const known = step.trail;
  return known !== null ? known : newTrailOfStep(step);
}

function newTrailOfStep(step: Step): Trail | null {
  const trail = trailOf(step.field, step.node.key, step.place);
  step.trail = trail;
  return trail;
}

/** Writes a list of messages, the first of which begins at `p`, with its length. */
function writeMessages(step: Step, end: usize, depth: u32): void {
  const place = step.place;
  const trail = trailOfStep(step);
  if (trail === null || (place !== null && place.capture > 0)) {
    writeList(step.field, step.node.key, place, tagOf(step), end, depth);
    return;
  }
  if (depth > plan.maxDepth) abandon(INVALID);
  const start = o;
  setOutput(start + 1);
  let count: u32 = 0;
  while (true) {
    const length = readLength(end);
    if (place !== null) beginObjectAt(place);
    writeAlongTrail(trail, p + length, depth + 1);
    count++;
    if (p >= end || (load<u32>(p) & step.mask) != step.bytes) break;
    setInput(p + step.tagBytes);
  }
  writeCountAt(start, count, 0x90, 0xdc);
}
