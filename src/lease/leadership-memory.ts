import { LOSS_REASONS, type LossReason } from './election-types.js';

/**
 * Memory that the lease thread shares with the thread that owns the elections. Both look at the same monotonic clock,
 * so that the owner needs no message to know that a term has ended: its own event loop may have been blocked.
 *
 * Of the owner, one for all of its Leases:
 *
 *     0  SEEN_US             when its event loop last turned, by the monotonic clock
 *
 * Of one Lease, written by the lease thread only:
 *
 *     0  TERM                the current term, 0 without one: written last when a term begins, first when it ends
 *     1  DEADLINE_US         its end by the monotonic clock
 *     2  WALL_DEADLINE_US    its end by the wall clock
 *     3  WRITES              accepted writes
 *     4  FAILURES            failed requests
 *     5  SLOW_PATHS          renewals that had to read the Lease first
 *     6  LOSS                why the last term ended, of LOSS_REASONS: written before TERM
 */

const SEEN_US = 0;

const TERM = 0;
const DEADLINE_US = 1;
const WALL_DEADLINE_US = 2;
const COUNTERS = { writes: 3, failures: 4, slowPaths: 5 } as const;
const LOSS = 6;
const SLOTS = 7;

export type LeaseCounter = keyof typeof COUNTERS;

function cells(slots: number): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(slots * BigInt64Array.BYTES_PER_ELEMENT));
}

function micros(ms: number): bigint {
  return BigInt(Math.floor(ms * 1000));
}

/** That the owner's event loop turns. */
export class OwnerMemory {
  readonly cells: BigInt64Array;

  constructor(shared: BigInt64Array = cells(1)) {
    this.cells = shared;
  }

  get seenMs(): number {
    return Number(Atomics.load(this.cells, SEEN_US)) / 1000;
  }

  see(nowMs: number): void {
    Atomics.store(this.cells, SEEN_US, micros(nowMs));
  }
}

/** The current term of one Lease. */
export class TermMemory {
  readonly cells: BigInt64Array;

  constructor(shared: BigInt64Array = cells(SLOTS)) {
    this.cells = shared;
  }

  /** Without a term, for another thread. What was counted is kept. */
  successor(): TermMemory {
    const next = new TermMemory();
    for (const slot of Object.values(COUNTERS)) next.cells[slot] = Atomics.load(this.cells, slot);
    return next;
  }

  /** True while the term is current, by the lease thread's account and by both clocks. */
  isCurrent(term: number, nowMs: number, wallMs: number): boolean {
    return this.lossOf(term, nowMs, wallMs) === undefined;
  }

  /** Why the term is not current; undefined while it is. */
  lossOf(term: number, nowMs: number, wallMs: number): LossReason | undefined {
    if (Atomics.load(this.cells, TERM) !== BigInt(term)) {
      return LOSS_REASONS[Number(Atomics.load(this.cells, LOSS))];
    }
    if (micros(nowMs) >= Atomics.load(this.cells, DEADLINE_US)) return 'deadline';
    return micros(wallMs) < Atomics.load(this.cells, WALL_DEADLINE_US) ? undefined : 'suspended';
  }

  prolong(deadlineMs: number, wallDeadlineMs: number): void {
    Atomics.store(this.cells, DEADLINE_US, micros(deadlineMs));
    Atomics.store(this.cells, WALL_DEADLINE_US, micros(wallDeadlineMs));
  }

  begin(term: number, deadlineMs: number, wallDeadlineMs: number): void {
    this.prolong(deadlineMs, wallDeadlineMs);
    Atomics.store(this.cells, TERM, BigInt(term));
  }

  end(reason: LossReason): void {
    Atomics.store(this.cells, LOSS, BigInt(LOSS_REASONS.indexOf(reason)));
    Atomics.store(this.cells, TERM, 0n);
  }

  count(counter: LeaseCounter): void {
    Atomics.add(this.cells, COUNTERS[counter], 1n);
  }

  counted(counter: LeaseCounter): number {
    return Number(Atomics.load(this.cells, COUNTERS[counter]));
  }
}
