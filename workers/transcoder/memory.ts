/**
 * Where everything is. Regions of a fixed size first, so that no document can make the memory grow; then, from `heap` on, what belongs to
 * tables and plans. The memory grows only between documents (`reserve`), when JavaScript holds no view of it.
 *
 *     0         static data of the compiler
 *     WINDOW    a piece of a body, as it came from the socket                     ┐ both with room for the
 *     DOCUMENT  a document that lay in several pieces; texts from JavaScript      ┘ 64 bytes that SIMD loads read beyond
 *     SCRATCH   strings with escapes, as they are without
 *     OFFSETS   of the values of the records that are being written
 *     SPANS     index values of the document: number of the index, address, length
 *     OUTPUT    the payload
 *     CELL      header and payload, as src/wire/cells.ts draws them
 *     heap      chunks of tables, plans
 *
 * The output takes at most three bytes for one of input (`-0,` becomes a double), which is how large its region is.
 */

/** The largest piece that is read at once, and the largest item that is waited for. */
export const WINDOW_BYTES: usize = 384 * 1024;
/** Larger documents are left to the reference decoder. */
export const DOCUMENT_BYTES: usize = 1024 * 1024;
/** Read or written beyond the end by whole SIMD registers. */
const PADDING: usize = 64;
const OFFSET_BYTES: usize = 1024 * 64 * 4;
/** More index values than this are left to the reference decoder. */
export const MAX_SPANS: u32 = 4096;
export const HEADER_BYTES: usize = 256 * 1024;

export const WINDOW: usize = (__heap_base + 63) & ~63;
export const DOCUMENT: usize = WINDOW + WINDOW_BYTES + PADDING;
export const SCRATCH: usize = DOCUMENT + DOCUMENT_BYTES + PADDING;
export const OFFSETS: usize = SCRATCH + DOCUMENT_BYTES + PADDING;
export const SPANS: usize = OFFSETS + OFFSET_BYTES;
export const OUTPUT: usize = SPANS + <usize>MAX_SPANS * 12;
export const OUTPUT_BYTES: usize = DOCUMENT_BYTES * 3 + 4096;
export const CELL: usize = OUTPUT + OUTPUT_BYTES + PADDING;
export const CELL_BYTES: usize = HEADER_BYTES + OUTPUT_BYTES;
const HEAP: usize = (CELL + CELL_BYTES + PADDING + 63) & ~63;

let heap: usize = HEAP;

/** Zeroed memory for good. Only between documents. */
export function reserve(bytes: usize): usize {
  const start = heap;
  heap = (heap + bytes + 63) & ~63;
  const missing = <i32>((heap + 0xffff) >> 16) - memory.size();
  // Many tables grow one after the other: not a page at a time.
  if (missing > 0 && memory.grow(max(missing, 16)) < 0) unreachable();
  return start;
}

/** Whole registers: both places must have room for 15 bytes more. Never backwards into itself. */
@inline
export function copyText(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Both places must have 15 readable bytes more. */
@inline
export function isSameText(a: usize, b: usize, length: u32): bool {
  let left = length;
  while (left >= 16) {
    if (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) != 0xffff) return false;
    a += 16;
    b += 16;
    left -= 16;
  }
  const mask = (1 << left) - 1;
  return (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) & mask) == mask;
}

/**
 * Of both ends of a text and of its middle, so that it takes the same time for all lengths: whoever uses it compares the texts. 15 readable bytes
 * beyond the end are needed.
 */
@inline
export function hashOf(text: usize, length: u32): u32 {
  let hash: u64 = <u64>length * 0x9e3779b97f4a7c15;
  if (length < 8) {
    hash = (hash ^ (load<u64>(text) & (((<u64>1) << (length << 3)) - 1))) * 0x9fb21c651e98df25;
  } else {
    const end = text + length;
    hash = (hash ^ load<u64>(text)) * 0x9fb21c651e98df25;
    hash ^= load<u64>(end - 8) * 0xd6e8feb86659fd93;
    if (length > 16) {
      hash ^= rotl<u64>(load<u64>(text + 8) * 0xa0761d6478bd642f, 17);
      hash ^= rotl<u64>(load<u64>(text + (length >> 1)) * 0xe7037ed1a0b428db, 31);
    }
  }
  hash ^= hash >> 32;
  return <u32>(hash ^ (hash >> 15));
}
