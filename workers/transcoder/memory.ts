/**
 * The layout of the memory. Regions of a fixed size come first, so that no document can make the memory grow; then,
 * from `heap` on, tables and plans. The memory grows only between documents (`reserve`), when JavaScript holds no view
 * of it.
 *
 *     0         static data of the compiler
 *     WINDOW    a piece of a body, as received from the socket                    ┐ both padded by the 64 bytes
 *     DOCUMENT  a document that spanned several pieces; strings from JavaScript   ┘ that SIMD loads read beyond
 *     SCRATCH   unescaped strings
 *     OFFSETS   offsets of the values of the records that are being written
 *     SPANS     index values of the document: number of the index, address, length, element
 *     OUTPUT    the payload
 *     CELL      header and payload, in the layout of src/wire/cells.ts
 *     heap      chunks of tables, plans
 *
 * The output needs at most three bytes for one of input (`-0,` becomes a double), which determines the size of its
 * region.
 */

/** The largest piece that is read at once: a piece and an incomplete item of the splitter fit in. */
export const WINDOW_BYTES: usize = 384 * 1024;
/** Larger documents are left to the reference decoder. */
export const DOCUMENT_BYTES: usize = 1024 * 1024;
/** SIMD registers read and write beyond the end. */
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
export const OUTPUT: usize = SPANS + <usize>MAX_SPANS * 16;
export const OUTPUT_BYTES: usize = DOCUMENT_BYTES * 3 + 4096;
export const CELL: usize = OUTPUT + OUTPUT_BYTES + PADDING;
export const CELL_BYTES: usize = HEADER_BYTES + OUTPUT_BYTES;
const HEAP: usize = (CELL + CELL_BYTES + PADDING + 63) & ~63;

let heap: usize = HEAP;

/** Zeroed memory, which is never freed. Only between documents. */
export function reserve(bytes: usize): usize {
  const start = heap;
  heap = (heap + bytes + 63) & ~63;
  const missing = <i32>((heap + 0xffff) >> 16) - memory.size();
  // At least 16 pages at a time, since tables grow one after the other.
  if (missing > 0 && memory.grow(max(missing, 16)) < 0) unreachable();
  return start;
}

/** Copies whole registers: up to 15 bytes more are read and written. `to` must not overlap the bytes after `from`. */
@inline
export function copyBytes(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Up to 15 bytes more are read from both. */
@inline
export function isSameBytes(a: usize, b: usize, length: u32): bool {
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
 * Hashes both ends of a string and its middle, so that it takes the same time for all lengths: callers compare the
 * strings too. Up to 15 bytes more are read.
 */
@inline
export function hashOf(chars: usize, length: u32): u32 {
  let hash: u64 = <u64>length * 0x9e3779b97f4a7c15;
  if (length < 8) {
    hash = (hash ^ (load<u64>(chars) & (((<u64>1) << (length << 3)) - 1))) * 0x9fb21c651e98df25;
  } else {
    const end = chars + length;
    hash = (hash ^ load<u64>(chars)) * 0x9fb21c651e98df25;
    hash ^= load<u64>(end - 8) * 0xd6e8feb86659fd93;
    if (length > 16) {
      hash ^= rotl<u64>(load<u64>(chars + 8) * 0xa0761d6478bd642f, 17);
      hash ^= rotl<u64>(load<u64>(chars + (length >> 1)) * 0xe7037ed1a0b428db, 31);
    }
  }
  hash ^= hash >> 32;
  return <u32>(hash ^ (hash >> 15));
}
