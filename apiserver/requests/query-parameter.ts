/** Single query parameters, read as Kubernetes' conversion of URL values reads them: the first one counts. */

import { badRequest, quote } from '../status-error.js';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Undefined when absent; false for `0` and `false` in any case; everything else, including the empty value, is
 * true.
 */
export function boolParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}

/**
 * Undefined when absent. Throws the 400 of Go's ParseInt. Rounded above 2^53, which makes no difference to any
 * use.
 */
export function intParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
  }
  const integer = BigInt(value.replace(/^\+/, ''));
  if (integer > INT64_MAX || integer < INT64_MIN) {
    throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: value out of range`);
  }
  return Number(integer);
}

/**
 * Milliseconds of the `timeout` parameter; undefined when it is absent or leaves the deadline to the server (zero
 * or less). Throws the 400 that kube-apiserver sends for every request but watches, even for unknown paths.
 */
export function timeoutParameter(query: URLSearchParams): number | undefined {
  const value = query.get('timeout');
  if (value === null || value === '') return undefined;
  const ms = parseDuration(value);
  return ms > 0 ? ms : undefined;
}

/** Go's time.ParseDuration, to the millisecond. */
function parseDuration(value: string): number {
  const unsigned = value.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  let ms = 0;
  let rest = unsigned;
  do {
    const number = /^([0-9]+\.?[0-9]*|\.[0-9]+)/.exec(rest)?.[0];
    if (number === undefined) throw badDuration('invalid duration', value);
    rest = rest.slice(number.length);
    const unit = /^[^.0-9]+/.exec(rest)?.[0];
    if (unit === undefined) throw badDuration('missing unit in duration', value);
    const unitMs = UNIT_MS[unit];
    if (unitMs === undefined) throw badDuration(`unknown unit ${quote(unit)} in duration`, value);
    rest = rest.slice(unit.length);
    ms += Number(number) * unitMs;
    // A Duration is an int64 of nanoseconds.
    if (ms * 1e6 > Number(INT64_MAX)) throw badDuration('invalid duration', value);
  } while (rest !== '');
  return value.startsWith('-') ? -ms : ms;
}

function badDuration(problem: string, value: string): Error {
  return badRequest(`invalid timeout specified in the request URL - time: ${problem} ${quote(value)}`);
}
