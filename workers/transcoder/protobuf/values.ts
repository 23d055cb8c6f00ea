/** Values that are no messages in JSON, whatever they are in protobuf. Each is written and, where its place in the plan wants it, captured. */

import { abandon, INVALID, o, p, peek, RARE, seal, setInput, setOutput, unseal } from '../cursor';
import { Key } from '../keys';
import { OUTPUT, OUTPUT_BYTES } from '../memory';
import { captureOther, captureText, NO_TEXT, Path } from '../plan';
import { keepScratch, scratchText, utf8LengthAt } from '../text';
import { writeByte, writeCountAt, writeFloat, writeHead32, writeNegative, writePlainText, writePositive, writeText } from '../tokens';
import { setDocumentEnd } from '../read-ahead';
import { writeValue } from '../walk';
import { LENGTH, readLength, readTag, readVarint, skipUnknown, VARINT } from './wire';

const OUTPUT_END: usize = OUTPUT + OUTPUT_BYTES;

/** So much room there must be for a value that is not copied from the document. */
const SPARE_OUTPUT: usize = 64 * 1024;

/** JavaScript writes larger integers differently, or not exactly. */
const MAX_PLAIN_INTEGER: u64 = 999999999999999;

const TRUE_TEXT: usize = memory.data<u8>([0x74, 0x72, 0x75, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const FALSE_TEXT: usize = memory.data<u8>([0x66, 0x61, 0x6c, 0x73, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const ZERO_TEXT: usize = memory.data<u8>([0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

/** `ABC…abc…012…+/` */
const BASE64: usize = memory.data<u8>([
  0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52, 0x53,
  0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c,
  0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x30, 0x31, 0x32, 0x33, 0x34,
  0x35, 0x36, 0x37, 0x38, 0x39, 0x2b, 0x2f,
]);

/** Few bytes can become many: a message of none has all the fields that JSON always has. What gets too large is the reference decoder's. */
@inline
export function needOutput(bytes: usize): void {
  if (o + bytes + SPARE_OUTPUT > OUTPUT_END) abandon(RARE);
}

/**
 * UTF-8 that may be anything; what is none of it is the reference decoder's, which replaces it as Go does. The number of the definition that
 * stands for it, or −1.
 */
export function writeString(text: usize, length: u32, path: Path | null): i32 {
  if (!startString(text, length, path)) return -1;
  return writeText(text, length);
}

/** The same without a look for a definition. */
export function writeOwnString(text: usize, length: u32, path: Path | null): void {
  if (startString(text, length, path)) writePlainText(text, length);
}

/** False if it is done: what is not ASCII has no definition. */
@inline
function startString(text: usize, length: u32, path: Path | null): bool {
  needOutput(length);
  if (isAscii(text, length)) {
    if (path !== null) captureText(path, text, length, true);
    return true;
  }
  writeUtf8(text, length, path);
  return false;
}

function writeUtf8(text: usize, length: u32, path: Path | null): void {
  if (!isUtf8(text, length)) abandon(RARE);
  // Strings of headers are ASCII here; the reference decoder writes others.
  if (path !== null && (path.capture > 0 || path.indexes != 0)) abandon(RARE);
  writeHead32(0xdb, length);
  memory.copy(o, text, length);
  setOutput(o + length);
}

@inline
function isAscii(text: usize, length: u32): bool {
  let at = text;
  let left = <i32>length;
  while (left >= 16) {
    if (i8x16.bitmask(v128.load(at)) != 0) return false;
    at += 16;
    left -= 16;
  }
  return (i8x16.bitmask(v128.load(at)) & ((1 << left) - 1)) == 0;
}

function isUtf8(text: usize, length: u32): bool {
  let at = text;
  const end = text + length;
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
  if (path !== null) captureText(path, value ? TRUE_TEXT : FALSE_TEXT, value ? 4 : 5, false);
}

export function writeNull(path: Path | null): void {
  writeByte(0xc0);
  if (path !== null) captureOther(path, NO_TEXT);
}

export function writeInteger(value: i64, path: Path | null): void {
  if (value < 0) writeNegative(<u64>-value);
  else writePositive(<u64>value);
  if (path === null) return;
  const size: u64 = value < 0 ? <u64>-value : <u64>value;
  if (size > MAX_PLAIN_INTEGER) abandon(RARE);
  const text = scratchText();
  let end = text;
  if (value < 0) store<u8>(end++, 0x2d);
  end = writeDigits(end, size, 1);
  capture(path, text, end, false);
}

export function writeDouble(value: f64, path: Path | null): void {
  // NaN and the infinities are not in JSON: Go fails.
  if (value - value != 0) abandon(INVALID);
  writeFloat(value);
  if (path !== null && (path.indexes != 0 || path.capture > 0)) abandon(RARE);
}

/** In base64. */
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

/** At least so many digits. The place after them. */
export function writeDigits(to: usize, value: u64, least: i32): usize {
  let digits: i32 = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) digits++;
  if (digits < least) digits = least;
  let rest = value;
  for (let i = digits - 1; i >= 0; i--) {
    store<u8>(to + i, <u8>(0x30 + (rest % 10)));
    rest /= 10;
  }
  return to + digits;
}

export function finishText(text: usize, end: usize, path: Path | null): void {
  writeText(text, <u32>(end - text));
  if (path !== null) capture(path, text, end, true);
}

export function capture(path: Path, text: usize, end: usize, isString: bool): void {
  // A place on the way to another keeps nothing: no cap on index values counts its texts.
  if (path.capture == 0 && path.indexes == 0) return;
  const length = <u32>(end - text);
  keepScratch(length);
  captureText(path, text, length, isString);
}

/** A message of one string, from `p` to `end`. The server has written it in its shortest form; zero may be left out. */
export function writeQuantity(end: usize, path: Path | null): void {
  let text = ZERO_TEXT;
  let length: u32 = 1;
  while (p < end) {
    const tag = readTag(end);
    if (tag == 10) {
      length = readLength(end);
      text = p;
      setInput(p + length);
    } else if (tag >> 3 == 1) abandon(INVALID);
    else skipUnknown(tag, end);
  }
  // No quantity.
  if (length == 0) abandon(INVALID);
  writeString(text, length, path);
}

export function writeIntOrString(end: usize, path: Path | null): void {
  let type: i32 = 0;
  let integer: i32 = 0;
  let text: usize = p;
  let length: u32 = 0;
  while (p < end) {
    const tag = readTag(end);
    if (tag == 8) type = <i32>readVarint(end);
    else if (tag == 16) integer = <i32>readVarint(end);
    else if (tag == 26) {
      length = readLength(end);
      text = p;
      setInput(p + length);
    } else if (tag >> 3 <= 3) abandon(INVALID);
    else skipUnknown(tag, end);
  }
  if (type == 0) writeInteger(integer, path);
  else if (type == 1) writeString(text, length, path);
  else abandon(INVALID);
}

/** A message of one field with JSON in it, from `p` to `end`. */
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

/** A message of strings that JSON shows as a list of them. */
export function writeNamedList(end: usize, path: Path | null): void {
  const start = o;
  setOutput(o + 1);
  let count: u32 = 0;
  while (p < end) {
    const tag = readTag(end);
    if (tag == 10) {
      const length = readLength(end);
      const text = p;
      setInput(p + length);
      writeString(text, length, path);
      count++;
    } else if (tag >> 3 == 1) abandon(INVALID);
    else skipUnknown(tag, end);
  }
  writeCountAt(start, count, 0x90, 0xdc);
}

/** Whether a value of this wire type is there at all in the packed form, which Go reads too. */
@inline
export function isPacked(tag: u32, wireType: u32): bool {
  return (tag & 7) == LENGTH && wireType == VARINT;
}
