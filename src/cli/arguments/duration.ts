import { UsageError } from './usage-error.js';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `5s`, `1m30s`, `250ms`: milliseconds. */
export function parseDuration(text: string, option: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text;
  if (!isWhole)
    throw new UsageError(`${option} must be a duration such as 5s or 1m30s, got ${JSON.stringify(text)}`);
  return parts.reduce((total, [, amount, unit]) => total + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0);
}
