import type { Leadership, LeadershipTerm } from '../lease/leadership.js';
import { onAbort } from '../util/abort.js';
import { checkedSignal } from '../util/checked-signal.js';

/** One reconcile of a term. */
export interface Turn {
  /** Aborted when the controller stops, and when the term ends. */
  readonly signal: AbortSignal;
  /** The term has ended, and the controller has not: the key must be reconciled by the next leader. */
  readonly wasLost: boolean;
  end(): void;
}

interface Entered {
  readonly term: LeadershipTerm;
  readonly signal: AbortSignal;
}

/** Lets workers reconcile while this process is the leader; always, without a leader election. */
export class LeadershipGate {
  readonly #leadership: Leadership | undefined;
  readonly #stopped: AbortSignal;
  /** The signal that the reconciles of a term share. */
  #entered: Entered | undefined;

  /** @param stopped aborted when the controller stops */
  constructor(leadership: Leadership | undefined, stopped: AbortSignal) {
    this.#leadership = leadership;
    this.#stopped = stopped;
  }

  get isOpen(): boolean {
    return this.#leadership === undefined || this.#leadership.term !== undefined;
  }

  /** Resolves when this process is the leader, or when the controller stops. */
  async opened(): Promise<void> {
    const term = await this.#leadership?.nextTerm(this.#stopped);
    if (term !== undefined || this.#stopped.aborted) return;
    // The elector was stopped before the controller.
    await new Promise<void>((resolve) => onAbort(this.#stopped, resolve));
  }

  /** Resolves when the current term is over; never without a leader election. */
  closed(): Promise<void> {
    const term = this.#leadership?.term;
    return new Promise((resolve) => void (term && onAbort(term.signal, resolve)));
  }

  /** Undefined if this process is not the leader now, by the clocks. */
  enter(): Turn | undefined {
    const leadership = this.#leadership;
    if (leadership === undefined) return { signal: this.#stopped, wasLost: false, end: () => {} };
    const { term } = leadership;
    if (term === undefined) return undefined;
    const { signal } = this.#signalOf(term);
    const stopped = this.#stopped;
    return {
      signal,
      get wasLost() {
        return !stopped.aborted && !term.isCurrent;
      },
      end: term.begin(),
    };
  }

  #signalOf(term: LeadershipTerm): Entered {
    if (this.#entered?.term === term) return this.#entered;
    const controller = new AbortController();
    // A term that is over aborts its own signal when it is looked at, and so this one.
    const signal = checkedSignal(controller, () => void term.isCurrent);
    const release = onAbort(this.#stopped, () => controller.abort(this.#stopped.reason));
    onAbort(term.signal, () => {
      release();
      controller.abort(term.signal.reason);
    });
    this.#entered = { term, signal };
    return this.#entered;
  }
}
