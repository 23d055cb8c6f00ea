/** Writes the tokens of a payload, in the format of src/wire/object-packer.ts. */

import { abandon, INVALID, o, p, setInput, setOutput } from './cursor';
import { copyBytes } from './memory';
import { stringId } from './string-table';
import { escapedLength, escapedString, hasLoneSurrogate, isEscapedAscii } from './json-strings';

// @ts-expect-error: a decorator of AssemblyScript
@external('host', 'parseNumber')
declare function parseNumber(chars: usize, length: u32): f64;

@inline
export function writeByte(byte: u32): void {
  store<u8>(o, <u8>byte);
  setOutput(o + 1);
}

/** One byte for the first 32 definitions, else two. */
@inline
export function referenceBytesOf(id: u32): u32 {
  return id < 32 ? 1 : 2;
}

export function writeReferenceAt(at: usize, id: u32): void {
  if (id < 32) {
    store<u8>(at, <u8>(0x40 | id));
  } else {
    store<u8>(at, <u8>(0x60 | ((id - 32) & 0x1f)));
    store<u8>(at + 1, <u8>((id - 32) >> 5));
  }
}

/** Writes an ASCII string, by reference or inline. Returns the number of the definition, or −1. */
export function writeAsciiString(chars: usize, length: u32): i32 {
  const id = stringId(chars, length);
  if (id >= 0) {
    writeReferenceAt(o, id);
    setOutput(o + referenceBytesOf(id));
  } else writeInlineString(chars, length);
  return id;
}

export function writeInlineString(chars: usize, length: u32): void {
  let at = o;
  if (length < 32) {
    store<u8>(at, <u8>(0xa0 | length));
    at += 1;
  } else if (length < 0x100) {
    store<u16>(at, <u16>(0xd9 | (length << 8)));
    at += 2;
  } else if (length < 0x10000) {
    store<u8>(at, 0xda);
    store<u16>(at + 1, bswap<u16>(<u16>length));
    at += 3;
  } else {
    writeHead32(0xdb, length);
    at = o;
  }
  copyBytes(at, chars, length);
  setOutput(at + length);
}

/** Writes the result of `readEscaped`. */
export function writeEscaped(): void {
  if (isEscapedAscii) writeAsciiString(escapedString, escapedLength);
  else if (hasLoneSurrogate) writeUtf16();
  else {
    writeHead32(0xdb, escapedLength);
    copyBytes(o, escapedString, escapedLength);
    setOutput(o + escapedLength);
  }
}

function writeUtf16(): void {
  const head = o;
  let to = head + 5;
  let from = escapedString;
  const end = from + escapedLength;
  while (from < end) {
    const first: u32 = load<u8>(from);
    let code = first;
    if (first < 0x80) from += 1;
    else if (first < 0xe0) {
      code = ((first & 0x1f) << 6) | (load<u8>(from + 1) & 0x3f);
      from += 2;
    } else if (first < 0xf0) {
      code = ((first & 0x0f) << 12) | ((<u32>load<u8>(from + 1) & 0x3f) << 6) | (load<u8>(from + 2) & 0x3f);
      from += 3;
    } else {
      code =
        ((first & 0x07) << 18) |
        ((<u32>load<u8>(from + 1) & 0x3f) << 12) |
        ((<u32>load<u8>(from + 2) & 0x3f) << 6) |
        (load<u8>(from + 3) & 0x3f);
      from += 4;
    }
    if (code >= 0x10000) {
      store<u16>(to, <u16>(0xd800 | ((code - 0x10000) >> 10)));
      to += 2;
      code = 0xdc00 | ((code - 0x10000) & 0x3ff);
    }
    store<u16>(to, <u16>code);
    to += 2;
  }
  writeHead32(0xc1, <u32>(to - head - 5) >> 1);
  setOutput(to);
}

export function writeHead32(token: u32, number: u32): void {
  store<u8>(o, <u8>token);
  store<u32>(o + 1, bswap<u32>(number));
  setOutput(o + 5);
}

/**
 * The head of an array (0x90, 0xdc) or a map (0x80, 0xde), for which one byte was left at `start`. What was written
 * behind is moved if it takes more, which is so from 16 elements on.
 */
