/**
 * Strings that are mostly those that came next in other objects. A guess is the definition that followed another one in the same field; if it is
 * right, nothing has to be hashed, nor looked through for what is not ASCII.
 */

import { o, setOutput } from '../cursor';
import { isSameText } from '../memory';
import { captureText, Path } from '../plan';
import { table } from '../table';
import { referenceBytesOf, writeReferenceAt } from '../tokens';
import { Field } from './schema';
import { writeString } from './values';

/** By field and definition before: address, length (16 bits), number plus one (16 bits). Those that share a place push each other out. */
const GUESSES: u32 = 4096;
export const GUESS_BYTES: usize = <usize>GUESSES << 3;

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

/** The keys of a map have the place behind it. */
@inline
export function placeOfField(field: Field): u32 {
  return <u32>changetype<usize>(field) >> 1;
}

/** `place` tells fields apart, and keys from values. */
export function writeLikelyString(place: u32, text: usize, length: u32, path: Path | null): void {
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
  writeUnlikelyString(slot, text, length, path);
}

function writeUnlikelyString(slot: usize, text: usize, length: u32, path: Path | null): void {
  const id = writeString(text, length, path);
  if (id < 0) return;
  before = id + 1;
  store<u32>(slot, load<u32>(table.definitionList + (id << 3)));
  store<u32>(slot, length | (before << 16), 4);
}
