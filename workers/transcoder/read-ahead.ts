/** Keys of an object that are looked at before it is walked on: whether they are a shape. */

import { p } from './cursor';
import { MAX_KEY_LENGTH } from './keys';
import { hashOf } from './memory';
import { Path } from './plan';
import { endOfValue } from './scan';
import { childOf, defineShape, hashWith, isWorthAShape, MAX_SHAPE_KEYS, Node } from './shapes';

/**
 * Looks at the keys from the quote at `p` to the end of the object, which has followed the tree to `node` and is at its end. True if all of
 * them are a shape from now on.
 */
export function readAhead(node: Node, path: Path | null): bool {
  let hash = node.hash;
  let keys = node.keys;
  let at = p;
  while (true) {
    const text = at + 1;
    const length = lengthOfFieldName(text);
    if (length == 0) return false;
    if (!isDropped(path, text)) {
      hash = hashWith(hash, hashOf(text, length));
      if (++keys > MAX_SHAPE_KEYS) return false;
    }
    at = afterValue(text + length + 1);
    const next: u32 = at == 0 ? 0 : load<u8>(at);
    if (next == 0x7d) break;
    if (next != 0x2c) return false;
    at = afterSpace(at + 1);
    if (load<u8>(at) != 0x22) return false;
  }
  if (!isWorthAShape(hash)) return false;
  return defineAhead(node, path);
}

/** The same walk again: makes the nodes. */
function defineAhead(node: Node, path: Path | null): bool {
  let at = p;
  while (true) {
    const text = at + 1;
    const length = lengthOfFieldName(text);
    if (!isDropped(path, text)) {
      const child = childOf(node, text, length);
      if (child === null) return false;
      node = child;
    }
    at = afterValue(text + length + 1);
    if (load<u8>(at) == 0x7d) return defineShape(node);
    at = afterSpace(at + 1);
  }
}

/** Without the check for a key that stands there twice: `placeOf` will see it. */
function isDropped(path: Path | null, at: usize): bool {
  if (path === null) return false;
  let child = path.child;
  while (child !== null) {
    if (child.isDropped && isTextAt(child, at)) return true;
    child = child.sibling;
  }
  return false;
}

function isTextAt(path: Path, at: usize): bool {
  for (let i: u32 = 0; i <= path.length; i++) {
    if (load<u8>(path.text + i) != load<u8>(at + i)) return false;
  }
  return true;
}

/** Of a name such as fields of Go structs have, with a quote behind; 0 for anything else. Names of labels and files mostly have a dot, a dash or a slash. */
function lengthOfFieldName(text: usize): u32 {
  if ((<u32>load<u8>(text) | 0x20) - 0x61 >= 26) return 0;
  let length: u32 = 1;
  while (true) {
    const byte: u32 = load<u8>(text + length);
    if (byte == 0x22) return length <= MAX_KEY_LENGTH ? length : 0;
    if ((byte | 0x20) - 0x61 >= 26 && byte - 0x30 >= 10) return 0;
    if (++length > MAX_KEY_LENGTH) return 0;
  }
}

/** From behind a key to the comma or brace behind its value; 0 if there is none. The value is not looked at: the walk will. */
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
