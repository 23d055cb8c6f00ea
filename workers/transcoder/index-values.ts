/**
 * Values of the indexes by path: collected while a document is read, then written into the header of its cell. The same
 * values as workers/decode/index-values.ts computes from an object.
 */

import { ARRAY32, SIZE_BYTES, STR32, writeSize } from './cell';
import { abandon, RARE } from './cursor';
import { copyBytes, MAX_SPANS, SPANS } from './memory';
import { plan } from './plan';

/** Index number, address and length, in SPANS. */
const SPAN_BYTES: u32 = 12;

let count: u32 = 0;

export function resetIndexValues(): void {
  count = 0;
}

/** Adds a value to each of the indexes in this bit set. */
export function addIndexValue(indexes: u32, chars: usize, length: u32): void {
  let left = indexes;
  while (left != 0) {
    if (count == MAX_SPANS) abandon(RARE);
    const span = SPANS + count * SPAN_BYTES;
    store<u32>(span, ctz(left));
    store<u32>(span, <u32>chars, 4);
    store<u32>(span, length, 8);
    count++;
    left &= left - 1;
  }
}

/** The length of what `writeIndexValues` writes. */
export function indexValueBytes(): u32 {
  let bytes = (plan.indexCount + count) * <u32>SIZE_BYTES;
  for (let i: u32 = 0; i < count; i++) bytes += load<u32>(SPANS + i * SPAN_BYTES, 8);
  return bytes;
}

/** For each index a msgpack array of its values. Returns the address after them. */
export function writeIndexValues(start: usize): usize {
  let at = start;
  for (let index: u32 = 0; index < plan.indexCount; index++) {
    const array = at;
    let values: u32 = 0;
    at += SIZE_BYTES;
    for (let i: u32 = 0; i < count; i++) {
      const span = SPANS + i * SPAN_BYTES;
      if (load<u32>(span) != index) continue;
      const length = load<u32>(span, 8);
      at = writeSize(at, STR32, length);
      copyBytes(at, load<u32>(span, 4), length);
      at += length;
      values++;
    }
    writeSize(array, ARRAY32, values);
  }
  return at;
}
