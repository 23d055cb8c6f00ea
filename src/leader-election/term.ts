import type { LossReason } from '../lease/election-types.js';
import type { LeadershipTerm } from '../lease/leadership.js';
import type { TermMemory } from '../lease/leadership-memory.js';
import { checkedSignal } from '../util/checked-signal.js';
import { processTime, systemWallTime } from '../util/clock.js';
import { KubeflectError } from '../util/errors.js';

/** Why a term ended, besides what the lease thread finds out. */
export type TermEnd = LossReason | 'stopped' | 'thread-lost';

const CAUSES: Readonly<Record<TermEnd, string>> = {
  deadline: 'it was not renewed before the renew deadline',
  suspended: 'the process was suspended for longer than the renew deadline, or its clock was set forward',
  'owner-silent': 'the event loop of the main thread was blocked for longer than the renew deadline',
  taken: 'another candidate holds it',
  deleted: 'it was deleted',
  yielded: 'the term was over on the main thread',
  stopped: 'the elector was stopped',
  'thread-lost': 'the thread that renews it was lost',
};

export interface TermOptions {
  readonly number: number;
  readonly transitions: number;
  readonly memory: TermMemory;
  /** In errors: namespace and name of the Lease. */
  readonly leaseName: string;
  /** Called once. */
  readonly onEnd: (term: Term, reason: TermEnd) => void;
  /** Called for each work; what it returns is called when the work has ended. */
  readonly onWork: () => () => void;
}

/** The main thread's view of a term. It ends by the clocks, or earlier if the lease thread reports it. */
export class Term implements LeadershipTerm {
  readonly number: number;
  readonly transitions: number;
  readonly signal: AbortSignal;
  readonly #options: TermOptions;
  readonly #abort = new AbortController();
  #isEnded = false;

  constructor(options: TermOptions) {
    this.#options = options;
    this.number = options.number;
    this.transitions = options.transitions;
    this.signal = checkedSignal(this.#abort, () => this.check());
  }

  get isCurrent(): boolean {
    this.check();
    return !this.#isEnded;
  }

  /** Ends the term if it is over, by the clocks or by the lease thread's report. */
  check(): void {
    if (this.#isEnded) return;
    const reason = this.#options.memory.lossOf(this.number, processTime(), systemWallTime());
    if (reason !== undefined) this.end(reason);
  }

  end(reason: TermEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { leaseName, onEnd } = this.#options;
    const message = `the Lease ${leaseName} is not held any more: ${CAUSES[reason]}`;
    this.#abort.abort(new KubeflectError('KUBEFLECT_LEADERSHIP_LOST', message));
    onEnd(this, reason);
  }

  begin(): () => void {
    return this.#options.onWork();
  }
}
