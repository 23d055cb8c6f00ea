/**
 * Shapes: lists of keys, by number. For each name of a field there is a tree of the keys that objects under it have
 * had:
 *
 *     metadata ─ name ─ namespace ─ uid ─ resourceVersion ─ creationTimestamp ─ labels              shape 3
 *                                                          └ deletionTimestamp ─ creationTimestamp   shape 9
 *
 * The decoder compares the next key of the object with the child that was taken last, which usually matches; nothing is
 * hashed. Equal lists of keys under different names are one definition.
 */

import { internKey, Key } from './keys';
import { allocate, canDefine, define, table } from './table';

/**
 * The first shapes of a kind are defined at once: they are those of its Go struct. Later ones when they are seen again.
 */
const IMMEDIATE_SHAPES: u32 = 64;
const MAX_SHAPES: u32 = 512;
const MAX_NODES: u32 = 8192;
/** An object with more keys than this is a map, whatever they are called. */
export const MAX_SHAPE_KEYS: u32 = 64;
/** Unknown shapes that are remembered until they are seen again, by their hashes. */
const CANDIDATES: u32 = 512;

@unmanaged
export class Node {
  /** Unused in roots. */
  key: Key;
  parent: Node | null;
  /** The child that was taken last is the first. */
  child: Node | null;
  sibling: Node | null;
  /** Hash of the keys up to here. */
  hash: u32;
  /** Number of keys up to here. */
  keys: u32;
  /** The number of the definition; −1 if no object has ended here. */
  shape: i32;
}

@inline
export function hashWith(hash: u32, keyHash: u32): u32 {
  return rotl(hash, 5) * 0x9e3779b1 + keyHash;
}

/** Whether an unknown list of keys with this hash is to be defined as a shape. */
export function shouldDefineShape(hash: u32): bool {
  if (table.shapes >= MAX_SHAPES || !canDefine()) return false;
  if (table.shapes < IMMEDIATE_SHAPES) return true;
  if (table.candidates == 0) table.candidates = allocate(CANDIDATES * 4);
  if (table.candidates == 0) return false;
  const slot = table.candidates + ((hash & (CANDIDATES - 1)) << 2);
  const isSeenAgain = load<u32>(slot) == hash;
  store<u32>(slot, hash);
  return isSeenAgain;
}

/** Null if there is no memory, or if the key is among those before: an object with duplicate keys is a map. */
export function childOf(node: Node, chars: usize, length: u32): Node | null {
  const key = internKey(chars, length);
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

/** Defines the keys up to the node as a shape. False if there is no memory. */
export function defineShape(node: Node): bool {
  const known = equalShape(node);
  if (known >= 0) {
    node.shape = known;
    return true;
  }
  if (table.shapeList == 0) table.shapeList = allocate(MAX_SHAPES * 4);
  if (table.shapeList == 0) return false;
  let length: u32 = 0;
  for (let at: Node = node; at.keys > 0; at = at.parent as Node) length += at.key.length + 1;
  const chars = allocate(length);
  if (chars == 0) return false;
  let end = chars + length;
  for (let at: Node = node; at.keys > 0; at = at.parent as Node) {
    store<u8>(--end, 0x2c);
    end -= at.key.length;
    memory.copy(end, at.key.name, at.key.length);
  }
  store<u32>(table.shapeList + (table.shapes << 2), <u32>changetype<usize>(node));
  table.shapes++;
  node.shape = define(chars, length - 1, true);
  return true;
}

/** The number of the shape with the same keys under another name, or −1. */
function equalShape(node: Node): i32 {
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
