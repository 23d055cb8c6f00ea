/**
 * Strings that many objects of a kind share, by number: the same rules as src/wire/string-table.ts. A string becomes a definition
 * when it was seen in enough objects. Until then only its check sum is kept, in a table where newer ones push out older ones.
 */

import { hashOf, isSameText, reserve } from './memory';
import { allocate, canDefine, define, table } from './table';

/** A reference has two bytes, so shorter strings gain nothing. Longer ones than the second hardly repeat, and would fill the table. */
const MIN_LENGTH: u32 = 3;
const MAX_LENGTH: u32 = 256;
/** A string is defined when it was seen in so many objects that this many bytes would have been saved. */
const WORTHWHILE_BYTES: u32 = 48;
/** What the defined strings may take. */
const MAX_CHARACTERS: u32 = 256 * 1024;
/** Objects from which all strings are learned; later only every fourth. */
const LEARNING_OBJECTS: u32 = 1024;

const FIRST_SLOTS: u32 = 512;
/** For check sums: few until it is clear that there are many objects. */
const FIRST_SEEN_SLOTS: u32 = 2048;
const MANY_OBJECTS: u32 = 128;
const SEEN_SLOTS: u32 = 16384;
const MAX_SLOTS: u32 = 16384;
/** Looked at from the slot of the hash on. */
const MAX_PROBES: u32 = 8;

// A slot of `strings`: hash, address, length, number. A slot of `seen`: hash, objects (16 bits), the last of them (its lower 16 bits).

export function newStrings(): void {
  table.stringMask = FIRST_SLOTS - 1;
  table.strings = reserve(FIRST_SLOTS << 4);
  newSeen(FIRST_SEEN_SLOTS);
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
export function makeRoomForStrings(): void {
  if (table.objects > MANY_OBJECTS && table.seenMask < SEEN_SLOTS - 1) newSeen(SEEN_SLOTS);
  if (table.stringCount * 2 > table.stringMask && table.stringMask < MAX_SLOTS - 1) grow();
}

/** The number of the definition, or −1 if the string travels with the object. Needs 15 readable bytes behind the text. */
@inline
export function stringId(text: usize, length: u32): i32 {
  if (length < MIN_LENGTH || length > MAX_LENGTH) return -1;
  const hash = hashOf(text, length);
  const mask = table.stringMask;
  const strings = table.strings;
  for (let i: u32 = 0; i < MAX_PROBES; i++) {
    const slot = strings + (((hash + i) & mask) << 4);
    const address = load<u32>(slot, 4);
    if (address == 0) break;
    if (load<u32>(slot) == hash && load<u32>(slot, 8) == length && isSameText(address, text, length)) {
      return load<i32>(slot, 12);
    }
  }
  if (table.isLearning) learn(text, length, hash);
  return -1;
}

function learn(text: usize, length: u32, hash: u32): void {
  const slot = table.seen + (((hash >> 7) & table.seenMask) << 3);
  const now = table.objects & 0xffff;
  const objects: u32 = load<u16>(slot, 4);
  if (load<u32>(slot) != hash) {
    // Somebody else's place, unless nobody has come back to it.
    if (objects > 1) {
      store<u16>(slot, <u16>(objects - 1), 4);
      return;
    }
    store<u32>(slot, hash);
    store<u16>(slot, 1, 4);
    store<u16>(slot, <u16>now, 6);
    return;
  }
  // Repetition within one object does not make a string frequent.
  if (load<u16>(slot, 6) == now) return;
  store<u16>(slot, <u16>(objects + 1), 4);
  store<u16>(slot, <u16>now, 6);
  if ((objects + 1) * (length - 1) >= WORTHWHILE_BYTES) defineString(text, length, hash);
}

function defineString(text: usize, length: u32, hash: u32): void {
  if (!canDefine()) return;
  const free = freeSlot(hash);
  if (free == 0) return;
  const copy = allocate(length + 16);
  if (copy == 0) return;
  memory.copy(copy, text, length);
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

function fill(slot: usize, hash: u32, text: usize, length: u32, number: u32): void {
  store<u32>(slot, hash);
  store<u32>(slot, <u32>text, 4);
  store<u32>(slot, length, 8);
  store<u32>(slot, number, 12);
}

/** What finds no slot in the larger table is not found again, and may be defined once more. */
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
