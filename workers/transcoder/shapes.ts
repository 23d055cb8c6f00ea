/**
 * Lists of keys by number. For every name of a field, a tree of the keys that objects under it have had, in their order:
 *
 *     metadata ─ name ─ namespace ─ uid ─ resourceVersion ─ creationTimestamp ─ labels              shape 3
 *                                                          └ deletionTimestamp ─ creationTimestamp   shape 9
 *
 * A walk compares the next key of the object with the child that was taken last, which mostly is the one; nothing is hashed. Equal lists of keys
 * under different names are one definition.
 */

import { internKey, Key } from './keys';
import { allocate, canDefine, define, table } from './table';

/** The first shapes of a kind are defined at sight: they are those of its Go struct. Later ones when they are seen again. */
const SHAPES_AT_SIGHT: u32 = 64;
const MAX_SHAPES: u32 = 512;
const MAX_NODES: u32 = 8192;
/** More keys than this are a map, whatever they are called. */
export const MAX_SHAPE_KEYS: u32 = 64;
/** Unknown shapes that are remembered until they are seen again: a check sum each. */
const CANDIDATES: u32 = 512;

@unmanaged
export class Node {
  /** Unused in roots. */
  key: Key;
  parent: Node | null;
  /** The one that was taken last comes first. */
  child: Node | null;
  sibling: Node | null;
  /** Of the keys up to here. */
  hash: u32;
  /** How many keys lead here. */
  keys: u32;
  /** The number of the definition; −1 if no object has ended here. */
  shape: i32;
}

@inline
export function hashWith(hash: u32, keyHash: u32): u32 {
  return rotl(hash, 5) * 0x9e3779b1 + keyHash;
}

/** Whether a list of keys with this hash, which no object has had yet, is to be a shape. */
export function isWorthAShape(hash: u32): bool {
  if (table.shapes >= MAX_SHAPES || !canDefine()) return false;
  if (table.shapes < SHAPES_AT_SIGHT) return true;
  if (table.candidates == 0) table.candidates = allocate(CANDIDATES * 4);
  if (table.candidates == 0) return false;
  const slot = table.candidates + ((hash & (CANDIDATES - 1)) << 2);
  const isSeenAgain = load<u32>(slot) == hash;
  store<u32>(slot, hash);
  return isSeenAgain;
}

/** Null if there is no room, or if the key is among those before: an object with two equal keys is a map. */
export function childOf(node: Node, text: usize, length: u32): Node | null {
  const key = internKey(text, length);
  if (key === null) return null;
  let child = node.child;
  while (child !== null) {
    if (child.key === key) return child;
    child = child.sibling;
  }
  let before: Node | null = node;
  while (before !== null && before.keys > 0) {
    if (before.key === key) return null;
    before = before.parent;
  }
  if (table.nodes >= MAX_NODES) return null;
  const created = allocate(offsetof<Node>());
  if (created == 0) return null;
  const next = changetype<Node>(created);
  next.key = key;
  next.parent = node;
  next.sibling = node.child;
  next.hash = hashWith(node.hash, key.hash);
  next.keys = node.keys + 1;
  next.shape = -1;
  node.child = next;
  table.nodes++;
  return next;
}

/** Makes the keys that lead to the node a shape. False if there is no room. */
export function defineShape(node: Node): bool {
  const known = shapeLike(node);
  if (known >= 0) {
    node.shape = known;
    return true;
  }
  if (table.shapeList == 0) table.shapeList = allocate(MAX_SHAPES * 4);
  if (table.shapeList == 0) return false;
  let length: u32 = 0;
  for (let at: Node = node; at.keys > 0; at = at.parent as Node) length += at.key.length + 1;
  const text = allocate(length);
  if (text == 0) return false;
  let end = text + length;
  for (let at: Node = node; at.keys > 0; at = at.parent as Node) {
    store<u8>(--end, 0x2c);
    end -= at.key.length;
    memory.copy(end, at.key.text, at.key.length);
  }
  store<u32>(table.shapeList + (table.shapes << 2), <u32>changetype<usize>(node));
  table.shapes++;
  node.shape = define(text, length - 1, true);
  return true;
}

/** The number of the shape with the same keys under another name, or −1. */
function shapeLike(node: Node): i32 {
  for (let i: u32 = 0; i < table.shapes; i++) {
    const other = changetype<Node>(<usize>load<u32>(table.shapeList + (i << 2)));
    if (other.hash == node.hash && other.keys == node.keys && hasSameKeys(other, node)) return other.shape;
  }
  return -1;
}

function hasSameKeys(a: Node, b: Node): bool {
  let one = a;
  let two = b;
  while (one.keys > 0) {
    if (one.key !== two.key) return false;
    one = one.parent as Node;
    two = two.parent as Node;
  }
  return true;
}
