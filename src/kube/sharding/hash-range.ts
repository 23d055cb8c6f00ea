import { fnv1a64 } from './fnv.js';

/** Hashes with start <= hash < end. */
export interface HashRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** The number of hashes, and the end of the last range. */
export const HASH_SPACE: bigint = 2n ** 64n;

/** The range of one of `of` shards, which have almost the same size and together cover all hashes. */
export function rangeOfShard(index: number, of: number): HashRange {
  const boundary = (at: number): bigint => (BigInt(at) * HASH_SPACE) / BigInt(of);
  return { start: boundary(index), end: boundary(index + 1) };
}

/** The shard of a hash: the inverse of `rangeOfShard`. */
export function shardOfHash(hash: bigint, of: number): number {
  // Boundaries are rounded down, so that a hash may be the first one of the next shard.
  const index = Number((hash * BigInt(of)) / HASH_SPACE);
  return index + 1 < of && hash >= rangeOfShard(index + 1, of).start ? index + 1 : index;
}

/** In ascending order; adjacent and overlapping ranges become one. */
export function mergeRanges(ranges: readonly HashRange[]): readonly HashRange[] {
  const merged: HashRange[] = [];
  for (const range of [...ranges].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0))) {
    const last = merged.at(-1);
    if (last === undefined || range.start > last.end) merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { start: last.start, end: range.end };
  }
  return merged;
}

export function isInRanges(hash: bigint, ranges: readonly HashRange[]): boolean {
  return ranges.some(({ start, end }) => hash >= start && hash < end);
}

/** Whether the hash of a uid is in the ranges. Objects without uid have the hash of an empty string. */
export function isUidInRanges(uid: string | Uint8Array, ranges: readonly HashRange[]): boolean {
  return isInRanges(fnv1a64(uid), ranges);
}
