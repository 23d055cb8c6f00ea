import { compareResourceVersion } from '../kube/compare-resource-version.js';
import { assignShards } from './assignment.js';
import { RingSight } from './ring-sight.js';
import type { MemberView, RingView, ShardView } from './ring-view.js';

export interface RingMemberOptions {
  readonly id: string;
  /** How many shards the ring has. */
  readonly shards: number;
  /** A member whose Lease was seen unchanged for so long is fenced. */
  readonly leaseDurationMs: number;
  /** After so long as a member, it takes part in the assignment: by then, the others have seen it. */
  readonly settleMs: number;
  /** What the members of this process before this one have seen. @default nothing */
  readonly sight?: RingSight;
}

/** What is known in this process at the moment of a step. */
export interface RingFacts {
  readonly nowMs: number;
  /** Since when the own Lease is held; undefined if it is not, by the clocks. */
  readonly memberSinceMs: number | undefined;
  readonly isLeaving: boolean;
  /** The caches have the shard. */
  isSynced(shard: number): boolean;
  /** The caches have all that was written before this process became the owner, `sinceMs`. */
  isConfirmed(shard: number, sinceMs: number): boolean;
  /** Nothing that belongs to the shard is being reconciled. */
  isIdle(shard: number): boolean;
}

/** A conditional write of the Lease of a shard. */
export interface ShardWrite {
  readonly type: 'shard';
  readonly why: 'claim' | 'hand-over' | 'reclaim' | 'restore';
  readonly shard: number;
  /** Undefined: the Lease is created. */
  readonly base: ShardView | undefined;
  readonly holder: string;
  readonly epoch: number;
}

/** Fences a member: it is dead, or could not renew its Lease in time. Or removes the Lease of one that is gone. */
export interface MemberWrite {
  readonly type: 'fence' | 'remove';
  readonly member: MemberView;
}

export type RingWrite = ShardWrite | MemberWrite;

/**
 * `acquired`: every key of the shard has to be reconciled, and may be. `draining`: no key may be taken any more.
 * `lost`: the shard is another's.
 */
export interface RingEvent {
  readonly type: 'acquired' | 'draining' | 'lost';
  readonly shard: number;
}

export interface RingStep {
  readonly writes: readonly RingWrite[];
  readonly events: readonly RingEvent[];
}

/**
 * `conflict`: the Lease has another version. `failed`: the server did not accept the write, whatever the version.
 * `unknown`: there was no response, so that the write may have been made, or may be made later.
 */
export type WriteResult =
  | { readonly type: 'written'; readonly resourceVersion: string }
  | { readonly type: 'conflict' | 'failed' | 'unknown' };

/**
 * - `acquired`: the Lease names this member; its caches may lack the last writes of the owner before.
 * - `active`: keys are reconciled.
 * - `draining`: another member is prepared; no key is taken, and those that are being reconciled end.
 * - `handing-over`: the Lease of the shard is being written. It does not count as owned from before the write is sent.
 *   If it stays unknown who is recorded, the member gives up everything, so that the others may take it.
 */
type Phase = 'acquired' | 'active' | 'draining' | 'handing-over';

const UNTIL_FINISHED = Number.POSITIVE_INFINITY;
/** After a write that was not made. */
const RETRY_MS = 500;
/**
 * How long a shard is drained at first. If its reconciles have not ended by then, it is worked on for as long, and then
 * drained for twice as long: one reconcile that hangs does not keep the others of its shard from being made.
 */
const FIRST_DRAIN_MS = 30_000;

interface OwnShard {
  readonly base: ShardView;
  readonly phase: Phase;
  readonly sinceMs: number;
  /** Of `handing-over`: the receiver, since when, and whether one of the writes may have been made. */
  readonly handOver?: { readonly target: string; readonly atMs: number; readonly isUncertain: boolean };
  /** Of the last drain: when it has begun, or was given up, and how long it may take. */
  readonly drain?: { readonly atMs: number; readonly limitMs: number };
}

