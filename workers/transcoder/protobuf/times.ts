/** Points in time and durations: two numbers in protobuf, a text in JSON. */

import { abandon, INVALID, p, RARE } from '../cursor';
import { Path } from '../plan';
import { scratchText } from '../text';
import { Field } from './schema';
import { writeMadeText } from './strings';
import { capture, finishText, writeDigits, writeNull } from './values';
import { readTag, readVarint, skipUnknown } from './wire';

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
