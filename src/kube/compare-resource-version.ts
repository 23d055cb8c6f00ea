const COMPARABLE = /^[1-9][0-9]*$/;

/**
 * Orders two resource versions of one resource (KEP-5504): decimal integers of any length, so the longer is the
 * greater, and equal lengths compare as strings. Never as numbers: they may exceed 2^53.
 *
 * Undefined if either is not such an integer (empty, `'0'`, leading zeros, an aggregated API's own format); then only
 * equality means anything.
 */
export function compareResourceVersion(a: string, b: string): number | undefined {
  if (!COMPARABLE.test(a) || !COMPARABLE.test(b)) return undefined;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
