import type { WireError } from '../wire/messages.js';
import type { Lease, LeaseName } from './lease.js';

export interface ElectionOptions extends LeaseName {
  readonly identity: string;
  /** Whole seconds. Others may take the Lease when they have seen it unchanged for so long. */
  readonly leaseDurationMs: number;
  /** A term ends so long after the last successful renewal was sent. Less than the lease duration. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /**
   * The Lease belongs to this identity alone, as a Lease by which a member of a group shows that it lives: it is
   * created, never taken from another holder, and the election ends when its holder was changed by another process, or
   * it was deleted.
   */
  readonly isMembership?: boolean;
  /** Of a Lease that is created. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Added to the Lease with every write. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What the clocks of the process show. */
export interface Instant {
  /** Monotonic, the same for all threads. */
  readonly nowMs: number;
  /** Milliseconds since 1970. */
  readonly wallMs: number;
  /** When, by the monotonic clock, the owner of the election last showed that its event loop turns. */
  readonly ownerSeenMs: number;
}

export type LeaseVerb = 'get' | 'create' | 'update';

export type LeaseResult =
  | { readonly type: 'ok'; readonly lease: Lease }
  | { readonly type: 'failed'; readonly error: WireError };

export type ElectionInput =
  | { readonly type: 'tick' }
  | { readonly type: 'response'; readonly id: number; readonly result: LeaseResult }
  /** There are new credentials: the next attempt is made at once. */
  | { readonly type: 'retry' }
  /** The owner has seen the end of a term. */
  | { readonly type: 'yield'; readonly term: number }
  /** Replaces the annotations that are written, and writes them. */
  | { readonly type: 'annotate'; readonly annotations: Readonly<Record<string, string>> }
  /** Ends the election; the Lease is given back if it is held. */
  | { readonly type: 'release' }
  /** Ends the election, and leaves the Lease to expire. */
  | { readonly type: 'abandon' };

/**
 * `deadline`: it was not renewed in time. `suspended`: the same by the wall clock, and not by the
 * monotonic one.
 * `owner-silent`: the owner's event loop did not turn. `taken`: the Lease names another holder, or was written by
 * another process under the same identity. `deleted`: it is gone, or was created anew. `yielded`: the owner ended it.
 */
export type LossReason = (typeof LOSS_REASONS)[number];

/** Their positions are those in the memory of a term. */
export const LOSS_REASONS = ['deadline', 'suspended', 'owner-silent', 'taken', 'deleted', 'yielded'] as const;

/** `release-failed`: the Lease could not be written in time, and expires. `fenced`: only with `isMembership`. */
export type ElectionEnd = 'released' | 'release-failed' | 'abandoned' | 'fenced';

export interface TermDeadline {
  readonly deadlineMs: number;
  readonly wallDeadlineMs: number;
}

export type ElectionEffect =
  | {
      readonly type: 'request';
      readonly id: number;
      readonly verb: LeaseVerb;
      /** Of create and update. */
      readonly lease: Lease | undefined;
    }
  /** Its response does not count any more. */
  | { readonly type: 'abort'; readonly id: number }
  | ({ readonly type: 'leading'; readonly term: number; readonly transitions: number } & TermDeadline)
  | ({ readonly type: 'renewed' } & TermDeadline)
  | { readonly type: 'lost'; readonly term: number; readonly reason: LossReason }
  /** The Lease has another holder than when it was last seen; empty if it is free. */
  | { readonly type: 'observed'; readonly holder: string; readonly transitions: number }
  /** A request failed, other than by a conflict. */
  | { readonly type: 'failed'; readonly verb: LeaseVerb; readonly error: WireError }
  /** A renewal had to read the Lease first. */
  | { readonly type: 'slow-path' }
  | { readonly type: 'ended'; readonly reason: ElectionEnd };
