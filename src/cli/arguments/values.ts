import { parseDuration } from './duration.js';
import type { ParsedArguments } from './option-table.js';
import { UsageError } from './usage-error.js';

/** Throws a `UsageError` if it is there and no such number. */
export function wholeNumber<F extends number | undefined>(
  parsed: ParsedArguments,
  name: string,
  [least, most]: readonly [number, number],
  fallback: F,
): number | F {
  const text = parsed.text(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(
    `--${name} must be a whole number from ${least} to ${most}, got ${JSON.stringify(text)}`,
  );
}

export function oneOf<T extends string>(parsed: ParsedArguments, name: string, values: readonly T[]): T {
  const value = values.find((one) => one === parsed.text(name));
  if (value === undefined) throw new UsageError(`--${name} must be one of ${values.join(', ')}`);
  return value;
}

/** Milliseconds; for ever if it is not there. */
export function durationMs(parsed: ParsedArguments, name: string): number {
  const text = parsed.text(name);
  return text === undefined ? Number.POSITIVE_INFINITY : parseDuration(text, `--${name}`);
}
