import { fnv1a64 } from '../kube/sharding/fnv.js';

const MASK = 64;

/**
 * Which member should have which shard: rendezvous hashing, in which no member gets more than its share, rounded up. A
 * pure function of the members, so that all who see the same members want the same. A member that joins or leaves moves
 * little more than its own share.
 */
export function assignShards(shards: number, members: readonly string[]): readonly (string | undefined)[] {
  const assigned: (string | undefined)[] = new Array(shards).fill(undefined);
  if (members.length === 0) return assigned;
  const share = Math.ceil(shards / members.length);
  const counts = new Map<string, number>();
  const bids = members.flatMap((member) =>
    Array.from({ length: shards }, (_, shard) => ({ member, shard, score: scoreOf(member, shard) })),
  );
  bids.sort((a, b) => (a.score > b.score ? -1 : a.score < b.score ? 1 : 0));
  for (const { member, shard } of bids) {
    const count = counts.get(member) ?? 0;
    if (assigned[shard] !== undefined || count >= share) continue;
    assigned[shard] = member;
    counts.set(member, count + 1);
  }
  return assigned;
}

/** The members in the order in which they are to take a shard that no member takes; the same for all who see the same. */
export function heirsOf(shard: number, members: readonly string[]): readonly string[] {
  const bids = members.map((member) => ({ member, score: scoreOf(member, shard) }));
  return bids.sort((a, b) => (a.score > b.score ? -1 : 1)).map(({ member }) => member);
}

/** The high bits of FNV hardly depend on the last characters, so they are mixed (the finalizer of SplitMix64). */
function scoreOf(member: string, shard: number): bigint {
  let mixed = fnv1a64(`${member}/${shard}`);
  mixed = BigInt.asUintN(MASK, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(MASK, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}