export function writeCountAt(start: usize, count: u32, short: u32, long: u32): void {
  if (count < 16) {
    store<u8>(start, <u8>(short | count));
    return;
  }
  const more: usize = count < 0x10000 ? 2 : 4;
  memory.copy(start + 1 + more, start + 1, o - start - 1);
  if (more == 2) {
    store<u8>(start, <u8>long);
    store<u16>(start + 1, bswap<u16>(<u16>count));
  } else {
    store<u8>(start, <u8>(long + 1));
    store<u32>(start + 1, bswap<u32>(count));
  }
  setOutput(o + more);
}

/** Reads and writes the number that begins at `p`. True if its text is what JavaScript makes of it: a plain integer. */
export function writeNumber(): bool {
  const start = p;
  let q = start;
  const isNegative = load<u8>(q) == 0x2d;
  if (isNegative) q++;
  const digits = q;
  let value: u64 = 0;
  let digit: u32 = <u32>load<u8>(q) - 0x30;
  while (digit < 10) {
    value = value * 10 + digit;
    digit = <u32>load<u8>(++q) - 0x30;
  }
  const count = <u32>(q - digits);
  if (count == 0 || (count > 1 && load<u8>(digits) == 0x30)) abandon(INVALID);
  const next: u32 = load<u8>(q);
  // Nineteen digits always fit into 64 bits.
  if (next == 0x2e || (next | 0x20) == 0x65 || count > 19) {
    q = endOfNumber(q);
    writeFloat(parseNumber(start, <u32>(q - start)));
    setInput(q);
    return false;
  }
  setInput(q);
  if (isNegative) writeNegative(value);
  else writePositive(value);
  return count < 16 && !(isNegative && value == 0);
}

/** Checks the number at `p`, and moves `p` after it. */
export function skipNumber(): void {
  let q = p;
  if (load<u8>(q) == 0x2d) q++;
  const digits = q;
  q = endOfDigits(q);
  if (q - digits > 1 && load<u8>(digits) == 0x30) abandon(INVALID);
  setInput(endOfNumber(q));
}

/** From the end of the integer digits on: fraction and exponent. */
function endOfNumber(from: usize): usize {
  let q = from;
  if (load<u8>(q) == 0x2e) q = endOfDigits(q + 1);
  if ((<u32>load<u8>(q) | 0x20) == 0x65) {
    q++;
    const sign: u32 = load<u8>(q);
    if (sign == 0x2b || sign == 0x2d) q++;
    q = endOfDigits(q);
  }
  return q;
}

/** At least one digit is required. */
function endOfDigits(from: usize): usize {
  let q = from;
  while (<u32>load<u8>(q) - 0x30 < 10) q++;
  if (q == from) abandon(INVALID);
  return q;
}

export function writePositive(value: u64): void {
  const at = o;
  if (value < 0x40) {
    writeByte(<u32>value);
  } else if (value < 0x100) {
    store<u16>(at, <u16>(0xcc | (value << 8)));
    setOutput(at + 2);
  } else if (value < 0x10000) {
    store<u8>(at, 0xcd);
    store<u16>(at + 1, bswap<u16>(<u16>value));
    setOutput(at + 3);
  } else if (value < 0x100000000) {
    store<u8>(at, 0xce);
    store<u32>(at + 1, bswap<u32>(<u32>value));
    setOutput(at + 5);
  } else writeDouble(<f64>value);
}

export function writeNegative(value: u64): void {
  const at = o;
  if (value == 0 || value > 0x80000000) {
    writeDouble(-(<f64>value));
  } else if (value <= 0x80) {
    store<u16>(at, <u16>(0xd0 | ((0x100 - <u32>value) << 8)));
    setOutput(at + 2);
  } else if (value <= 0x8000) {
    store<u8>(at, 0xd1);
    store<u16>(at + 1, bswap<u16>(<u16>(0x10000 - <u32>value)));
    setOutput(at + 3);
  } else {
    store<u8>(at, 0xd2);
    store<u32>(at + 1, bswap<u32>(0 - <u32>value));
    setOutput(at + 5);
  }
}

/** A number with a fraction or an exponent may still be an integer. */
export function writeFloat(value: f64): void {
  if (value != Math.trunc(value) || abs(value) > 4294967295) writeDouble(value);
  else if (value > 0) writePositive(<u64>value);
  else if (value < 0) writeNegative(<u64>-value);
  else if (reinterpret<u64>(value) != 0) writeDouble(value);
  else writeByte(0);
}

function writeDouble(value: f64): void {
  store<u8>(o, 0xcb);
  store<u64>(o + 1, bswap<u64>(reinterpret<u64>(value)));
  setOutput(o + 9);
}
