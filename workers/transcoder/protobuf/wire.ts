/**
 * Protobuf's wire format: tags, varints, lengths, and skipping fields. A few bytes beyond a message may be read, but
 * not used.
 */

import { abandon, INVALID, p, RARE, setInput } from '../cursor';
import { plan } from '../plan';

export const VARINT: u32 = 0;
export const FIXED64: u32 = 1;
export const LENGTH: u32 = 2;
const START_GROUP: u32 = 3;
const FIXED32: u32 = 5;

/** Number of unknown fields that were skipped so far, without those of abandoned documents. */
export let unknownFields: u32 = 0;

/** Of the document that is being read. */
let unknownInDocument: u32 = 0;

export function beginUnknownFields(): void {
  unknownInDocument = 0;
}

/** The document was not abandoned. */
export function countUnknownFields(): void {
  unknownFields += unknownInDocument;
}

/** The varint at `p`, of a message that ends at `end`. Bits beyond 64 are lost, as Go loses them. */
@inline
export function readVarint(end: usize): u64 {
  const byte: u64 = load<u8>(p);
  if (byte >= 0x80) return readLongVarint(end);
  if (p >= end) abandon(INVALID);
  setInput(p + 1);
  return byte;
}

function readLongVarint(end: usize): u64 {
  const word = load<u64>(p);
  const stops = ~word & 0x8080808080808080;
  if (stops == 0) return readLongestVarint(end);
  const after = p + (<usize>ctz(stops) >> 3) + 1;
  if (after > end) abandon(INVALID);
  setInput(after);
  // Seven bits of each byte up to the stop, joined in pairs, fours and eights.
  let value = word & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7f;
  value = ((value & 0x7f007f007f007f00) >> 1) | (value & 0x007f007f007f007f);
  value = ((value & 0x3fff00003fff0000) >> 2) | (value & 0x00003fff00003fff);
  return ((value & 0x0fffffff00000000) >> 4) | (value & 0x000000000fffffff);
}

/** More than eight bytes, as for all negative numbers. */
function readLongestVarint(end: usize): u64 {
  let value: u64 = 0;
  let q = p;
  for (let shift: u64 = 0; shift < 70; shift += 7) {
    if (q >= end) break;
    const byte: u64 = load<u8>(q++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      setInput(q);
      return value;
    }
  }
  abandon(INVALID);
  return 0;
}

/** The length at `p`; that many bytes follow before `end`. */
@inline
export function readLength(end: usize): u32 {
  const length = readVarint(end);
  if (length > <u64>(end - p)) abandon(INVALID);
  return <u32>length;
}

/** The tag at `p`: field number and wire type. */
@inline
export function readTag(end: usize): u32 {
  const tag = readVarint(end);
  // Go truncates the number to 32 bits; no server writes such numbers.
  if (tag < 8 || tag > 0xffffffff) abandon(INVALID);
  return <u32>tag;
}

/** Skips the value of a field with this tag. */
export function skipValue(tag: u32, end: usize): void {
  switch (tag & 7) {
    case VARINT:
      readVarint(end);
      return;
    case FIXED64:
      skipBytes(8, end);
      return;
    case LENGTH: {
      const length = readLength(end);
      setInput(p + length);
      return;
    }
    case FIXED32:
      skipBytes(4, end);
      return;
    case START_GROUP:
      // Groups are obsolete.
      abandon(RARE);
      return;
    default:
      abandon(INVALID);
  }
}

export function skipUnknown(tag: u32, end: usize): void {
  if (plan.isUnknownAbandoned) abandon(RARE);
  skipValue(tag, end);
  unknownInDocument++;
}

function skipBytes(bytes: usize, end: usize): void {
  if (end - p < bytes) abandon(INVALID);
  setInput(p + bytes);
}

/** Reads the next tag if it is this one. */
@inline
export function takeSameTag(tag: u32, end: usize): bool {
  if (p >= end) return false;
  const before = p;
  if (readTag(end) == tag) return true;
  setInput(before);
  return false;
}
