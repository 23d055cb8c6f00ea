/**
 * Values of the indexes by path: collected while a document is read, then written into the header of its cell. The same
 * values as workers/decode/index-values.ts computes from an object.
 *
 * Values of some indexes count only if their element has a gate that is `true`, as the uid of an owner reference that
 * has `controller: true`. Elements are numbered; which gates are open is known when the document has been read.
 */

import { ARRAY32, SIZE_BYTES, STR32, writeSize } from './cell';
import { abandon, RARE } from './cursor';
import { copyBytes, MAX_SPANS, SPANS } from './memory';
import { plan } from './plan';

/** Index number, address, length and element, in SPANS. */
const SPAN_BYTES: u32 = 16;

/** More elements with an open gate are left to the reference decoder. An object has one controller. */
const MAX_OPEN: u32 = 16;
const openElements: usize = memory.data(64);

let count: u32 = 0;
let openCount: u32 = 0;
/** The number of the element that is being read, or was read last. */
let element: u32 = 0;

export function resetIndexValues(): void {
  count = 0;
  openCount = 0;
}

@inline
export function beginElement(): void {
  element++;
}

/** The gate of the current element is open. */
export function openElement(): void {
  if (openCount == MAX_OPEN) abandon(RARE);
  store<u32>(openElements + (openCount << 2), element);
  openCount++;
}

function isOpen(number: u32): bool {
  for (let i: u32 = 0; i < openCount; i++) if (load<u32>(openElements + (i << 2)) == number) return true;
  return false;
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
    store<u32>(span, element, 12);
    count++;
    left &= left - 1;
  }
}

/** Removes the values of elements whose gate is not open. */
function dropGated(): void {
  const before = count;
  count = 0;
  for (let i: u32 = 0; i < before; i++) {
    const span = SPANS + i * SPAN_BYTES;
    if (((plan.gatedIndexes >> load<u32>(span)) & 1) != 0 && !isOpen(load<u32>(span, 12))) continue;
    memory.copy(SPANS + count * SPAN_BYTES, span, SPAN_BYTES);
    count++;
  }
}

/** The length of what `writeIndexValues` writes, which must follow. */
export function indexValueBytes(): u32 {
  if (plan.gatedIndexes != 0) dropGated();
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
