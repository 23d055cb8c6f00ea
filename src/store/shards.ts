/**
 * A Map or Set that grows is rehashed at once: below 1 ms for this many keys, 50 to 110 ms for a million. A table of
 * this size is also a large object to V8, which is not copied when it is promoted.
 */
export const MAX_KEYS_PER_SHARD = 8192;

/** Bounds the directory if many keys have the same hash: their shard grows beyond its maximum then. */
const MAX_DEPTH = 16;

/** Hashes are not spread evenly: a shard that is expected to be fuller might be split. */
const FILLED = 0.9;

const HASH_BITS = 32;
const HASHES = 2 ** HASH_BITS;

/** The keys whose hashes begin with the same `depth` bits. */
interface Shard<C> {
  readonly content: C;
  readonly depth: number;
  /** Replaced by two shards; its content is no longer changed. */
  isSplit: boolean;
}

/**
 * Extendible hashing: a collection of strings in shards, each a Map or a Set, so that growing never takes long. A shard
 * that becomes too large is split in two by the next bit of its keys' hashes; nothing else moves.
 *
 *     directory   000 001 010 011 100 101 110 111      the first bits of the hash
 *                  └───┬───┘   │   │   └─────┬─────┘
 *     shards           0*     010 011        1**       in the order of their hashes
 */
export abstract class Shards<C extends Map<string, unknown> | Set<string>> {
  readonly #maxKeysPerShard: number;
  /** 2 ** `#depth` references to shards. */
  #directory: Shard<C>[];
  #depth = 0;
  #size = 0;

  /** @param expectedKeys if they are known: no shard is split on the way to so many keys */
  constructor(maxKeysPerShard: number = MAX_KEYS_PER_SHARD, expectedKeys = 0) {
    this.#maxKeysPerShard = maxKeysPerShard;
    const shards = expectedKeys / (maxKeysPerShard * FILLED);
    this.#depth = Math.min(MAX_DEPTH, Math.max(0, Math.ceil(Math.log2(shards))));
    this.#directory = Array.from({ length: 2 ** this.#depth }, () => {
      return { content: this.emptyShard(), depth: this.#depth, isSplit: false };
    });
  }

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.shardOf(key).has(key);
  }

  delete(key: string): boolean {
    const isDeleted = this.shardOf(key).delete(key);
    if (isDeleted) this.#size--;
    return isDeleted;
  }

  protected abstract emptyShard(): C;

  /** Copies one key, with its value. */
  protected abstract copy(key: string, from: C, to: C): void;

  protected shardOf(key: string): C {
    return this.#shardAt(this.#depth === 0 ? 0 : hashOf(key)).content;
  }

  /** A key was added to this shard, which was returned by `shardOf`. */
  protected grown(shard: C, key: string): void {
    this.#size++;
    if (shard.size > this.#maxKeysPerShard) this.#split(hashOf(key));
  }

  /**
   * In the order of their hashes. A shard is split in place, so a key is visited at most once, even if shards are split
   * meanwhile.
   */
  protected *shards(): Generator<Shard<C>, void, undefined> {
    for (let hash = 0; hash < HASHES; ) {
      const shard = this.#shardAt(hash);
      hash = this.#end(hash);
      yield shard;
    }
  }

  #shardAt(hash: number): Shard<C> {
    // A shift by 32 bits is none in JavaScript.
    return this.#directory[this.#depth === 0 ? 0 : hash >>> (HASH_BITS - this.#depth)] as Shard<C>;
  }

  /** The first hash after those of the shard that contains this one. */
  #end(hash: number): number {
    const width = 2 ** (HASH_BITS - this.#shardAt(hash).depth);
    return (Math.floor(hash / width) + 1) * width;
  }

  #split(hash: number): void {
    const shard = this.#shardAt(hash);
    if (shard.depth === MAX_DEPTH) return;
    if (shard.depth === this.#depth) {
      this.#directory = this.#directory.flatMap((one) => [one, one]);
      this.#depth++;
    }
    const depth = shard.depth + 1;
    const halves = [this.emptyShard(), this.emptyShard()] as const;
    for (const key of shard.content.keys()) {
      this.copy(key, shard.content, halves[((hashOf(key) >>> (HASH_BITS - depth)) & 1) as 0 | 1]);
    }
    shard.isSplit = true;
    const references = 2 ** (this.#depth - depth);
    const first = (hash >>> (HASH_BITS - this.#depth)) & ~(2 * references - 1);
    for (const [half, content] of halves.entries()) {
      const start = first + half * references;
      this.#directory.fill({ content, depth, isSplit: false }, start, start + references);
    }
  }
}

/** A map with string keys that grows without long stalls. Iterates in the order of insertion within a shard. */
export class ShardedMap<V, K extends string = string> extends Shards<Map<string, V>> {
  get(key: string): V | undefined {
    return this.shardOf(key).get(key);
  }

  /** True if the key is new. */
  set(key: K, value: V): boolean {
    const shard = this.shardOf(key);
    const before = shard.size;
    const isNew = shard.set(key, value).size > before;
    if (isNew) this.grown(shard, key);
    return isNew;
  }

  /** Live, as a Map's. */
  *keys(): IterableIterator<K> {
    for (const shard of this.shards()) {
      for (const key of shard.content.keys()) if (!shard.isSplit || this.has(key)) yield key as K;
    }
  }

  /** Live, as a Map's. */
  *values(): IterableIterator<V> {
    for (const shard of this.shards()) {
      for (const [key, value] of shard.content) {
        if (!shard.isSplit) yield value;
        else if (this.has(key)) yield this.get(key) as V;
      }
    }
  }

  /** All values at once: eight times as fast as iterating. */
  toArray(): V[] {
    return concatenated(Array.from(this.shards(), ({ content }) => [...content.values()]));
  }

  toKeyArray(): K[] {
    return concatenated(Array.from(this.shards(), ({ content }) => [...content.keys()] as K[]));
  }

  protected override emptyShard(): Map<string, V> {
    return new Map();
  }

  protected override copy(key: string, from: Map<string, V>, to: Map<string, V>): void {
    to.set(key, from.get(key) as V);
  }
}

/** A set of strings that grows without long stalls. */
export class ShardedSet<K extends string = string> extends Shards<Set<string>> {
  add(key: K): void {
    const shard = this.shardOf(key);
    const before = shard.size;
    if (shard.add(key).size > before) this.grown(shard, key);
  }

  toArray(): K[] {
    return concatenated(Array.from(this.shards(), ({ content }) => [...content] as K[]));
  }

  protected override emptyShard(): Set<string> {
    return new Set();
  }

  protected override copy(key: string, _: Set<string>, to: Set<string>): void {
    to.add(key);
  }
}

function concatenated<T>(arrays: readonly T[][]): T[] {
  const [first = []] = arrays;
  return arrays.length <= 1 ? first : first.concat(...arrays.slice(1));
}

/**
 * Uses every character: names often differ only in their last ones, and keys of one name only in their namespace. The
 * last steps, of MurmurHash3, let all of them change the first bits.
 */
function hashOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
