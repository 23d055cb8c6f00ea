/** A member as its Lease shows it. The name of the Lease is the member's id, which is new with every start. */
export interface MemberView {
  readonly id: string;
  readonly resourceVersion: string;
  /** The id while it is a member; anything else once it was fenced, or has left. */
  readonly holder: string;
  readonly transitions: number;
  /** When this process saw the Lease change last, by its own monotonic clock. */
  readonly seenAtMs: number;
  /** Shards that it could take over at once: its caches have them. */
  readonly prepared: ReadonlySet<number>;
  readonly isLeaving: boolean;
}

/** A shard as its Lease shows it. */
export interface ShardView {
  readonly resourceVersion: string;
  /** The id of a member; empty if it was given back. */
  readonly holder: string;
  /** `leaseTransitions`: higher with every owner. */
  readonly epoch: number;
}

/** All Leases of a ring, as of one moment. */
export interface RingView {
  readonly members: ReadonlyMap<string, MemberView>;
  /** Shards without a Lease are absent. */
  readonly shards: ReadonlyMap<number, ShardView>;
}

/**
 * Fenced members own nothing, whatever the Leases of shards say. For those who only look on: a member that is unknown
 * counts as fenced, though it may have been deleted a moment ago. Members wait: see `RingSight`.
 */
export function isFenced(view: RingView, id: string): boolean {
  return view.members.get(id)?.holder !== id;
}

/** Without an owner, for those who only look on. */
export function isFree(view: RingView, shard: number): boolean {
  const holder = view.shards.get(shard)?.holder ?? '';
  return holder === '' || isFenced(view, holder);
}
