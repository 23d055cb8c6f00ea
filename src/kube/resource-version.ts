const COMPARABLE = /^[1-9][0-9]*$/;

/**
 * Orders two resource versions of one resource type: negative, zero or positive; undefined if either is not a
 * comparable version. By length, then text: they may exceed 2^53.
 */
export function compareResourceVersion(a: string, b: string): number | undefined {
  if (!COMPARABLE.test(a) || !COMPARABLE.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
