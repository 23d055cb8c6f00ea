/** Times and durations: two numbers in protobuf, a string in JSON. */

import { abandon, INVALID, p, RARE } from '../cursor';
import { Path } from '../plan';
import { scratchString } from '../json-strings';
import { Field } from './schema';
import { writeFormattedString } from './string-guesses';
import { capture, finishFormattedString, writeDigits, writeNull } from './values';
import { readTag, readVarint, skipUnknown } from './wire';

// The result of `readPair`.
let first: i64 = 0;
let second: i64 = 0;

/** Reads a message of two numbers, from `p` to `end`. */
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

/** The date that was written last, and its string. */
let lastSeconds: i64 = i64.MIN_VALUE;
let lastDays: u32 = u32.MAX_VALUE;
const LAST_DATE: usize = memory.data(48);

/** Seconds and nanoseconds, from `p` to `end`; `isMicro` adds microseconds. */
export function writeTime(field: Field, end: usize, isMicro: bool, path: Path | null): void {
  if (p == end) {
    writeNull(path);
    return;
  }
  readPair(end);
  const nanoseconds = <i32>second;
  // Years 1 to 9999.
  if (first < -62135596800 || first > 253402300799) abandon(RARE);
  // Go's zero time, which is null in JSON.
  if (first == -62135596800) abandon(RARE);
  if (isMicro && <u32>nanoseconds > 999999999) abandon(RARE);
  const chars = scratchString();
  writeDate(first);
  v128.store(chars, v128.load(LAST_DATE));
  v128.store(chars + 16, v128.load(LAST_DATE + 16));
  let at = chars + 19;
  if (isMicro) {
    store<u8>(at, 0x2e);
    at = writeDigits(at + 1, nanoseconds / 1000, 6);
  }
  store<u8>(at++, 0x5a);
  writeFormattedString(field, chars, <u32>(at - chars));
  if (path !== null) capture(path, chars, at, true);
}

/** Writes `2026-11-17T22:52:00` to LAST_DATE. Many times of an object are equal, and most are on one day. */
function writeDate(seconds: i64): void {
  if (seconds == lastSeconds) return;
  lastSeconds = seconds;
  // March 1 of year 0 is day 0; all days from year 1 on are after it.
  const all: u64 = seconds + 62167219200 - 60 * 86400;
  // Exact, and several times as fast as a 64-bit division.
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

/** Writes `2026-11-17T`, by eras of 400 years that begin in March. */
function writeDay(chars: usize, days: u32): void {
  const era = days / 146097;
  const dayOfEra = days - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const month = (5 * dayOfYear + 2) / 153;
  const calendarMonth = month < 10 ? month + 3 : month - 9;
  const year = yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0);
  writeTwoDigits(chars, year / 100);
  writeTwoDigits(chars + 2, year % 100);
  store<u8>(chars + 4, 0x2d);
  writeTwoDigits(chars + 5, calendarMonth);
  store<u8>(chars + 7, 0x2d);
  writeTwoDigits(chars + 8, dayOfYear - (153 * month + 2) / 5 + 1);
  store<u8>(chars + 10, 0x54);
}

@inline
function writeTwoDigits(to: usize, value: u32): void {
  store<u16>(to, <u16>(0x3030 + value / 10 + ((value % 10) << 8)));
}

/** Nanoseconds, from `p` to `end`, in Go's format: `1h2m3.5s`. */
export function writeDuration(end: usize, path: Path | null): void {
  readPair(end);
  // Cannot be negated.
  if (first == i64.MIN_VALUE) abandon(RARE);
  const size: u64 = first < 0 ? <u64>-first : <u64>first;
  const chars = scratchString();
  let at = chars;
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
  finishFormattedString(chars, at, path);
}

/** Less than a second: in the largest unit that gives at least 1. */
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
  // µs is not ASCII.
  abandon(RARE);
  return at;
}

/** Writes `size / unit` with all its decimals. */
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
