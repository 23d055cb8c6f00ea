/** Reads the keys of an object ahead of its values, to find out whether they become a shape. */

import { p } from './cursor';
import { MAX_KEY_LENGTH } from './keys';
import { hashOf } from './memory';
import { Path } from './plan';
import { endOfValue } from './scan';
import { childOf, defineShape, hashWith, shouldDefineShape, MAX_SHAPE_KEYS, Node } from './shapes';

/**
 * Reads the keys from the quote at `p` to the end of the object, which has followed the tree to its end, at `node`.
 * True if they are a shape from now on.
 */
export function readAhead(node: Node, path: Path | null): bool {
  let hash = node.hash;
  let keys = node.keys;
  let at = p;
  while (true) {
    const chars = at + 1;
    const length = lengthOfFieldName(chars);
    if (length == 0) return false;
    if (!isDropped(path, chars)) {
      hash = hashWith(hash, hashOf(chars, length));
      if (++keys > MAX_SHAPE_KEYS) return false;
    }
    at = afterValue(chars + length + 1);
    const next: u32 = at == 0 ? 0 : load<u8>(at);
    if (next == 0x7d) break;
    if (next != 0x2c) return false;
    at = afterSpace(at + 1);
    if (load<u8>(at) != 0x22) return false;
  }
  if (!shouldDefineShape(hash)) return false;
  return defineAhead(node, path);
}

/** Reads the keys again, and creates the nodes. */
function defineAhead(node: Node, path: Path | null): bool {
  let at = p;
  while (true) {
    const chars = at + 1;
    const length = lengthOfFieldName(chars);
    if (!isDropped(path, chars)) {
      const child = childOf(node, chars, length);
      if (child === null) return false;
      node = child;
    }
    at = afterValue(chars + length + 1);
    if (load<u8>(at) == 0x7d) return defineShape(node);
    at = afterSpace(at + 1);
  }
}

/** Does not check for duplicate keys: `placeOf` does. */
function isDropped(path: Path | null, at: usize): bool {
  if (path === null) return false;
  let child = path.child;
  while (child !== null) {
    if (child.isDropped && isNameAt(child, at)) return true;
    child = child.sibling;
  }
  return false;
}

function isNameAt(path: Path, at: usize): bool {
  for (let i: u32 = 0; i <= path.length; i++) {
    if (load<u8>(path.name + i) != load<u8>(at + i)) return false;
  }
  return true;
}

/**
 * The length of a name that looks like a field of a Go struct, followed by a quote; 0 for anything else. Names of
 * labels and files usually have a dot, a dash or a slash.
 */
function lengthOfFieldName(chars: usize): u32 {
  if ((<u32>load<u8>(chars) | 0x20) - 0x61 >= 26) return 0;
  let length: u32 = 1;
  while (true) {
    const byte: u32 = load<u8>(chars + length);
    if (byte == 0x22) return length <= MAX_KEY_LENGTH ? length : 0;
    if ((byte | 0x20) - 0x61 >= 26 && byte - 0x30 >= 10) return 0;
    if (++length > MAX_KEY_LENGTH) return 0;
  }
}

/** The address of the comma or brace after the value of this key; 0 if there is none. The value is not checked yet. */
function afterValue(afterKey: usize): usize {
  let at = afterSpace(afterKey);
  if (load<u8>(at) != 0x3a) return 0;
  at = afterSpace(at + 1);
  const first: u32 = load<u8>(at);
  if (first == 0x22 || first == 0x7b || first == 0x5b) {
    at = endOfValue(at, documentEnd);
    return at == 0 ? 0 : afterSpace(at);
  }
  while (true) {
    const byte: u32 = load<u8>(at);
    if (byte == 0x2c || byte == 0x7d || byte == 0) return at;
    at++;
  }
}

function afterSpace(from: usize): usize {
  let at = from;
  while (true) {
    const byte: u32 = load<u8>(at);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return at;
    at++;
  }
}

/** The document ends before this address. */
let documentEnd: usize = 0;

export function setDocumentEnd(end: usize): void {
  documentEnd = end;
}