/**
 * One member of a ring, as a state machine without I/O and timers. What the hash says is only a wish; the Leases of the
 * shards say who owns what, and every change of one is conditional on the version before it.
 *
 *      not ours ──▶ free, and ours by the hash: claim ──────────────▶ acquired ──▶ caches confirmed ──▶ active
 *         ▲  │                                                            ▲                               │
 *         │  └──▶ owned, and ours by the hash: prepare, announce it ──▶ the owner hands it over               │
 *         │                                                                                               │
 *         └── handing-over ◀── idle ◀── draining ◀── another's by the hash, and it is prepared ◀──────────┘
 *
 * A free shard that is not claimed by the member that should have it is claimed by another one: see `RingSight`.
 *
 * A member owns a shard while the Lease names it and its own Lease is held by its own clocks, which ends before anyone
 * else may fence it. A member that has lost its own Lease owns nothing for good: another one, under another id,
 * replaces it.
 */
export class RingMember {
  readonly #options: RingMemberOptions;
  readonly #own = new Map<number, OwnShard>();
  /** The newest version of the Lease of a shard that was seen or written. */
  readonly #newest = new Map<number, string>();
  /** Shards and ids of members whose Leases are being written: until when nothing else may be done with them. */
  readonly #busyUntilMs = new Map<number | string, number>();
  readonly #sight: RingSight;
  #members: readonly string[] = [];
  #view: RingView = { members: new Map(), shards: new Map() };
  #wishes: readonly (string | undefined)[] = [];
  #wishedOf: string | undefined;
  #events: RingEvent[] = [];
  #writes: RingWrite[] = [];
  #isLost = false;

  constructor(options: RingMemberOptions) {
    this.#options = options;
    this.#sight = options.sight ?? new RingSight(options);
  }

  get id(): string {
    return this.#options.id;
  }

  /** For good. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The Leases name this member, and it is not giving the shard away. Only while its own Lease is held: see `isLost`. */
  isRecorded(shard: number): boolean {
    const phase = this.#own.get(shard)?.phase;
    return phase !== undefined && phase !== 'handing-over';
  }

  /** Keys of the shard may be taken. */
  isActive(shard: number): boolean {
    return this.#own.get(shard)?.phase === 'active';
  }

  /** `leaseTransitions` of the Lease of a shard that is recorded. */
  epochOf(shard: number): number | undefined {
    return this.#own.get(shard)?.base.epoch;
  }

