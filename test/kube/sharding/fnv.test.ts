import { describe, expect, it } from 'vitest';
import { fnv1a64 } from '#dist/src/kube/sharding/fnv.js';
import {
  HASH_SPACE,
  isUidInRanges,
  mergeRanges,
  rangeOfShard,
  shardOfHash,
} from '#dist/src/kube/sharding/hash-range.js';
import { uidSelector } from '#dist/src/kube/sharding/shard-selector.js';

/** Value, hash, shard of 2, shard of 4, first byte. */
const VECTORS = [
  ['', 'cbf29ce484222325', 1, 3, 203],
  ['abc', 'e71fa2190541574b', 1, 3, 231],
  ['aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', '93754b7248a00eb9', 1, 2, 147],
  ['00000000-0000-0000-0000-000000000000', '7c384c6218f299f1', 0, 1, 124],
  ['6f1c2b1e-8a54-4d0a-9c55-0f6c5b7e2a10', '116e089e8c17a89a', 0, 0, 17],
  ['f47ac10b-58cc-4372-a567-0e02b2c3d479', '70ed2686c31eff00', 0, 1, 112],
  ['default', 'ebada5168620c5fe', 1, 3, 235],
] as const;

describe('the hash of a uid', () => {
  it('is FNV-1a of 64 bits, as the API server computes it', () => {
    for (const [value, hash] of VECTORS) expect(fnv1a64(value).toString(16).padStart(16, '0')).toBe(hash);
  });

  it('is computed from the bytes of a string in UTF-8', () => {
    expect(fnv1a64('ä')).toBe(fnv1a64(Uint8Array.of(0xc3, 0xa4)));
  });

  it('decides the shard, whatever the number of shards', () => {
    for (const [value, , ofTwo, ofFour, ofAll] of VECTORS) {
      const hash = fnv1a64(value);
      expect([2, 4, 256].map((of) => shardOfHash(hash, of))).toEqual([ofTwo, ofFour, ofAll]);
    }
  });
});

describe('the ranges of shards', () => {
  it('cover all hashes, without gaps and overlaps, for any number of shards', () => {
    for (let of = 1; of <= 70; of++) {
      let end = 0n;
      for (let index = 0; index < of; index++) {
        const range = rangeOfShard(index, of);
        expect(range.start).toBe(end);
        for (const hash of [range.start, range.end - 1n]) expect(shardOfHash(hash, of)).toBe(index);
        end = range.end;
      }
      expect(end).toBe(HASH_SPACE);
    }
  });

  it('contain the uids whose hashes they contain', () => {
    for (const [value, , ofTwo] of VECTORS) {
      expect([0, 1].map((index) => isUidInRanges(value, [rangeOfShard(index, 2)]))).toEqual([
        ofTwo === 0,
        ofTwo === 1,
      ]);
    }
  });

  it('are merged where they are adjacent', () => {
    const shards = [5, 1, 0, 3, 7, 6].map((index) => rangeOfShard(index, 8));
    expect(mergeRanges(shards)).toEqual([
      { start: 0n, end: rangeOfShard(1, 8).end },
      rangeOfShard(3, 8),
      { start: rangeOfShard(5, 8).start, end: HASH_SPACE },
    ]);
    expect(mergeRanges([rangeOfShard(0, 2), rangeOfShard(0, 4)])).toEqual([rangeOfShard(0, 2)]);
  });

  it('are one selector, with 16 digits for every number but the end of all hashes', () => {
    expect(uidSelector([rangeOfShard(3, 4), rangeOfShard(0, 4)])).toBe(
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x4000000000000000') || " +
        "shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')",
    );
  });
});
