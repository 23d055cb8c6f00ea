/**
 * Converts JSON to a payload in one pass. A value is written as it is read; only the head of an object, an array or a
 * map is written when its end is known:
 *
 *     {"name":"a","env":[{"name":"X"}],…}   →   │ref│ value of name │ value of env │ …
 *                                                 ↑   ↑               ↑
 *                                             start   offsets of the values, in OFFSETS
 *
 * An object follows the tree of shapes key by key. Where the tree ends (an unknown shape), the remaining keys are read
 * ahead (`readAhead`): either they become a shape, or the object is a map, and the keys that were omitted so far are
 * inserted between the values. No value is decoded twice, so that no nesting costs more than its depth times its size.
 */

import { abandon, INVALID, o, p, peek, RARE, setInput, setOutput, takeColon } from './cursor';
import { elementOf, isKeyAt, Key } from './keys';
import { OFFSETS } from './memory';
import {
  AN_OBJECT,
  beginObjectAt,
  captureOther,
  captureValue,
  NOT_A_STRING,
  nextObjectWithPlace,
  Path,
  placeOf,
  plan,
} from './plan';
import { readAhead } from './read-ahead';
import { childOf, defineShape, shouldDefineShape, Node } from './shapes';
import { skipValue, takeLiteral } from './skip';
import { endOfPlainString, escapedLength, escapedString, isEscapedAscii, readEscaped } from './json-strings';
import {
  referenceBytesOf,
  writeByte,
  writeCountAt,
  writeEscaped,
  writeNumber,
  writeReferenceAt,
  writeAsciiString,
} from './tokens';

/** A key under which no shape could be used this often is treated as that of a map. */
const MAX_MISSES: u32 = 64;

/** Where the offset of the next value is stored. */
export let offsets: usize = OFFSETS;

export function resetOffsets(): void {
  offsets = OFFSETS;
}

/** Resets to where the offsets of an object began. */
@inline
export function setOffsets(address: usize): void {
  offsets = address;
}

/** Writes the value at `p`, which belongs to `key`, at this place of the plan. */
export function writeValue(key: Key, path: Path | null, depth: u32): void {
  switch (peek()) {
    case 0x22:
      writeString(path);
      return;
    case 0x7b:
      if (path !== null) captureOther(path, AN_OBJECT);
      writeObject(key, path, depth + 1);
      return;
    case 0x5b:
      // The captured value must not be an array, and neither must a gate.
      if (path !== null && (path.capture > 0 || path.isGate)) abandon(RARE);
      writeArray(key, path, depth + 1);
      return;
    case 0x74:
    case 0x66:
    case 0x6e:
      writeLiteral(path);
      return;
    default: {
      const start = p;
      const isPlain = writeNumber();
      if (path !== null) {
        // JavaScript formats 1.0 or 1e3 differently.
        if (path.indexes != 0 && !isPlain) abandon(RARE);
        captureValue(path, start, <u32>(p - start), false);
      }
    }
  }
}

/** Writes the string after the colon, if there is one without white space or escapes, as for most values. */
@inline
function writeShortString(colon: usize): bool {
  if (load<u16>(colon) != 0x223a) return false;
  const start = colon + 2;
  const end = endOfPlainString(start);
  if (load<u8>(end) != 0x22) return false;
  setInput(end + 1);
  writeAsciiString(start, <u32>(end - start));
  return true;
}

/** Reads the comma, if the quote of a key follows immediately. */
@inline
function isFollowedByKey(): bool {
  const after = p;
  if (load<u16>(after) != 0x222c) return false;
  setInput(after + 1);
  return true;
}

function writeString(path: Path | null): void {
  const start = p + 1;
  const end = endOfPlainString(start);
  if (load<u8>(end) == 0x22) {
    setInput(end + 1);
    writeAsciiString(start, <u32>(end - start));
    if (path !== null) captureValue(path, start, <u32>(end - start), true);
    return;
  }
  readEscaped(start, path !== null);
  writeEscaped();
  if (path === null) return;
  // Strings of headers are ASCII here; the reference decoder writes others.
  if (!isEscapedAscii && (path.capture > 0 || path.indexes != 0)) abandon(RARE);
  captureValue(path, escapedString, escapedLength, true);
}

