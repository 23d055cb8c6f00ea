/** Values that are no messages in JSON, whatever they are in protobuf. Each is written and, where its place in the plan wants it, captured. */

import { abandon, INVALID, o, p, peek, RARE, seal, setInput, setOutput, unseal } from '../cursor';
import { Key } from '../keys';
import { OUTPUT, OUTPUT_BYTES } from '../memory';
import { captureOther, captureText, NO_TEXT, Path } from '../plan';
import { keepScratch, scratchText, utf8LengthAt } from '../text';
import { writeByte, writeCountAt, writeFloat, writeHead32, writeNegative, writePlainText, writePositive, writeText } from '../tokens';
import { setDocumentEnd } from '../read-ahead';
import { writeValue } from '../walk';
import { Field } from './schema';
import { writeMadeText } from './strings';
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
  // Headers are Latin-1, or all of them UTF-16.
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

// What `readPair` found.
let first: i64 = 0;
let second: i64 = 0;

/** A message of two numbers, from `p` to `end`. */
function readPair(end: usize): void {
  first = 0;
  second = 0;
  while (p < end) {
    const tag = readTag(end);
    if (tag == 8) first = <i64>readVarint(end);
    else if (tag == 16) second = <i64>readVarint(end);
    else if (tag >> 3 <= 2) abandon(INVALID);
    else skipUnknown(tag, end);
  }
}

/** The date that was written last, and its text. */
let lastSeconds: i64 = i64.MIN_VALUE;
let lastDays: u32 = u32.MAX_VALUE;
const LAST_DATE: usize = memory.data(48);

/** Of seconds and nanoseconds, from `p` to `end`; in microseconds if wanted. */
export function writeTime(field: Field, end: usize, isMicro: bool, path: Path | null): void {
  if (p == end) {
    writeNull(path);
    return;
  }
  readPair(end);
  const nanoseconds = <i32>second;
  // From year 1 to 9999.
  if (first < -62135596800 || first > 253402300799) abandon(RARE);
  // Go's zero time, which is null in JSON.
  if (first == -62135596800) abandon(RARE);
  if (isMicro && <u32>nanoseconds > 999999999) abandon(RARE);
  const text = scratchText();
  writeDate(first);
  v128.store(text, v128.load(LAST_DATE));
  v128.store(text + 16, v128.load(LAST_DATE + 16));
  let at = text + 19;
  if (isMicro) {
    store<u8>(at, 0x2e);
    at = writeDigits(at + 1, nanoseconds / 1000, 6);
  }
  store<u8>(at++, 0x5a);
  writeMadeText(field, text, <u32>(at - text));
  if (path !== null) capture(path, text, at, true);
}

/** `2026-11-17T22:52:00`, at LAST_DATE. Many times of an object are the same, and most are of one day. */
function writeDate(seconds: i64): void {
  if (seconds == lastSeconds) return;
  lastSeconds = seconds;
  // The first of March of year 0 is day 0; all days from year 1 on are after it.
  const all: u64 = seconds + 62167219200 - 60 * 86400;
  // Exact, and several times as fast as a division of 64 bits.
  const days = <u32>(<f64>all / 86400);
  const ofDay = <u32>(all - <u64>days * 86400);
  if (days != lastDays) {
    lastDays = days;
    writeDay(LAST_DATE, days);
  }
  const minutes = ofDay / 60;
  const hours = minutes / 60;
  writeTwoDigits(LAST_DATE + 11, hours);
  store<u8>(LAST_DATE + 13, 0x3a);
  writeTwoDigits(LAST_DATE + 14, minutes - hours * 60);
  store<u8>(LAST_DATE + 16, 0x3a);
  writeTwoDigits(LAST_DATE + 17, ofDay - minutes * 60);
}

/** `2026-11-17T`. By eras of 400 years, which begin with March. */
function writeDay(text: usize, days: u32): void {
  const era = days / 146097;
  const dayOfEra = days - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const month = (5 * dayOfYear + 2) / 153;
  const calendarMonth = month < 10 ? month + 3 : month - 9;
  const year = yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0);
  writeTwoDigits(text, year / 100);
  writeTwoDigits(text + 2, year % 100);
  store<u8>(text + 4, 0x2d);
  writeTwoDigits(text + 5, calendarMonth);
  store<u8>(text + 7, 0x2d);
  writeTwoDigits(text + 8, dayOfYear - (153 * month + 2) / 5 + 1);
  store<u8>(text + 10, 0x54);
}

@inline
function writeTwoDigits(to: usize, value: u32): void {
  store<u16>(to, <u16>(0x3030 + value / 10 + ((value % 10) << 8)));
}

/** Of nanoseconds, from `p` to `end`, as Go prints them: `1h2m3.5s`. */
export function writeDuration(end: usize, path: Path | null): void {
  readPair(end);
  // The one whose opposite is not there.
  if (first == i64.MIN_VALUE) abandon(RARE);
  const size: u64 = first < 0 ? <u64>-first : <u64>first;
  const text = scratchText();
  let at = text;
  if (first < 0) store<u8>(at++, 0x2d);
  if (size < 1000000000) at = writeShortDuration(at, size);
  else {
    const hours = size / 3600000000000;
    const minutes = (size / 60000000000) % 60;
    if (hours > 0) {
      at = writeDigits(at, hours, 1);
      store<u8>(at++, 0x68);
    }
    if (hours > 0 || minutes > 0) {
      at = writeDigits(at, minutes, 1);
      store<u8>(at++, 0x6d);
    }
    at = writeDecimal(at, size % 60000000000, 1000000000);
    store<u8>(at++, 0x73);
  }
  finishText(text, at, path);
}

/** Less than a second: in the largest unit of which there is one. */
function writeShortDuration(to: usize, size: u64): usize {
  let at = to;
  if (size == 0) {
    store<u16>(at, 0x7330);
    return at + 2;
  }
  if (size < 1000) {
    at = writeDigits(at, size, 1);
    store<u16>(at, 0x736e);
    return at + 2;
  }
  const isMicro = size < 1000000;
  at = writeDecimal(at, size, isMicro ? 1000 : 1000000);
  if (!isMicro) {
    store<u16>(at, 0x736d);
    return at + 2;
  }
  // µs: beyond ASCII.
  abandon(RARE);
  return at;
}

/** `size / unit` with as many decimals as there are. */
function writeDecimal(to: usize, size: u64, unit: u64): usize {
  let at = writeDigits(to, size / unit, 1);
  let rest = size % unit;
  if (rest == 0) return at;
  store<u8>(at++, 0x2e);
  let scale = unit / 10;
  while (rest > 0) {
    store<u8>(at++, <u8>(0x30 + rest / scale));
    rest %= scale;
    scale /= 10;
  }
  return at;
}

/** At least so many digits. The place after them. */
function writeDigits(to: usize, value: u64, least: i32): usize {
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

function finishText(text: usize, end: usize, path: Path | null): void {
  writeText(text, <u32>(end - text));
  if (path !== null) capture(path, text, end, true);
}

function capture(path: Path, text: usize, end: usize, isString: bool): void {
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
