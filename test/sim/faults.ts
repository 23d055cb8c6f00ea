import type { SeededRandom } from '../support/time/seeded-random.js';
import type { Trace } from './trace.js';

/** Faults of the API server. */
export const SERVER_FAULTS = [
  // any request
  'refused',
  'reset-on-open',
  'too-many-requests',
  'too-many-requests-retry-after',
  'internal-status',
  'unavailable-status',
  'forbidden-status',
  'delayed-answer',
  // lists
  'list-stalls',
  'list-truncated',
  'list-reset',
  'list-expired',
  'list-token-expired',
  'list-older-than-asked',
  'list-wrong-kind',
  'list-unreadable-item',
  'list-unreadable-nameless-item',
  // watches
  'watch-expired-status',
  'very-short-watch',
  'short-lived-watch',
  'stream-closed',
  'stream-reset',
  'stream-stalls',
  'expired-event',
  'internal-event',
  'too-many-requests-event',
  'storage-read-event',
  'unexpected-error-object',
  'delayed-events',
  'duplicate-event',
  'stale-event',
  'wrong-kind-event',
  'unknown-event',
  'unknown-event-with-object',
  'unreadable-event',
  'unreadable-nameless-event',
  'bookmark-ahead',
  // streaming lists
  'watch-list-unsupported',
  'watch-list-never-ends',
  'watch-list-internal',
  'watch-list-closed-early',
] as const;

/** Faults of the store behind the reflector. */
export const STORE_FAULTS = [
  'store-throws',
  'store-replace-throws',
  'store-behind',
  'resync-throws',
] as const;

export type ServerFault = (typeof SERVER_FAULTS)[number];

export const FAULTS = [...SERVER_FAULTS, ...STORE_FAULTS] as const;

export type Fault = (typeof FAULTS)[number];

/** The faults of one run: a random part of all faults is enabled, each at its own random rate. */
export class Faults<F extends string = Fault> {
  readonly #random: SeededRandom;
  readonly #trace: Trace;
  readonly #rates = new Map<F, number>();
  #isOver = false;

  constructor(random: SeededRandom, trace: Trace, faults: readonly F[]) {
    this.#random = random;
    this.#trace = trace;
    for (const fault of faults) {
      // Per event or per request. Frequent faults prevent others from being reached, so most rates are low.
      if (random.chance(0.4)) this.#rates.set(fault, random.pick([0.01, 0.03, 0.1, 0.3]));
    }
  }

  isEnabled(fault: F): boolean {
    return this.#rates.has(fault);
  }

  disable(faults: Iterable<F>): void {
    for (const fault of faults) this.#rates.delete(fault);
  }

  get enabled(): string {
    return [...this.#rates].map(([fault, rate]) => `${fault}=${rate}`).join(' ');
  }

  /** Decides whether the fault occurs now, and traces it. */
  strikes(fault: F): boolean {
    const rate = this.#rates.get(fault);
    if (rate === undefined || this.#isOver || !this.#random.chance(rate)) return false;
    this.#trace.count(`fault ${fault}`);
    this.#trace.line(`fault ${fault}`);
    return true;
  }

  /** From now on no fault occurs. */
  end(): void {
    this.#isOver = true;
  }

  get isOver(): boolean {
    return this.#isOver;
  }
}