function writeLiteral(path: Path | null): void {
  const start = p;
  const first: u32 = load<u8>(start);
  takeLiteral();
  writeByte(first == 0x74 ? 0xc3 : first == 0x66 ? 0xc2 : 0xc0);
  if (path === null) return;
  if (first == 0x6e) captureOther(path, NOT_A_STRING);
  else captureValue(path, start, <u32>(p - start), false);
}

function writeArray(key: Key, path: Path | null, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  const start = o;
  setOutput(o + 1);
  setInput(p + 1);
  let count: u32 = 0;
  if (peek() == 0x5d) setInput(p + 1);
  else {
    while (true) {
      writeValue(key, path, depth);
      count++;
      const next = peek();
      setInput(p + 1);
      if (next == 0x5d) break;
      if (next != 0x2c) abandon(INVALID);
    }
  }
  writeCountAt(start, count, 0x90, 0xdc);
}

/** Writes the object whose brace is at `p`. */
export function writeObject(key: Key, path: Path | null, depth: u32): void {
  if (depth > plan.maxDepth) abandon(INVALID);
  setInput(p + 1);
  const next = peek();
  if (next == 0x7d) {
    setInput(p + 1);
    writeByte(0x80);
    return;
  }
  if (next != 0x22) abandon(INVALID);
  let object: u32 = 0;
  if (path !== null) {
    object = nextObjectWithPlace();
    beginObjectAt(path);
  }
  if (key.isMap) {
    const start = o;
    setOutput(start + 1);
    writeMapFrom(start, 0, key, path, object, depth);
  } else writeRecord(key, path, object, depth);
}

/** Writes the object whose first key's quote is at `p`. */
function writeRecord(key: Key, path: Path | null, object: u32, depth: u32): void {
  const start = o;
  const values = start + key.referenceBytes;
  setOutput(values);
  writeFields(key, key.root, start, values, offsets, path, object, depth);
}

/**
 * Writes the fields from the key whose quote is at `p` on, of a record that began at `start` of the output, has its
 * values from `values` on, and has followed the tree to `node`. The offsets of its values so far begin at
 * `firstOffset`.
 */
export function writeFields(
  key: Key,
  node: Node,
  start: usize,
  values: usize,
  firstOffset: usize,
  path: Path | null,
  object: u32,
  depth: u32,
): void {
  while (true) {
    const at = p + 1;
    let place: Path | null = null;
    if (path !== null) place = placeOf(path, at, object);
    if (place !== null && place.isDropped) {
      setInput(at + place.length + 1);
      takeColon();
      skipValue(depth);
    } else {
      let next = node.child;
      if (next === null || !isKeyAt(next.key, at)) {
        next = otherChild(node, at);
        if (next === null) {
          if (!readAhead(node, path)) {
            // The key is looked up again.
            if (place !== null) place.object = 0;
            writeAsMap(key, node, start, values, firstOffset, path, object, depth);
            return;
          }
          next = otherChild(node, at) as Node;
        }
      }
      node = next as Node;
      store<u32>(offsets, <u32>o);
      offsets += 4;
      const colon = at + node.key.length + 1;
      if (place !== null || !writeShortString(colon)) {
        setInput(colon);
        takeColon();
        writeValue(node.key, place, depth);
      }
    }
    if (isFollowedByKey()) continue;
    const separator = peek();
    setInput(p + 1);
    if (separator == 0x7d) break;
    if (separator != 0x2c || peek() != 0x22) abandon(INVALID);
  }
  endRecord(key, node, start, values, firstOffset);
}

/** Follows the tree for a field that is not in the document, and whose value is written next. */
export function addField(node: Node, chars: usize, length: u32): Node {
  const child = childOf(node, chars, length);
  // The table is full.
  if (child === null) abandon(RARE);
  store<u32>(offsets, <u32>o);
  offsets += 4;
  return child as Node;
}

