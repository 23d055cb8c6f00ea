/** Names of fields, each stored once per table. Only those in shapes: never those of labels and the like. */

import { hashOf, isSameBytes, reserve } from './memory';
import { Node } from './shapes';
import { allocate, table } from './table';

const BUCKETS: u32 = 256;
const MAX_KEYS: u32 = 2048;
export const MAX_KEY_LENGTH: u32 = 64;

/**
 * The name of a field, and what is known about the objects under this name, in any object: their shapes, and whether
 * they are maps. The name is followed by a quote, so that one comparison covers both.
 */
@unmanaged
export class Key {
  name: usize;
  length: u32;
  hash: u32;
  /** Which of the first 16 and of the second 16 bytes belong to the name and its quote. */
  firstMask: u32;
  secondMask: u32;
  next: Key | null;
  /** The root of the tree of shapes. */
  root: Node;
  /** The length of the reference to the last shape. */
  referenceBytes: u32;
  /** The keys of these objects are data: they are never records. */
  isMap: bool;
  /** How often no shape could be used here. */
  misses: u32;
  /** Represents all keys of a map under this name. */
  element: Key | null;
}

/** The names whose objects are maps, each followed by a quote; MAP_FIELDS of src/wire/shape-table.ts. */
export let mapFields: usize = 0;
export let mapFieldsEnd: usize = 0;

/** For all tables. Each name is followed by a quote. */
export function setMapFields(chars: usize, length: u32): void {
  mapFields = reserve(length + 64);
  mapFieldsEnd = mapFields + length;
  memory.copy(mapFields, chars, length);
}

export function newKeys(): void {
  if (table.keyBuckets == 0) table.keyBuckets = reserve(BUCKETS * 4);
  table.root = changetype<Key>(createKey(0, 0, 0));
}

export function clearKeys(): void {
  memory.fill(table.keyBuckets, 0, BUCKETS * 4);
  table.keys = 0;
}

/** Represents the keys of a map under this key; the key itself if there is no memory. */
export function elementOf(key: Key): Key {
  const known = key.element;
  if (known !== null) return known;
  const created = createKey(key.name, key.length, 0);
  if (created == 0) return key;
  const element = changetype<Key>(created);
  element.isMap = false;
  key.element = element;
  return element;
}

/** Null if there is no memory for a new one. */
export function internKey(chars: usize, length: u32): Key | null {
  const hash = hashOf(chars, length);
  const bucket = table.keyBuckets + ((hash & (BUCKETS - 1)) << 2);
  let key = changetype<Key | null>(<usize>load<u32>(bucket));
  while (key !== null) {
    if (key.hash == hash && key.length == length && isSameBytes(key.name, chars, length)) return key;
    key = key.next;
  }
  if (table.keys >= MAX_KEYS) return null;
  const created = createKey(chars, length, hash);
  if (created == 0) return null;
  key = changetype<Key>(created);
  key.next = changetype<Key | null>(<usize>load<u32>(bucket));
  store<u32>(bucket, <u32>created);
  table.keys++;
  return key;
}

function createKey(chars: usize, length: u32, hash: u32): usize {
  const size = (offsetof<Key>() + 15) & ~15;
  const rootSize = (offsetof<Node>() + 15) & ~15;
  const start = allocate(size + rootSize + length + 1 + 32);
  if (start == 0) return 0;
  const key = changetype<Key>(start);
  key.root = changetype<Node>(start + size);
  key.root.shape = -1;
  key.name = start + size + rootSize;
  memory.copy(key.name, chars, length);
  store<u8>(key.name + length, 0x22);
  key.length = length;
  key.hash = hash;
  key.firstMask = maskOf(length + 1);
  key.secondMask = length + 1 > 16 ? maskOf(length + 1 - 16) : 0;
  key.referenceBytes = 2;
  key.isMap = isMapField(key.name, length);
  return start;
}

function maskOf(bytes: u32): u32 {
  return bytes >= 16 ? 0xffff : (1 << bytes) - 1;
}

/** Whether the key at `at` is this one. */
@inline
export function isKeyAt(key: Key, at: usize): bool {
  const first = key.firstMask;
  if ((i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(key.name))) & first) != first) return false;
  if (key.length < 16) return true;
  const second = key.secondMask;
  if ((i8x16.bitmask(i8x16.eq(v128.load(at + 16), v128.load(key.name + 16))) & second) != second) return false;
  return key.length < 32 || isSameBytes(at + 32, key.name + 32, key.length - 31);
}

function isMapField(chars: usize, length: u32): bool {
  let start = mapFields;
  while (start < mapFieldsEnd) {
    let end = start;
    while (load<u8>(end) != 0x22) end++;
    if (<u32>(end - start) == length && isSameBytes(start, chars, length)) return true;
    start = end + 1;
  }
  return false;
}
