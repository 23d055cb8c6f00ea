/**
 * Guesses the next string by the strings of other objects. A guess is the definition that followed another one in the
 * same field; if it is right, the string need not be hashed, nor checked for non-ASCII characters.
 */

import { o, setOutput } from '../cursor';
import { isSameBytes } from '../memory';
import { captureValue, Path } from '../plan';
import { table } from '../table';
import { referenceBytesOf, writeInlineString, writeReferenceAt, writeAsciiString } from '../tokens';
import { Field } from './schema';
import { writeOwnString, writeString } from './values';

/**
 * By field and previous definition: address, length (16 bits), number plus one (16 bits). Guesses in one slot replace
 * each other.
 */
const GUESSES: u32 = 4096;
export const GUESS_BYTES: usize = <usize>GUESSES << 3;

/** After this many consecutive strings of a field without a definition, none is looked up any more. */
const MAX_MISSES: u32 = 32;

let guesses: usize = 0;
/** The definition that was written last, plus one. */
let previous: u32 = 0;

@inline
export function useGuesses(address: usize): void {
  guesses = address;
  previous = 0;
}

/** When the table changes. */
export function clearGuesses(address: usize): void {
  memory.fill(address, 0, GUESS_BYTES);
}

/** Writes a string of this field, or a key of this map. */
export function writeLikelyString(field: Field, isKey: bool, chars: usize, length: u32, path: Path | null): void {
  const place = (<u32>changetype<usize>(field) >> 1) + (isKey ? 1 : 0);
  const slot = guesses + (((previous * 37 + place) & (GUESSES - 1)) << 3);
  const guess = load<u32>(slot, 4);
  // An unused slot has the length 0, which no definition has.
  if ((guess & 0xffff) == length && length > 0 && isSameBytes(load<u32>(slot), chars, length)) {
    previous = guess >> 16;
    writeReferenceAt(o, previous - 1);
    setOutput(o + referenceBytesOf(previous - 1));
    if (path !== null) captureValue(path, chars, length, true);
    return;
  }
  writeUnlikelyString(slot, field, chars, length, path);
}

function writeUnlikelyString(slot: usize, field: Field, chars: usize, length: u32, path: Path | null): void {
  if (isRarelyDefined(field)) {
    writeOwnString(chars, length, path);
    return;
  }
  const id = writeString(chars, length, path);
  if (id < 0) {
    field.misses++;
    return;
  }
  field.misses = 0;
  previous = id + 1;
  store<u32>(slot, load<u32>(table.definitionList + (id << 3)));
  store<u32>(slot, length | (previous << 16), 4);
}

/** Writes a string that was formatted for this field: ASCII, and rarely guessed. */
export function writeFormattedString(field: Field, chars: usize, length: u32): void {
  if (isRarelyDefined(field)) writeInlineString(chars, length);
  else if (writeAsciiString(chars, length) < 0) field.misses++;
  else field.misses = 0;
}

/**
 * Whether looking up definitions does not pay, as for names and addresses. Objects from which strings are learned try
 * again, so that a field whose strings become defined is noticed.
 */
@inline
function isRarelyDefined(field: Field): bool {
  return field.misses >= MAX_MISSES && !table.isLearning;
}
