/** JSON strings: where they end, their value without escapes, and whether they are valid. */

import { abandon, INVALID, p, setInput } from './cursor';
import { SCRATCH } from './memory';

/** The first byte from `from` on that is a quote, a backslash, a control character, or not ASCII. */
@inline
export function endOfPlainString(from: usize): usize {
  let q = from;
  while (true) {
    const chars = v128.load(q);
    // The comparison is signed: bytes from 0x80 on are negative.
    const stops = i8x16.bitmask(
      v128.or(
        i8x16.lt_s(chars, i8x16.splat(0x20)),
        v128.or(i8x16.eq(chars, i8x16.splat(0x22)), i8x16.eq(chars, i8x16.splat(0x5c))),
      ),
    );
    if (stops != 0) return q + ctz(stops);
    q += 16;
  }
}

/** Where the next unescaped string is written. Reset to SCRATCH before each document. */
let scratch: usize = SCRATCH;

/** The result of `readEscaped`: the string in UTF-8, with three bytes for each lone surrogate. */
export let escapedString: usize = 0;
export let escapedLength: u32 = 0;
export let isEscapedAscii: bool = true;
export let hasLoneSurrogate: bool = false;

export function resetScratch(): void {
  scratch = SCRATCH;
}

/** Where a short string may be written. It is overwritten by the next one, unless it is kept. */
@inline
export function scratchString(): usize {
  return scratch;
}

@inline
export function keepScratch(length: u32): void {
  scratch += length;
}

/**
 * Reads the string that begins at `from`, and moves `p` after its closing quote. It is overwritten by the next one,
 * unless it is kept.
 */
export function readEscaped(from: usize, isKept: bool): void {
  let q = from;
  let s = scratch;
  isEscapedAscii = true;
  hasLoneSurrogate = false;
  while (true) {
    const end = endOfPlainString(q);
    for (let i: usize = 0; i < end - q; i += 16) v128.store(s + i, v128.load(q + i));
    s += end - q;
    q = end;
    const byte: u32 = load<u8>(q);
    if (byte == 0x22) break;
    if (byte == 0x5c) {
      const next: u32 = load<u8>(q + 1);
      if (next != 0x75) {
        store<u8>(s++, <u8>escapeOf(next));
        q += 2;
        continue;
      }
      let unit = hexOf(q + 2);
      q += 6;
      if ((unit & 0xfc00) == 0xd800 && load<u16>(q) == 0x755c) {
        const low = hexOf(q + 2);
        if ((low & 0xfc00) == 0xdc00) {
          unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
          q += 6;
        }
      }
      if ((unit & 0xfffff800) == 0xd800) hasLoneSurrogate = true;
      if (unit >= 0x80) isEscapedAscii = false;
      s = writeUtf8(s, unit);
    } else {
      const length = utf8LengthAt(q);
      if (length == 0) abandon(INVALID);
      isEscapedAscii = false;
      store<u32>(s, load<u32>(q));
      s += length;
      q += length;
    }
  }
  escapedString = scratch;
  escapedLength = <u32>(s - scratch);
  if (isKept) scratch = s;
  setInput(q + 1);
}

/** Checks the string that begins at `p`, and moves `p` after its closing quote. */
export function skipString(): void {
  let q = p;
  while (true) {
    q = endOfPlainString(q);
    const byte: u32 = load<u8>(q);
    if (byte == 0x22) break;
    if (byte == 0x5c) {
      const next: u32 = load<u8>(q + 1);
      if (next == 0x75) hexOf(q + 2);
      else escapeOf(next);
      q += next == 0x75 ? 6 : 2;
    } else {
      const length = utf8LengthAt(q);
      if (length == 0) abandon(INVALID);
      q += length;
    }
  }
  setInput(q + 1);
}

/**
 * The length of the character in bytes, or 0 if it is a control character or invalid UTF-8: overlong, a surrogate, or
 * beyond U+10FFFF.
 */
export function utf8LengthAt(q: usize): usize {
  const first: u32 = load<u8>(q);
  const second: u32 = load<u8>(q + 1);
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return isTail(second) ? 2 : 0;
  const third: u32 = load<u8>(q + 2);
  if (first < 0xf0) {
    if (first == 0xe0 && second < 0xa0) return 0;
    if (first == 0xed && second > 0x9f) return 0;
    return isTail(second) && isTail(third) ? 3 : 0;
  }
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return isTail(second) && isTail(third) && isTail(load<u8>(q + 3)) ? 4 : 0;
}

@inline
function isTail(byte: u32): bool {
  return (byte & 0xc0) == 0x80;
}

function escapeOf(letter: u32): u32 {
  switch (letter) {
    case 0x22:
    case 0x2f:
    case 0x5c:
      return letter;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      abandon(INVALID);
      return 0;
  }
}

function hexOf(q: usize): u32 {
  let value: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const byte: u32 = load<u8>(q + i);
    const letter = (byte | 0x20) - 0x61;
    if (byte - 0x30 < 10) value = (value << 4) | (byte - 0x30);
    else if (letter < 6) value = (value << 4) | (letter + 10);
    else abandon(INVALID);
  }
  return value;
}

function writeUtf8(s: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(s, <u8>code);
    return s + 1;
  }
  if (code < 0x800) {
    store<u8>(s, <u8>(0xc0 | (code >> 6)));
    store<u8>(s + 1, <u8>(0x80 | (code & 0x3f)));
    return s + 2;
  }
  if (code < 0x10000) {
    store<u8>(s, <u8>(0xe0 | (code >> 12)));
    store<u8>(s + 1, <u8>(0x80 | ((code >> 6) & 0x3f)));
    store<u8>(s + 2, <u8>(0x80 | (code & 0x3f)));
    return s + 3;
  }
  store<u8>(s, <u8>(0xf0 | (code >> 18)));
  store<u8>(s + 1, <u8>(0x80 | ((code >> 12) & 0x3f)));
  store<u8>(s + 2, <u8>(0x80 | ((code >> 6) & 0x3f)));
  store<u8>(s + 3, <u8>(0x80 | (code & 0x3f)));
  return s + 4;
}
