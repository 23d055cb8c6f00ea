/** One time of being the leader. */
export interface LeadershipTerm {
  /** Counts the terms of this elector, from 1. */
  readonly number: number;
  /** `leaseTransitions` of the Lease: higher with every other holder. */
  readonly transitions: number;
  /**
   * Aborted when the term ends. Its `aborted` and `throwIfAborted` look at the clocks whenever they are read: also
   * after the event loop was blocked, or the process was suspended, they tell that the term is over.
   */
  readonly signal: AbortSignal;
  /** Looks at the clocks. Once false, it stays so. */
  readonly isCurrent: boolean;
  /**
   * Begins work that must have ended before the Lease is given back: call the function that is returned. A term that
   * has ended can have work, too, as long as it does not act any more.
   */
  begin(): () => void;
}

/** What a controller needs of a leader election. `LeaderElector` is one. */
export interface Leadership {
  /** Idempotent. */
  start(): void;
  /** The current term. Looks at the clocks. */
  readonly term: LeadershipTerm | undefined;
  /** Resolves with the current term, or the next one; undefined if the signal aborts, or there will be none. */
  nextTerm(signal?: AbortSignal): Promise<LeadershipTerm | undefined>;
}
