/** Strings, times and durations in the format of Go's JSON. */

import { isUtf8 } from 'node:buffer';

const SECONDS_OF_DAY = 86_400n;
const DAYS_OF_ERA = 146_097n;

/** RFC 3339 in UTC; with six fractional digits if microseconds are passed. Years beyond 9999 and before 0 as in Go. */
export function goTime(seconds: bigint, microseconds: number | undefined): string {
  // Microseconds may be negative, or more than a second.
  const carry = microseconds === undefined ? 0n : BigInt(Math.floor(microseconds / 1_000_000));
  const all = seconds + carry;
  const days = floorDivide(all, SECONDS_OF_DAY);
  const { year, month, day } = dateOf(days);
  const ofDay = Number(all - days * SECONDS_OF_DAY);
  const clock = [ofDay / 3600, (ofDay / 60) % 60, ofDay % 60]
    .map((part) => padded(Math.trunc(part), 2))
    .join(':');
  const fraction =
    microseconds === undefined ? '' : `.${padded(((microseconds % 1_000_000) + 1_000_000) % 1_000_000, 6)}`;
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}T${clock}${fraction}Z`;
}

/** The date of a day since 1970, by eras of 400 years that begin in March. */
function dateOf(days: bigint): { year: number; month: number; day: number } {
  const shifted = days + 719_468n;
  const era = floorDivide(shifted, DAYS_OF_ERA);
  const dayOfEra = Number(shifted - era * DAYS_OF_ERA);
  const yearOfEra = Math.trunc(
    (dayOfEra -
      Math.trunc(dayOfEra / 1460) +
      Math.trunc(dayOfEra / 36_524) -
      Math.trunc(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
  const fromMarch = Math.trunc((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + Number(era) * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.trunc((153 * fromMarch + 2) / 5) + 1,
  };
}

/** `1h2m3.5s`, `1.5ms`, `0s`. */
export function goDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${goDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 3)}µs`;
  if (nanoseconds < 1_000_000_000n) return `${decimal(nanoseconds, 6)}ms`;
  const hours = nanoseconds / 3_600_000_000_000n;
  const minutes = (nanoseconds / 60_000_000_000n) % 60n;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 9)}s`;
  if (hours > 0n) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${minutes}m${seconds}` : seconds;
}

/** With up to this many decimals, without trailing zeros. */
function decimal(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

function padded(value: number, digits: number): string {
  return (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(digits, '0');
}

/** Replaces each byte that is not part of valid UTF-8. */
export function goString(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let string = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find(
      (size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)),
    );
    string += length === undefined ? '\ufffd' : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return string;
}
