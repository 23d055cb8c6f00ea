/** Names of fields, each stored once per table. Only those in shapes get here: never those of labels and the like. */

import { hashOf, isSameText, reserve } from './memory';
import { Node } from './shapes';
import { allocate, table } from './table';

const BUCKETS: u32 = 256;
const MAX_KEYS: u32 = 2048;
export const MAX_KEY_LENGTH: u32 = 64;

/**
 * A name, and what is known about the objects that stand under it, in whatever object: their shapes, and whether they are maps. The text
 * is followed by a quote, so that one comparison finds both.
 */
@unmanaged
export class Key {
  text: usize;
  length: u32;
  hash: u32;
  /** Which of the first 16 and of the second 16 bytes of text and quote there are. */
  firstMask: u32;
  secondMask: u32;
  next: Key | null;
  /** Shapes begin here. */
  root: Node;
  /** Bytes that the reference to the last shape took. */
  referenceBytes: u32;
  /** Their keys are data: they are never records. */
  isMap: bool;
  /** How often a shape was of no use here. */
  misses: u32;
  /** Stands for every key of a map under this name. */
  element: Key | null;
}

/** The names whose objects are maps, each with a quote behind; the same as MAP_FIELDS of src/wire/object-packer.ts. */
export let mapFields: usize = 0;
export let mapFieldsEnd: usize = 0;

/** For all tables: `text` is names with a quote behind each. */
export function setMapFields(text: usize, length: u32): void {
  mapFields = reserve(length + 64);
  mapFieldsEnd = mapFields + length;
  memory.copy(mapFields, text, length);
}

export function newKeys(): void {
  if (table.keyBuckets == 0) table.keyBuckets = reserve(BUCKETS * 4);
  table.root = changetype<Key>(createKey(0, 0, 0));
}

export function clearKeys(): void {
  memory.fill(table.keyBuckets, 0, BUCKETS * 4);
  table.keys = 0;
}

/** What stands for the keys of a map under this key; the key itself if there is no room. */
export function elementOf(key: Key): Key {
  const known = key.element;
  if (known !== null) return known;
  const created = createKey(key.text, key.length, 0);
  if (created == 0) return key;
  const element = changetype<Key>(created);
  element.isMap = false;
  key.element = element;
  return element;
}

/** Null if there is no room for a new one. */
export function internKey(text: usize, length: u32): Key | null {
  const hash = hashOf(text, length);
  const bucket = table.keyBuckets + ((hash & (BUCKETS - 1)) << 2);
  let key = changetype<Key | null>(<usize>load<u32>(bucket));
  while (key !== null) {
    if (key.hash == hash && key.length == length && isSameText(key.text, text, length)) return key;
    key = key.next;
  }
  if (table.keys >= MAX_KEYS) return null;
  const created = createKey(text, length, hash);
  if (created == 0) return null;
  key = changetype<Key>(created);
  key.next = changetype<Key | null>(<usize>load<u32>(bucket));
  store<u32>(bucket, <u32>created);
  table.keys++;
  return key;
}

function createKey(text: usize, length: u32, hash: u32): usize {
  const size = (offsetof<Key>() + 15) & ~15;
  const rootSize = (offsetof<Node>() + 15) & ~15;
  const start = allocate(size + rootSize + length + 1 + 32);
  if (start == 0) return 0;
  const key = changetype<Key>(start);
  key.root = changetype<Node>(start + size);
  key.root.shape = -1;
  key.text = start + size + rootSize;
  memory.copy(key.text, text, length);
  store<u8>(key.text + length, 0x22);
  key.length = length;
  key.hash = hash;
  key.firstMask = maskOf(length + 1);
  key.secondMask = length + 1 > 16 ? maskOf(length + 1 - 16) : 0;
  key.referenceBytes = 2;
  key.isMap = isMapField(key.text, length);
  return start;
}

function maskOf(bytes: u32): u32 {
  return bytes >= 16 ? 0xffff : (1 << bytes) - 1;
}

/** True if the key that begins at `at` is this one. */
@inline
export function isKeyAt(key: Key, at: usize): bool {
  const first = key.firstMask;
  if ((i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(key.text))) & first) != first) return false;
  if (key.length < 16) return true;
  const second = key.secondMask;
  if ((i8x16.bitmask(i8x16.eq(v128.load(at + 16), v128.load(key.text + 16))) & second) != second) return false;
  return key.length < 32 || isSameText(at + 32, key.text + 32, key.length - 31);
}

function isMapField(text: usize, length: u32): bool {
  let start = mapFields;
  while (start < mapFieldsEnd) {
    let end = start;
    while (load<u8>(end) != 0x22) end++;
    if (<u32>(end - start) == length && isSameText(start, text, length)) return true;
    start = end + 1;
  }
  return false;
}
