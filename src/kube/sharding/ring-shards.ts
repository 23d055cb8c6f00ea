/** A cache that holds some of the shards of a ring: an informer. */
export interface RingCache {
  /** All objects of the shard are in the cache, as of some moment. */
  isSynced(shard: number): boolean;
  /**
   * The same, as of a moment after `sinceMs` of the process's clock; if not, the cache sees to it. So whatever was
   * written before is in it.
   */
  isConfirmed(shard: number, sinceMs: number): boolean;
  /** `RingShards.wanted` is another. */
  onWanted(): void;
}

/** The shards of a process, which change while it runs: what an informer needs of a `ShardRing`. */
export interface RingShards {
  /** How many shards the ring has. */
  readonly shards: number;
  /** The shards that caches must have: those that are owned or are to be. Undefined before that is known. */
  readonly wanted: readonly number[] | undefined;
  /** Idempotent. */
  start(): void;
  /** Returns a function that detaches the cache. */
  attach(cache: RingCache): () => void;
  /** A cache has got what it lacked. */
  changed(): void;
}

/** One object that is being reconciled. */
export interface RingTurn {
  /** Aborted when the object's shard is not owned any more. Looks at the clocks when it is read. */
  readonly signal: AbortSignal;
  end(): void;
}

/** What a controller needs of a `ShardRing`. */
export interface RingOwnership {
  /** Idempotent. */
  start(): void;
  shardOf(uid: string): number;
  /** To reconcile an object; undefined if that is not up to this process, now. */
  enter(uid: string): RingTurn | undefined;
  /** Calls back with each shard whose keys all have to be reconciled. Returns a function that stops that. */
  onAcquired(listener: (shard: number) => void): () => void;
}
