import type { Clock } from '../util/clock.js';

/** client-go's minimumResyncPeriod: handlers that ask for less get this. */
const MIN_PERIOD_MS = 1000;

interface Member {
  readonly requestedMs: number;
  periodMs: number;
  nextAt: number;
}

/**
 * Which handlers are due for a resync, and when. The informer checks every `checkPeriodMs`; a handler is due when its
 * own period, which cannot be shorter, has elapsed. Before the start, the check period is reduced to the shortest
 * request.
 */
export class ResyncPlan<M> {
  readonly #clock: Clock;
  readonly #members = new Map<M, Member>();
  readonly #due = new Set<M>();
  #checkPeriodMs: number;

  constructor(clock: Clock, checkPeriodMs: number) {
    this.#clock = clock;
    this.#checkPeriodMs = checkPeriodMs;
  }

  /** 0: never. */
  get checkPeriodMs(): number {
    return this.#checkPeriodMs;
  }

  /** The effective period of a member. 0: never. */
  periodMs(member: M): number {
    return this.#members.get(member)?.periodMs ?? 0;
  }

  add(member: M, periodMs: number, hasStarted: boolean): void {
    let requestedMs = periodMs;
    if (requestedMs > 0) {
      requestedMs = Math.max(requestedMs, MIN_PERIOD_MS);
      if (requestedMs < this.#checkPeriodMs) {
        if (hasStarted) requestedMs = this.#checkPeriodMs;
        else this.#shrink(requestedMs);
      }
    }
    const effectiveMs = this.#effective(requestedMs);
    this.#members.set(member, {
      requestedMs,
      periodMs: effectiveMs,
      nextAt: this.#clock.now() + effectiveMs,
    });
  }

  remove(member: M): void {
    this.#members.delete(member);
    this.#due.delete(member);
  }

  /** client-go's shouldResync: records the members that are due, and returns whether there are any. */
  poll(): boolean {
    const now = this.#clock.now();
    for (const [key, member] of this.#members) {
      if (member.periodMs === 0 || now < member.nextAt) continue;
      member.nextAt = now + member.periodMs;
      this.#due.add(key);
    }
    return this.#due.size > 0;
  }

  /** The members that are due; clears them. */
  takeDue(): M[] {
    const due = [...this.#due];
    this.#due.clear();
    return due;
  }

  #shrink(checkPeriodMs: number): void {
    this.#checkPeriodMs = checkPeriodMs;
    for (const member of this.#members.values()) {
      member.periodMs = this.#effective(member.requestedMs);
      member.nextAt = this.#clock.now() + member.periodMs;
    }
  }

  #effective(requestedMs: number): number {
    if (requestedMs === 0 || this.#checkPeriodMs === 0) return 0;
    return Math.max(requestedMs, this.#checkPeriodMs);
  }
}
