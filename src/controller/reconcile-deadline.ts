import { onAbort } from '../util/abort.js';
import { checkedSignal } from '../util/checked-signal.js';
import type { Clock } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';

export interface ReconcileDeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborts the reconcile, too. */
  readonly parent: AbortSignal;
  /** Called when the time is over; what it returns is the reason of the abort. */
  readonly onTimeout: () => KubeflectError;
}

/** The signal of one reconcile that may not take longer than a time. */
export class ReconcileDeadline {
  /** Aborted as soon as `parent` is found to be, which may look at the clocks: see `LeadershipTerm.signal`. */
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #timer: { cancel(): void };
  readonly #release: () => void;
  #isOver = false;

  constructor({ clock, timeoutMs, parent, onTimeout }: ReconcileDeadlineOptions) {
    this.signal = checkedSignal(this.#abort, () => void parent.aborted);
    this.#timer = clock.schedule(() => {
      this.#isOver = true;
      this.#abort.abort(onTimeout());
    }, timeoutMs);
    this.#release = onAbort(parent, () => this.#abort.abort(parent.reason));
  }

  /** True if the reconcile took too long. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The reconcile has ended: its signal is not aborted any more. */
  end(): void {
    this.#timer.cancel();
    this.#release();
  }
}
