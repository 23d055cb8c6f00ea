import type { RingCache, RingTurn } from '../kube/sharding/ring-shards.js';
import { checkedSignal } from '../util/checked-signal.js';
import {
  type RingEvent,
  type RingFacts,
  RingMember,
  type RingMemberOptions,
  type RingWrite,
  type WriteResult,
} from './ring-member.js';
import { RingSight } from './ring-sight.js';
import type { RingView } from './ring-view.js';

/** The Lease by which this process is a member, under one id. */
export interface RingMembership {
  /** Since when the Lease is held; undefined if it is not, by the clocks. */
  readonly sinceMs: number | undefined;
  /** It was held, and will not be held again under this id. */
  readonly isOver: boolean;
  /** Written to the Lease for the others to see. */
  announce(prepared: readonly number[], isLeaving: boolean): void;
  /** Gives the Lease back, or tries to, if that is still possible. */
  release(): void;
}

export interface RingDriverOptions extends Omit<RingMemberOptions, 'id' | 'sight'> {
  readonly now: () => number;
  readonly newId: () => string;
  readonly join: (id: string) => RingMembership;
  /** All Leases of the ring; undefined before they were first read. */
  readonly view: () => RingView | undefined;
  /** `done` must not be called before the function returns. */
  readonly write: (write: RingWrite, done: (result: WriteResult) => void) => void;
  readonly caches: Pick<RingCache, 'isSynced' | 'isConfirmed'>;
  /** The shards that the caches must have have changed. */
  readonly onWanted: (shards: readonly number[]) => void;
  readonly onEvent: (event: RingEvent) => void;
}

interface Joined {
  readonly member: RingMember;
  readonly membership: RingMembership;
  announced: string;
}

/** Runs members of a ring, one after the other: one that has lost its Lease is replaced by one with another id. */
export class RingDriver {
  readonly #options: RingDriverOptions;
  readonly #sight: RingSight;
  /** Reconciles that are running, by shard. They keep a shard from being handed over. */
  readonly #running = new Map<number, number>();
  readonly #aborts = new Map<
    number,
    { readonly controller: AbortController; readonly signal: AbortSignal }
  >();
  #joined: Joined | undefined;
  /** Of members before this one: given back when nothing is being reconciled any more. */
  #former: RingMembership[] = [];
  #wanted: string | undefined;
  #isLeaving = false;
  #hasLeft = false;

  constructor(options: RingDriverOptions) {
    this.#options = options;
    this.#sight = new RingSight(options);
  }