  /** Shards that the caches must have: those that are owned, and those that are to be. */
  get wanted(): readonly number[] {
    const wanted: number[] = [];
    for (let shard = 0; shard < this.#options.shards; shard++) {
      if (this.#own.has(shard) || this.#wishes[shard] === this.id) wanted.push(shard);
    }
    return wanted;
  }

  /** Shards that others own, and that could be taken over at once. */
  preparedShards(facts: Pick<RingFacts, 'isSynced'>): readonly number[] {
    return this.wanted.filter((shard) => !this.#own.has(shard) && facts.isSynced(shard));
  }

  get ownedCount(): number {
    return this.#own.size;
  }

  /** To be called after every change of the view, after every result, and about once a second. */
  step(view: RingView, facts: RingFacts): RingStep {
    this.#view = view;
    this.#events = [];
    this.#writes = [];
    if (facts.memberSinceMs === undefined) this.#lose();
    if (!this.#isLost) {
      this.#sight.look(view, facts.nowMs);
      this.#readShards(facts);
      this.#wish(this.#liveMembers(facts));
      for (let shard = 0; shard < this.#options.shards && !this.#isLost; shard++) this.#decide(shard, facts);
      this.#cleanUp(facts);
    }
    return { writes: this.#writes, events: this.#events };
  }

  /** The result of a write that a step asked for. */
  finished(write: RingWrite, result: WriteResult, nowMs: number): void {
    const key = write.type === 'shard' ? write.shard : write.member.id;
    // After a conflict, the view has to catch up first.
    if (result.type === 'written') this.#busyUntilMs.delete(key);
    else this.#busyUntilMs.set(key, nowMs + RETRY_MS);
    if (write.type !== 'shard' || this.#isLost) return;
    if (result.type !== 'written') {
      this.#notWritten(write.shard, result.type);
      return;
    }
    const { resourceVersion } = result;
    this.#newest.set(write.shard, resourceVersion);
    const base = { resourceVersion, holder: write.holder, epoch: write.epoch };
    if (write.holder === this.id) this.#own.set(write.shard, { base, phase: 'acquired', sinceMs: nowMs });
    else this.#own.delete(write.shard);
  }

  /** A hand-over that was certainly not made leaves the shard where it was. */
  #notWritten(shard: number, reason: 'conflict' | 'failed' | 'unknown'): void {
    const own = this.#own.get(shard);
    if (own?.handOver === undefined || own.phase !== 'handing-over') return;
    const { handOver, ...rest } = own;
    if (reason === 'unknown') this.#own.set(shard, { ...own, handOver: { ...handOver, isUncertain: true } });
    else if (reason === 'failed' && !handOver.isUncertain)
      this.#own.set(shard, { ...rest, phase: 'acquired' });
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const [shard, { phase }] of this.#own) {
      if (phase !== 'handing-over') this.#events.push({ type: 'lost', shard });
    }
    this.#own.clear();
    this.#wishes = [];
    this.#wishedOf = undefined;
  }

  /** Ownership as the Leases record it, where they are newer than what was written here. */
  #readShards({ nowMs }: RingFacts): void {
    for (const [shard, base] of this.#view.shards) {
      const newest = this.#newest.get(shard);
      const isNew = newest === undefined || compareResourceVersion(base.resourceVersion, newest) === 1;
      // The result of a write is newer than what is seen while it is under way.
      if (!isNew || this.#busyUntilMs.get(shard) === UNTIL_FINISHED) continue;
      const own = this.#own.get(shard);
      this.#newest.set(shard, base.resourceVersion);
      if (base.holder === this.id) {
        const phase = own?.phase === 'active' ? 'active' : 'acquired';
        this.#own.set(shard, { base, phase, sinceMs: own?.sinceMs ?? nowMs });
      } else if (own !== undefined) {
        this.#own.delete(shard);
        if (own.phase !== 'handing-over') this.#events.push({ type: 'lost', shard });
      }
    }
  }

  #liveMembers({ nowMs, memberSinceMs, isLeaving }: RingFacts): string[] {
    const { leaseDurationMs, settleMs } = this.#options;
    const isLive = (member: MemberView): boolean => {
      if (member.holder !== member.id) return false;
      if (member.id === this.id) return !isLeaving && nowMs - (memberSinceMs ?? nowMs) >= settleMs;
      return !member.isLeaving && nowMs - member.seenAtMs < leaseDurationMs;
    };
    return [...this.#view.members.values()].filter(isLive).map(({ id }) => id);
  }

  /** The assignment is computed again only for other members. */
  #wish(members: readonly string[]): void {
    const of = [...members].sort().join(' ');
    if (of === this.#wishedOf) return;
    this.#wishes = assignShards(this.#options.shards, members);
    this.#wishedOf = of;
    this.#members = members;
    this.#sight.forgetWaiting();
  }

  #decide(shard: number, facts: RingFacts): void {
    if (this.#isBusy(shard, facts)) return;
    const wish = this.#wishes[shard];
    const own = this.#own.get(shard);
    if (own !== undefined) this.#decideOwn(shard, own, wish, facts);
    else if (this.#mayClaim(shard, wish, facts)) {
      this.#write(shard, 'claim', this.#view.shards.get(shard), this.id);
    }
  }

  #mayClaim(shard: number, wish: string | undefined, facts: RingFacts): boolean {
    if (!this.#sight.isFree(shard) || facts.isLeaving || !this.#members.includes(this.id)) return false;
    return wish === this.id || this.#sight.isHeir(this.id, shard, wish, this.#members);
  }

  #decideOwn(shard: number, own: OwnShard, wish: string | undefined, facts: RingFacts): void {
    const { base } = own;
    const isMoving = wish !== undefined && wish !== this.id && this.#isPrepared(wish, shard);
    if (!this.#view.shards.has(shard) && this.#sight.known(shard) !== undefined) {
      // The Lease was deleted by hand. While it is ours in the memory of all others, it is created again.
      this.#write(shard, 'restore', undefined, this.id);
    } else if (own.phase === 'handing-over') {
      const { target, atMs = facts.nowMs } = own.handOver ?? {};
      // A write without a response may still be made. Only another write of the same version decides.
      if (facts.nowMs - atMs >= this.#options.leaseDurationMs) this.#lose();
      else if (isMoving && wish === target) this.#write(shard, 'hand-over', base, wish);
      else this.#write(shard, 'reclaim', base, this.id);
    } else if (isMoving && mayDrain(own, facts)) {
      const draining = own.phase === 'draining' ? own : beginDrain(own, facts);
      if (draining !== own) {
        this.#own.set(shard, draining);
        this.#events.push({ type: 'draining', shard });
      }
      if (!facts.isIdle(shard)) return;
      const handOver = { target: wish, atMs: facts.nowMs, isUncertain: false };
      this.#own.set(shard, { ...draining, phase: 'handing-over', handOver });
      this.#events.push({ type: 'lost', shard });
      this.#write(shard, 'hand-over', base, wish);
    } else if (own.phase === 'draining') {
      const drain = own.drain && { ...own.drain, atMs: facts.nowMs };
      this.#own.set(shard, { ...own, phase: 'acquired', ...(drain && { drain }) });
    } else if (own.phase === 'acquired' && facts.isConfirmed(shard, own.sinceMs)) {
      this.#own.set(shard, { ...own, phase: 'active' });
      this.#events.push({ type: 'acquired', shard });
    }
  }

  #isBusy(key: number | string, { nowMs }: RingFacts): boolean {
    return nowMs < (this.#busyUntilMs.get(key) ?? 0);
  }

  #isPrepared(id: string, shard: number): boolean {
    return this.#view.members.get(id)?.prepared.has(shard) ?? false;
  }

  #write(shard: number, why: ShardWrite['why'], base: ShardView | undefined, holder: string): void {
    this.#busyUntilMs.set(shard, UNTIL_FINISHED);
    const epoch = Math.max(base?.epoch ?? -1, this.#sight.known(shard)?.epoch ?? -1) + 1;
    this.#writes.push({ type: 'shard', why, shard, base, holder, epoch });
  }

  /** Fences members that are silent, and removes the Leases of members that are gone and own nothing. */
  #cleanUp(facts: RingFacts): void {
    const { nowMs } = facts;
    const holders = new Set([...this.#view.shards.values()].map(({ holder }) => holder));
    for (const member of this.#view.members.values()) {
      const { id, holder, seenAtMs } = member;
      const isSilent = nowMs - seenAtMs >= this.#options.leaseDurationMs;
      if (id === this.id || !isSilent || this.#isBusy(id, facts)) continue;
      const type = holder === id ? 'fence' : 'remove';
      if (type === 'remove' && holders.has(id)) continue;
      this.#busyUntilMs.set(id, UNTIL_FINISHED);
      this.#writes.push({ type, member });
    }
  }
}

function beginDrain(own: OwnShard, { nowMs }: RingFacts): OwnShard {
  const limitMs = 2 * (own.drain?.limitMs ?? FIRST_DRAIN_MS / 2);
  return { ...own, phase: 'draining', drain: { atMs: nowMs, limitMs } };
}

/** A drain that has begun may go on for its limit; after one that was given up, as much time has to pass. */
function mayDrain({ phase, drain }: OwnShard, { nowMs }: RingFacts): boolean {
  if (drain === undefined) return true;
  const isOver = nowMs - drain.atMs >= drain.limitMs;
  return phase === 'draining' ? !isOver : isOver;
}