export function endRecord(key: Key, node: Node, start: usize, values: usize, firstOffset: usize): void {
  if (node.shape < 0 && (node.keys == 0 || !shouldDefineShape(node.hash) || !defineShape(node))) {
    // All its fields were dropped, or there is no memory for a shape.
    insertKeys(node, start, values, firstOffset);
    offsets = firstOffset;
    writeCountAt(start, node.keys, 0x80, 0xde);
    return;
  }
  offsets = firstOffset;
  const id = <u32>node.shape;
  const bytes = referenceBytesOf(id);
  if (start + bytes != values) {
    memory.copy(start + bytes, values, o - values);
    setOutput(o + start + bytes - values);
  }
  // The next objects under this key usually have the same shape: then nothing has to be moved.
  key.referenceBytes = bytes;
  writeReferenceAt(start, id);
}

/** The child for the key at `at`, which becomes the first child; null if there is none. */
function otherChild(node: Node, at: usize): Node | null {
  let before = node.child;
  if (before === null) return null;
  if (isKeyAt(before.key, at)) return before;
  let child = before.sibling;
  while (child !== null) {
    if (isKeyAt(child.key, at)) {
      before.sibling = child.sibling;
      child.sibling = node.child;
      node.child = child;
      return child;
    }
    before = child;
    child = child.sibling;
  }
  return null;
}

/** Turns the record into a map, and continues with the key whose quote is at `p`. */
function writeAsMap(
  key: Key,
  node: Node,
  start: usize,
  values: usize,
  firstOffset: usize,
  path: Path | null,
  object: u32,
  depth: u32,
): void {
  if (++key.misses == MAX_MISSES) key.isMap = true;
  insertKeys(node, start, values, firstOffset);
  offsets = firstOffset;
  writeMapFrom(start, node.keys, key, path, object, depth);
}

/**
 * Inserts the keys that lead to `node` before the values that were written, and leaves one byte for the head. From the
 * last to the first, so that each key and value only overwrites itself or later ones.
 */
export function insertKeys(node: Node, start: usize, values: usize, firstOffset: usize): void {
  let keyBytes: usize = 0;
  for (let at: Node = node; at.keys > 0; at = at.parent as Node) {
    keyBytes += <usize>at.key.length + headerBytesOf(at.key);
  }
  let end = o;
  let to = end + keyBytes + start + 1 - values;
  setOutput(to);
  for (let at: Node = node; at.keys > 0; at = at.parent as Node) {
    const value: usize = load<u32>(firstOffset + ((at.keys - 1) << 2));
    to -= end - value;
    memory.copy(to, value, end - value);
    end = value;
    to -= at.key.length;
    memory.copy(to, at.key.name, at.key.length);
    to -= headerBytesOf(at.key);
    if (at.key.length < 32) store<u8>(to, <u8>(0xa0 | at.key.length));
    else store<u16>(to, <u16>(0xd9 | (at.key.length << 8)));
  }
}

@inline
function headerBytesOf(key: Key): usize {
  return key.length < 32 ? 1 : 2;
}

/**
 * Writes the keys and values of a map from the key whose quote is at `p` on; `count` keys are already written, after
 * one byte for the head.
 */
function writeMapFrom(start: usize, count: u32, key: Key, path: Path | null, object: u32, depth: u32): void {
  const element = elementOf(key);
  while (true) {
    const at = p + 1;
    const end = endOfPlainString(at);
    let place: Path | null = null;
    if (load<u8>(end) == 0x22) {
      if (path !== null) place = placeOf(path, at, object);
      setInput(end + 1);
      if (place === null || !place.isDropped) writeAsciiString(at, <u32>(end - at));
    } else {
      readEscaped(at, false);
      // It might be one of the plan, whose names are ASCII.
      if (path !== null && path.child !== null && isEscapedAscii) abandon(RARE);
      writeEscaped();
    }
    if (place === null && writeShortString(p)) count++;
    else {
      takeColon();
      if (place !== null && place.isDropped) skipValue(depth);
      else {
        writeValue(element, place, depth);
        count++;
      }
    }
    if (isFollowedByKey()) continue;
    const next = peek();
    setInput(p + 1);
    if (next == 0x7d) break;
    if (next != 0x2c || peek() != 0x22) abandon(INVALID);
  }
  writeCountAt(start, count, 0x80, 0xde);
}
