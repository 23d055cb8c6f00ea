/**
 * Strings that are mostly those that came next in other objects. A guess is the definition that followed another one in the same field; if it is
 * right, nothing has to be hashed, nor looked through for what is not ASCII.
 */

import { o, setOutput } from '../cursor';
import { isSameText } from '../memory';
import { captureText, Path } from '../plan';
import { table } from '../table';
import { referenceBytesOf, writePlainText, writeReferenceAt, writeText } from '../tokens';
import { Field } from './schema';
import { writeOwnString, writeString } from './values';

/** By field and definition before: address, length (16 bits), number plus one (16 bits). Those that share a place push each other out. */
const GUESSES: u32 = 4096;
export const GUESS_BYTES: usize = <usize>GUESSES << 3;

/** After so many strings of a field that had no definition, one after the other, no more are looked for. */
const MANY_MISSES: u32 = 32;

let guesses: usize = 0;
/** The definition that was written last, plus one. */
let before: u32 = 0;

@inline
export function setGuesses(address: usize): void {
  guesses = address;
  before = 0;
}

/** Those of another table are of no use. */
export function clearGuesses(address: usize): void {
  memory.fill(address, 0, GUESS_BYTES);
}

/** A string of this field, or a key of this map. */
export function writeLikelyString(field: Field, isKey: bool, text: usize, length: u32, path: Path | null): void {
  const place = (<u32>changetype<usize>(field) >> 1) + (isKey ? 1 : 0);
  const slot = guesses + (((before * 37 + place) & (GUESSES - 1)) << 3);
  const guess = load<u32>(slot, 4);
  // None has no length, which no definition has either.
  if ((guess & 0xffff) == length && length > 0 && isSameText(load<u32>(slot), text, length)) {
    before = guess >> 16;
    writeReferenceAt(o, before - 1);
    setOutput(o + referenceBytesOf(before - 1));
    if (path !== null) captureText(path, text, length, true);
    return;
  }
  writeUnlikelyString(slot, field, text, length, path);
}

function writeUnlikelyString(slot: usize, field: Field, text: usize, length: u32, path: Path | null): void {
  if (isOfNoUse(field)) {
    writeOwnString(text, length, path);
    return;
  }
  const id = writeString(text, length, path);
  if (id < 0) {
    field.misses++;
    return;
  }
  field.misses = 0;
  before = id + 1;
  store<u32>(slot, load<u32>(table.definitionList + (id << 3)));
  store<u32>(slot, length | (before << 16), 4);
}

/** A text that was made for this field: ASCII, and seldom the one that comes next. */
export function writeMadeText(field: Field, text: usize, length: u32): void {
  if (isOfNoUse(field)) writePlainText(text, length);
  else if (writeText(text, length) < 0) field.misses++;
  else field.misses = 0;
}

/**
 * Whether looking for a definition is a waste of time: names, addresses and the like. Objects from which strings are learned try again, so that a
 * field whose strings come to be defined is found out.
 */
@inline
function isOfNoUse(field: Field): bool {
  return field.misses >= MANY_MISSES && !table.isLearning;
}
