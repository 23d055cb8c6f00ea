/** Writes values that are not objects in JSON, and captures them if the plan requires it. */

import { abandon, INVALID, o, p, peek, RARE, seal, setInput, setOutput, unseal } from '../cursor';
import { Key } from '../keys';
import { OUTPUT, OUTPUT_BYTES } from '../memory';
import { captureOther, captureValue, NOT_A_STRING, Path } from '../plan';
import { keepScratch, scratchString, utf8LengthAt } from '../json-strings';
import {
  writeAsciiString,
  writeByte,
  writeCountAt,
  writeFloat,
  writeHead32,
  writeInlineString,
  writeNegative,
  writePositive,
} from '../tokens';
import { setDocumentEnd } from '../read-ahead';
import { writeValue } from '../walk';
import { LENGTH, readLength, readTag, readVarint, skipUnknown, VARINT } from './wire';

const OUTPUT_END: usize = OUTPUT + OUTPUT_BYTES;

/** Space for a value that is not copied from the document. */
const SPARE_OUTPUT: usize = 64 * 1024;

/** JavaScript formats larger integers differently, or inexactly. */
const MAX_PLAIN_INTEGER: u64 = 999999999999999;

const TRUE_STRING: usize = memory.data<u8>([0x74, 0x72, 0x75, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const FALSE_STRING: usize = memory.data<u8>([0x66, 0x61, 0x6c, 0x73, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const ZERO_STRING: usize = memory.data<u8>([0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** `ABC…abc…012…+/` */
const BASE64: usize = memory.data<u8>([
  0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53,
  0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c,
  0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x30, 0x31, 0x32, 0x33, 0x34,
  0x35, 0x36, 0x37, 0x38, 0x39, 0x2b, 0x2f,
]);

/**
 * Few bytes can become many: numbers and names of fields are longer in the output. Too large ones are abandoned.
 */
@inline
export function needOutput(bytes: usize): void {
  if (o + bytes + SPARE_OUTPUT > OUTPUT_END) abandon(RARE);
}

/**
 * Writes a string. Invalid UTF-8 is left to the reference decoder, which replaces it as Go does. Returns the number of
 * the definition, or −1.
 */
export function writeString(chars: usize, length: u32, path: Path | null): i32 {
  if (!startString(chars, length, path)) return -1;
  return writeAsciiString(chars, length);
}

/** The same without looking up a definition. */
export function writeOwnString(chars: usize, length: u32, path: Path | null): void {
  if (startString(chars, length, path)) writeInlineString(chars, length);
}

/** False if the string was written: strings beyond ASCII have no definition. */
@inline
function startString(chars: usize, length: u32, path: Path | null): bool {
  needOutput(length);
  if (isAscii(chars, length)) {
    if (path !== null) captureValue(path, chars, length, true);
    return true;
  }
  writeUtf8(chars, length, path);
  return false;
}

function writeUtf8(chars: usize, length: u32, path: Path | null): void {
  if (!isUtf8(chars, length)) abandon(RARE);
  // Strings of headers are ASCII here; the reference decoder writes others.
  if (path !== null && (path.capture > 0 || path.indexes != 0)) abandon(RARE);
  writeHead32(0xdb, length);
  memory.copy(o, chars, length);
  setOutput(o + length);
}

@inline
function isAscii(chars: usize, length: u32): bool {
  let at = chars;
  let left = <i32>length;
  while (left >= 16) {
    if (i8x16.bitmask(v128.load(at)) != 0) return false;
    at += 16;
    left -= 16;
  }
  return (i8x16.bitmask(v128.load(at)) & ((1 << left) - 1)) == 0;
}

function isUtf8(chars: usize, length: u32): bool {
  let at = chars;
  const end = chars + length;
  while (at < end) {
    if (load<u8>(at) < 0x80) at++;
    else {
      const bytes = utf8LengthAt(at);
      if (bytes == 0) return false;
      at += bytes;
    }
  }
  return at == end;
}

export function writeBoolean(value: bool, path: Path | null): void {
  writeByte(value ? 0xc3 : 0xc2);
  if (path !== null) captureValue(path, value ? TRUE_STRING : FALSE_STRING, value ? 4 : 5, false);
}

export function writeNull(path: Path | null): void {
  writeByte(0xc0);
  if (path !== null) captureOther(path, NOT_A_STRING);
}

export function writeInteger(value: i64, path: Path | null): void {
  if (value < 0) writeNegative(<u64>-value);
  else writePositive(<u64>value);
  if (path === null) return;
  const size: u64 = value < 0 ? <u64>-value : <u64>value;
  if (size > MAX_PLAIN_INTEGER) abandon(RARE);
  const chars = scratchString();
  let end = chars;
  if (value < 0) store<u8>(end++, 0x2d);
  end = writeDigits(end, size, 1);
  capture(path, chars, end, false);
}

export function writeDouble(value: f64, path: Path | null): void {
  // JSON has no NaN and no infinities: Go fails.
  if (value - value != 0) abandon(INVALID);
  writeFloat(value);
  if (path !== null && (path.indexes != 0 || path.capture > 0)) abandon(RARE);
}

/** Writes bytes in base64. */
export function writeBytes(from: usize, length: u32, path: Path | null): void {
  if (path !== null && (path.indexes != 0 || path.capture > 0)) abandon(RARE);
  const written = ((length + 2) / 3) << 2;
  needOutput(written);
  if (written < 32) writeByte(0xa0 | written);
  else if (written < 0x100) {
    store<u16>(o, <u16>(0xd9 | (written << 8)));
    setOutput(o + 2);
  } else if (written < 0x10000) {
    store<u8>(o, 0xda);
    store<u16>(o + 1, bswap<u16>(<u16>written));
    setOutput(o + 3);
  } else writeHead32(0xdb, written);
  let at = from;
  let to = o;
  const end = from + length;
  while (end - at >= 3) {
    writeQuad(to, (<u32>load<u8>(at) << 16) | (<u32>load<u8>(at + 1) << 8) | load<u8>(at + 2));
    at += 3;
    to += 4;
  }
  if (at < end) {
    const hasTwo = end - at == 2;
    writeQuad(to, (<u32>load<u8>(at) << 16) | (hasTwo ? <u32>load<u8>(at + 1) << 8 : 0));
    if (!hasTwo) store<u8>(to + 2, 0x3d);
    store<u8>(to + 3, 0x3d);
    to += 4;
  }
  setOutput(to);
}

@inline
function writeQuad(to: usize, bits: u32): void {
  store<u8>(to, load<u8>(BASE64 + (bits >> 18)));
  store<u8>(to + 1, load<u8>(BASE64 + ((bits >> 12) & 63)));
  store<u8>(to + 2, load<u8>(BASE64 + ((bits >> 6) & 63)));
  store<u8>(to + 3, load<u8>(BASE64 + (bits & 63)));
}

/** Writes at least `minDigits` digits. Returns the address after them. */
export function writeDigits(to: usize, value: u64, minDigits: i32): usize {
  let digits: i32 = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) digits++;
  if (digits < minDigits) digits = minDigits;
  let rest = value;
  for (let i = digits - 1; i >= 0; i--) {
    store<u8>(to + i, <u8>(0x30 + (rest % 10)));
    rest /= 10;
  }
  return to + digits;
}

export function finishFormattedString(chars: usize, end: usize, path: Path | null): void {
  writeAsciiString(chars, <u32>(end - chars));
  if (path !== null) capture(path, chars, end, true);
}

export function capture(path: Path, chars: usize, end: usize, isString: bool): void {
  // A place that only leads to others captures nothing.
  if (path.capture == 0 && path.indexes == 0) return;
  const length = <u32>(end - chars);
  keepScratch(length);
  captureValue(path, chars, length, isString);
}

/** A message with one string, from `p` to `end`, in canonical form; zero may be omitted. */
export function writeQuantity(end: usize, path: Path | null): void {
  let chars = ZERO_STRING;
  let length: u32 = 1;
  while (p < end) {
    const tag = readTag(end);
    if (tag == 10) {
      length = readLength(end);
      chars = p;
      setInput(p + length);
    } else if (tag >> 3 == 1) abandon(INVALID);
    else skipUnknown(tag, end);
  }
  // An empty quantity is invalid.
  if (length == 0) abandon(INVALID);
  writeString(chars, length, path);
}

export function writeIntOrString(end: usize, path: Path | null): void {
  let type: i32 = 0;
  let integer: i32 = 0;
  let chars: usize = p;
  let length: u32 = 0;
  while (p < end) {
    const tag = readTag(end);
    if (tag == 8) type = <i32>readVarint(end);
    else if (tag == 16) integer = <i32>readVarint(end);
    else if (tag == 26) {
      length = readLength(end);
      chars = p;
      setInput(p + length);
    } else if (tag >> 3 <= 3) abandon(INVALID);
    else skipUnknown(tag, end);
  }
  if (type == 0) writeInteger(integer, path);
  else if (type == 1) writeString(chars, length, path);
  else abandon(INVALID);
}

/** A message with one field that contains JSON, from `p` to `end`. */
export function writeRawJson(key: Key, end: usize, path: Path | null, depth: u32): void {
  if (p == end) {
    writeNull(path);
    return;
  }
  const tag = readTag(end);
  if (tag != 10) abandon(RARE);
  const length = readLength(end);
  const after = p + length;
  if (after != end) abandon(RARE);
  if (length == 0) {
    writeNull(path);
    return;
  }
  needOutput(length * 3);
  seal(after);
  setDocumentEnd(after);
  writeValue(key, path, depth);
  if (peek() != 0 || p != after) abandon(INVALID);
  unseal();
}

/** A message of strings, which is a list in JSON. */
export function writeNamedList(end: usize, path: Path | null): void {
  const start = o;
  setOutput(o + 1);
  let count: u32 = 0;
  while (p < end) {
    const tag = readTag(end);
    if (tag == 10) {
      const length = readLength(end);
      const chars = p;
      setInput(p + length);
      writeString(chars, length, path);
      count++;
    } else if (tag >> 3 == 1) abandon(INVALID);
    else skipUnknown(tag, end);
  }
  writeCountAt(start, count, 0x90, 0xdc);
}

/** Whether a list of this wire type is packed, which Go accepts too. */
@inline
export function isPacked(tag: u32, wireType: u32): bool {
  return (tag & 7) == LENGTH && wireType == VARINT;
}
