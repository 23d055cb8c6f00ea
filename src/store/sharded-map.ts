import type { Key } from '../kube/key.js';

/** A Map that grows is rehashed at once: 5 ms for this many keys, 30 ms for a million. */
const KEYS_PER_SHARD = 65_536;

/**
 * A map by key that grows without long stalls: several Maps, chosen by a hash of the key, as many as the expected size
 * needs. Iterates in insertion order within a shard; live, as a Map does.
 */
export class ShardedMap<V> {
  readonly #shards: readonly Map<Key, V>[];
  readonly #mask: number;
  #size = 0;

  constructor(expectedSize = 0) {
    const needed = Math.ceil(expectedSize / KEYS_PER_SHARD);
    const count = needed <= 1 ? 1 : 2 ** Math.ceil(Math.log2(needed));
    this.#shards = Array.from({ length: count }, () => new Map<Key, V>());
    this.#mask = count - 1;
  }

  get size(): number {
    return this.#size;
  }

  get(key: Key): V | undefined {
    return this.#shardOf(key).get(key);
  }

  has(key: Key): boolean {
    return this.#shardOf(key).has(key);
  }

  /** True if the key is new. */
  set(key: Key, value: V): boolean {
    const shard = this.#shardOf(key);
    const before = shard.size;
    const isNew = shard.set(key, value).size > before;
    if (isNew) this.#size++;
    return isNew;
  }

  delete(key: Key): boolean {
    const isDeleted = this.#shardOf(key).delete(key);
    if (isDeleted) this.#size--;
    return isDeleted;
  }

  *keys(): IterableIterator<Key> {
    for (const shard of this.#shards) yield* shard.keys();
  }

  *values(): IterableIterator<V> {
    for (const shard of this.#shards) yield* shard.values();
  }

  #shardOf(key: Key): Map<Key, V> {
    return this.#shards[this.#mask === 0 ? 0 : hashOf(key) & this.#mask] as Map<Key, V>;
  }
}

/** Uses every character: names often differ only in their last ones, and keys of one name only in their namespace. */
function hashOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 15);
}
