import { heirsOf } from './assignment.js';
import type { RingView, ShardView } from './ring-view.js';

/** Beyond `settleMs`: how long each heir of a shard has to take it before the next one may. */
const GRACE_MS = 2000;

export interface RingSightOptions {
  /** So long a member may act that has disappeared without being fenced. */
  readonly leaseDurationMs: number;
  /** After so long as a member, it takes shards. */
  readonly settleMs: number;
}

/**
 * Which shards are free, as one member sees them over time. The Leases that were seen last are not enough:
 *
 * - A member without a Lease may be one whose Lease was deleted a moment ago, and which does not know that yet; or one
 *   whose Lease comes later in a list that was received out of the order of the changes. It counts as fenced only when it
 *   was not seen for as long as a Lease lasts.
 * - A shard without a Lease belongs to the member that was seen as its owner, which creates the Lease again.
 * - A shard that is free for long is not taken by the member that should have it: that one is dead, and no member knows it
 *   yet, or it may not write Leases. Then another one takes it.
 */
export class RingSight {
  readonly #options: RingSightOptions;
  #view: RingView = { members: new Map(), shards: new Map() };
  #nowMs = 0;
  /** Holders of shards that have no Lease: since when. */
  readonly #missingSinceMs = new Map<string, number>();
  /** The Leases of shards as they were seen last. */
  readonly #known = new Map<number, ShardView>();
  readonly #freeSinceMs = new Map<number, number>();

  constructor(options: RingSightOptions) {
    this.#options = options;
  }

  look(view: RingView, nowMs: number): void {
    this.#view = view;
    this.#nowMs = nowMs;
    for (const [shard, lease] of view.shards) this.#known.set(shard, lease);
    const holders = new Set([...this.#known.values()].map(({ holder }) => holder));
    for (const id of this.#missingSinceMs.keys()) {
      if (view.members.has(id) || !holders.has(id)) this.#missingSinceMs.delete(id);
    }
    for (const id of holders) {
      if (id === '' || view.members.has(id) || this.#missingSinceMs.has(id)) continue;
      this.#missingSinceMs.set(id, nowMs);
    }
    for (const shard of this.#freeSinceMs.keys()) if (!this.isFree(shard)) this.#freeSinceMs.delete(shard);
  }

  /** The Lease of a shard as it was seen last, also if it is gone now. */
  known(shard: number): ShardView | undefined {
    return this.#known.get(shard);
  }

  /** Without an owner: the Lease may be taken. */
  isFree(shard: number): boolean {
    const holder = this.#known.get(shard)?.holder ?? '';
    return holder === '' || this.#isFenced(holder);
  }

  /** Other members should have other shards from now on. */
  forgetWaiting(): void {
    this.#freeSinceMs.clear();
  }

  /** Whether it is this member's turn to take a free shard that another one, of these members, should have. */
  isHeir(id: string, shard: number, wish: string | undefined, members: readonly string[]): boolean {
    const sinceMs = this.#freeSinceMs.get(shard) ?? this.#nowMs;
    this.#freeSinceMs.set(shard, sinceMs);
    const turns = Math.floor((this.#nowMs - sinceMs) / (this.#options.settleMs + GRACE_MS));
    if (turns === 0) return false;
    const heirs = heirsOf(
      shard,
      members.filter((member) => member !== wish),
    );
    return heirs.slice(0, turns).includes(id);
  }

  #isFenced(id: string): boolean {
    const member = this.#view.members.get(id);
    if (member !== undefined) return member.holder !== id;
    const sinceMs = this.#missingSinceMs.get(id) ?? this.#nowMs;
    return this.#nowMs - sinceMs >= this.#options.leaseDurationMs;
  }
}
