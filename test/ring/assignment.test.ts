import { describe, expect, it } from 'vitest';
import { assignShards } from '#dist/src/ring/assignment.js';
import { SeededRandom } from '../support/time/seeded-random.js';

const SHARDS = 64;

function members(count: number, random: SeededRandom): string[] {
  return Array.from({ length: count }, () => `pod-${random.between(0, 1e9)}-${random.between(0, 1e9)}`);
}

describe('the assignment of shards', () => {
  it('gives every shard to a member, and none more than its share, rounded up', () => {
    const random = new SeededRandom(1);
    for (let count = 1; count <= 20; count++) {
      const names = members(count, random);
      const assigned = assignShards(SHARDS, names);
      const counts = names.map((name) => assigned.filter((member) => member === name).length);
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(SHARDS);
      expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(SHARDS / count));
    }
    expect(assignShards(4, [])).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('does not depend on the order of the members', () => {
    const names = members(7, new SeededRandom(2));
    expect(assignShards(SHARDS, [...names].reverse())).toEqual(assignShards(SHARDS, names));
  });

  it('moves less than 1.7 times the share of a member that joins', () => {
    const random = new SeededRandom(3);
    let moved = 0;
    let ideal = 0;
    for (let run = 0; run < 60; run++) {
      const names = members(random.between(1, 12), random);
      const before = assignShards(SHARDS, names);
      const after = assignShards(SHARDS, [...names, ...members(1, random)]);
      moved += after.filter((member, shard) => member !== before[shard]).length;
      ideal += SHARDS / (names.length + 1);
    }
    expect(moved / ideal).toBeLessThan(1.7);
  });
});
