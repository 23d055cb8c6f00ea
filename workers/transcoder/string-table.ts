/**
 * Strings that many objects of a kind share, by number, with the rules of src/wire/string-table.ts. A string
 * becomes a definition when it was seen in enough objects. Until then only its hash is kept, in a table where newer
 * hashes replace older ones.
 */

import { hashOf, isSameBytes, reserve } from './memory';
import { allocate, canDefine, define, table } from './table';

/**
 * A reference has two bytes, so shorter strings save nothing. Longer strings rarely repeat, and would fill the table.
 */
const MIN_LENGTH: u32 = 3;
const MAX_LENGTH: u32 = 256;
/** A string is defined when it was seen in so many objects that a definition would have saved this many bytes. */
const MIN_SAVED_BYTES: u32 = 48;
/** Total length of the defined strings. */
const MAX_CHARACTERS: u32 = 256 * 1024;
/** Strings are learned from this many objects; later only from every fourth. */
const LEARNING_OBJECTS: u32 = 1024;

const INITIAL_SLOTS: u32 = 512;
/** For hashes: few until there are many objects. */
const INITIAL_SEEN_SLOTS: u32 = 2048;
const MANY_OBJECTS: u32 = 128;
const SEEN_SLOTS: u32 = 16384;
const MAX_SLOTS: u32 = 16384;
/** How many slots are tried, from that of the hash on. */
const MAX_PROBES: u32 = 8;

// A slot of `strings`: hash, address, length, number. A slot of `seen`: hash, number of objects (16 bits), the last
// object
// (its lower 16 bits).

export function newStrings(): void {
  table.stringMask = INITIAL_SLOTS - 1;
  table.strings = reserve(INITIAL_SLOTS << 4);
  newSeen(INITIAL_SEEN_SLOTS);
}

export function clearStrings(): void {
  memory.fill(table.strings, 0, (table.stringMask + 1) << 4);
  memory.fill(table.seen, 0, (table.seenMask + 1) << 3);
  table.stringCount = 0;
  table.characters = 0;
}

export function areStringsFull(): bool {
  return table.characters >= MAX_CHARACTERS;
}

/** Before a document. */
export function nextObject(): void {
  const number = ++table.objects;
  table.isLearning =
    (number < LEARNING_OBJECTS || (number & 3) == 0) && canDefine() && !areStringsFull();
}

/** Between documents. */
export function ensureStringCapacity(): void {
  if (table.objects > MANY_OBJECTS && table.seenMask < SEEN_SLOTS - 1) newSeen(SEEN_SLOTS);
  if (table.stringCount * 2 > table.stringMask && table.stringMask < MAX_SLOTS - 1) grow();
}

/** The number of the definition, or −1 if the string stays inline. Up to 15 bytes more are read. */
@inline
export function stringId(chars: usize, length: u32): i32 {
  if (length < MIN_LENGTH || length > MAX_LENGTH) return -1;
  const hash = hashOf(chars, length);
  const mask = table.stringMask;
  const strings = table.strings;
  for (let i: u32 = 0; i < MAX_PROBES; i++) {
    const slot = strings + (((hash + i) & mask) << 4);
    const address = load<u32>(slot, 4);
    if (address == 0) break;
    if (load<u32>(slot) == hash && load<u32>(slot, 8) == length && isSameBytes(address, chars, length)) {
      return load<i32>(slot, 12);
    }
  }
  if (table.isLearning) learn(chars, length, hash);
  return -1;
}

function learn(chars: usize, length: u32, hash: u32): void {
  const slot = table.seen + (((hash >> 7) & table.seenMask) << 3);
  const now = table.objects & 0xffff;
  const objects: u32 = load<u16>(slot, 4);
  if (load<u32>(slot) != hash) {
    // The slot belongs to another string, unless that one was seen only once.
    if (objects > 1) {
      store<u16>(slot, <u16>(objects - 1), 4);
      return;
    }
    store<u32>(slot, hash);
    store<u16>(slot, 1, 4);
    store<u16>(slot, <u16>now, 6);
    return;
  }
  // A string is frequent if many objects have it, not if one object repeats it.
  if (load<u16>(slot, 6) == now) return;
  store<u16>(slot, <u16>(objects + 1), 4);
  store<u16>(slot, <u16>now, 6);
  if ((objects + 1) * (length - 1) >= MIN_SAVED_BYTES) defineString(chars, length, hash);
}

function defineString(chars: usize, length: u32, hash: u32): void {
  if (!canDefine()) return;
  const free = freeSlot(hash);
  if (free == 0) return;
  const copy = allocate(length + 16);
  if (copy == 0) return;
  memory.copy(copy, chars, length);
  fill(free, hash, copy, length, define(copy, length, false));
  table.characters += length;
  table.stringCount++;
}

function freeSlot(hash: u32): usize {
  for (let i: u32 = 0; i < MAX_PROBES; i++) {
    const slot = table.strings + (((hash + i) & table.stringMask) << 4);
    if (load<u32>(slot, 4) == 0) return slot;
  }
  return 0;
}

function fill(slot: usize, hash: u32, chars: usize, length: u32, number: u32): void {
  store<u32>(slot, hash);
  store<u32>(slot, <u32>chars, 4);
  store<u32>(slot, length, 8);
  store<u32>(slot, number, 12);
}

/** A string without a free slot in the larger table is lost, and may be defined once more. */
function grow(): void {
  const before = table.strings;
  const end = before + ((table.stringMask + 1) << 4);
  table.stringMask = table.stringMask * 4 + 3;
  table.strings = reserve((table.stringMask + 1) << 4);
  for (let slot = before; slot < end; slot += 16) {
    if (load<u32>(slot, 4) == 0) continue;
    const free = freeSlot(load<u32>(slot));
    if (free != 0) fill(free, load<u32>(slot), load<u32>(slot, 4), load<u32>(slot, 8), load<u32>(slot, 12));
  }
}

function newSeen(slots: u32): void {
  table.seenMask = slots - 1;
  table.seen = reserve(slots << 3);
}
