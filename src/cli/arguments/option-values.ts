import { type ParsedArguments, UsageError } from './parse-arguments.js';

/** Throws a `UsageError` if the option is not an integer in this range. */
export function integer<F extends number | undefined>(
  parsed: ParsedArguments,
  name: string,
  [min, max]: readonly [number, number],
  fallback: F,
): number | F {
  const value = parsed.string(name);
  if (value === undefined) return fallback;
  if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw new UsageError(`--${name} must be an integer from ${min} to ${max}, got ${JSON.stringify(value)}`);
}

/** Throws a `UsageError` if the option is none of the values. */
export function oneOf<T extends string>(parsed: ParsedArguments, name: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === parsed.string(name));
  if (value !== undefined) return value;
  throw new UsageError(
    `--${name} must be one of ${values.join(', ')}, got ${JSON.stringify(parsed.string(name))}`,
  );
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `5s`, `1m30s` or `250ms` in milliseconds; infinity without the option. Throws a `UsageError`. */
export function durationMs(parsed: ParsedArguments, name: string): number {
  const value = parsed.string(name);
  if (value === undefined) return Number.POSITIVE_INFINITY;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== value) {
    throw new UsageError(`--${name} must be a duration such as 5s or 1m30s, got ${JSON.stringify(value)}`);
  }
  return parts.reduce((total, [, amount, unit]) => total + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0);
}