  /** Shards that the Leases record as this process's, while it is a member by the clocks. */
  get owned(): readonly number[] {
    return Array.from({ length: this.#options.shards }, (_, shard) => shard).filter((shard) =>
      this.isOwned(shard),
    );
  }

  /** Of the current member. */
  get id(): string | undefined {
    return this.#joined?.member.id;
  }

  /** After `leave`, everything was handed over. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** The Leases record this process as the owner, and it is a member by the clocks. */
  isOwned(shard: number): boolean {
    const joined = this.#joined;
    return joined?.membership.sinceMs !== undefined && joined.member.isRecorded(shard);
  }

  epochOf(shard: number): number | undefined {
    return this.isOwned(shard) ? this.#joined?.member.epochOf(shard) : undefined;
  }

  /** To reconcile an object of the shard; undefined if that is another's to do. */
  enter(shard: number): RingTurn | undefined {
    if (!this.isOwned(shard) || this.#joined?.member.isActive(shard) !== true) return undefined;
    this.#running.set(shard, (this.#running.get(shard) ?? 0) + 1);
    let hasEnded = false;
    return {
      signal: this.#signalOf(shard),
      end: () => {
        if (hasEnded) return;
        hasEnded = true;
        this.#running.set(shard, (this.#running.get(shard) ?? 1) - 1);
      },
    };
  }

  /** Nothing is being reconciled. */
  get isIdle(): boolean {
    return [...this.#running.values()].every((running) => running === 0);
  }

  /** Hands everything over, and then gives up the membership. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** Ends the membership at once: the shards are free as soon as the others see that. Nothing may be running. */
  abandon(): void {
    this.#isLeaving = true;
    this.#hasLeft = true;
    const joined = this.#joined;
    if (joined === undefined) return;
    this.#loseAll(joined.member);
    joined.membership.release();
    this.#joined = undefined;
  }

  /** Ends the membership, and begins another one as soon as there is a view. */
  withdraw(): void {
    const joined = this.#joined;
    if (joined === undefined) return;
    this.#loseAll(joined.member);
    this.#giveUp(joined);
    this.#hasLeft = this.#isLeaving;
  }

  /** To be called when the view, the membership or a cache has changed, a reconcile has ended, and once a second. */
  poke(): void {
    this.#releaseFormer();
    const view = this.#options.view();
    if (this.#hasLeft) return;
    if (view === undefined) {
      if (this.#joined?.membership.isOver === true) this.withdraw();
      return;
    }
    const joined = this.#join();
    const { member, membership } = joined;
    const { sinceMs } = membership;
    // It does not count yet.
    if (sinceMs === undefined && !membership.isOver) return;
    const facts = this.#facts(sinceMs);
    const { writes, events } = member.step(view, facts);
    for (const event of events) this.#onEvent(event);
    for (const write of writes) {
      this.#options.write(write, (result) => {
        member.finished(write, result, this.#options.now());
        this.poke();
      });
    }
    this.#announce(joined, facts);
    if (member.isLost) {
      this.#giveUp(joined);
      this.#hasLeft = this.#isLeaving;
    } else if (this.#isLeaving && member.ownedCount === 0 && writes.length === 0) this.abandon();
  }

  /** What is still being reconciled may have sent a write before its deadline: until it has ended, the Lease stays. */
  #giveUp({ membership }: Joined): void {
    this.#joined = undefined;
    this.#former.push(membership);
    this.#releaseFormer();
  }

  #releaseFormer(): void {
    if (this.#former.length === 0 || !this.isIdle) return;
    for (const membership of this.#former.splice(0)) membership.release();
  }

  #join(): Joined {
    if (this.#joined !== undefined) return this.#joined;
    const { newId, join, shards, leaseDurationMs, settleMs } = this.#options;
    const id = newId();
    const member = new RingMember({ id, shards, leaseDurationMs, settleMs, sight: this.#sight });
    const joined = { member, membership: join(id), announced: '' };
    this.#joined = joined;
    return joined;
  }

  #facts(memberSinceMs: number | undefined): RingFacts {
    const { caches, now } = this.#options;
    return {
      nowMs: now(),
      memberSinceMs,
      isLeaving: this.#isLeaving,
      isSynced: (shard) => caches.isSynced(shard),
      isConfirmed: (shard, sinceMs) => caches.isConfirmed(shard, sinceMs),
      isIdle: (shard) => (this.#running.get(shard) ?? 0) === 0,
    };
  }

  #onEvent(event: RingEvent): void {
    const { type, shard } = event;
    if (type === 'lost') {
      this.#aborts.get(shard)?.controller.abort();
      this.#aborts.delete(shard);
    }
    this.#options.onEvent(event);
  }

  #loseAll(member: RingMember): void {
    for (const shard of member.wanted) {
      if (member.isRecorded(shard)) this.#onEvent({ type: 'lost', shard });
    }
    this.#wanted = '';
    this.#options.onWanted([]);
  }

  #announce(joined: Joined, facts: RingFacts): void {
    const { wanted } = joined.member;
    const text = wanted.join();
    // Before this member takes part in the assignment, it is not known that it has no shards.
    const isKnown = this.#wanted !== undefined || text !== '' || this.#isSettled(facts);
    if (isKnown && text !== this.#wanted) {
      this.#wanted = text;
      this.#options.onWanted(wanted);
    }
    const prepared = joined.member.preparedShards(facts);
    const announced = `${this.#isLeaving} ${prepared.join()}`;
    if (announced === joined.announced || joined.member.isLost) return;
    joined.announced = announced;
    joined.membership.announce(prepared, this.#isLeaving);
  }

  #isSettled({ nowMs, memberSinceMs }: RingFacts): boolean {
    return memberSinceMs !== undefined && nowMs - memberSinceMs >= this.#options.settleMs;
  }

  #signalOf(shard: number): AbortSignal {
    const known = this.#aborts.get(shard);
    if (known !== undefined) return known.signal;
    const controller = new AbortController();
    const signal = checkedSignal(controller, () => {
      if (!this.isOwned(shard)) controller.abort();
    });
    this.#aborts.set(shard, { controller, signal });
    return signal;
  }
}
