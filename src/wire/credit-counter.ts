/**
 * The credits of a stream, in the memory that fingerprint.ts begins to describe. A message to a thread wakes it, which
 * costs both threads more than the batch that it is for; so the worker looks at a counter instead, and is sent
 * messages only while it holds rows back for want of credits.
 *
 *     2  how many batches the main thread has returned the credit of; wraps around
 *     3  1 while the worker needs no messages
 *
 * The worker clears the flag before it reads the counter, the main thread increments the counter before it reads the
 * flag: at least one of them sees what the other wrote, so that no credit is missed.
 */

const RETURNED = 2;
const IS_QUIET = 3;

/** On the main thread. Returns whether the worker has to be sent a message. */
export function returnCredit(memory: Int32Array): boolean {
  Atomics.add(memory, RETURNED, 1);
  return Atomics.load(memory, IS_QUIET) === 0;
}

/** The worker's view. */
export class CreditCounter {
  readonly #memory: Int32Array;
  #seen = 0;

  constructor(memory: Int32Array) {
    this.#memory = memory;
  }

  /** Credits that were returned since the last call. */
  take(): number {
    const returned = Atomics.load(this.#memory, RETURNED);
    const taken = (returned - this.#seen) | 0;
    this.#seen = returned;
    return taken;
  }

  set isQuiet(isQuiet: boolean) {
    Atomics.store(this.#memory, IS_QUIET, isQuiet ? 1 : 0);
  }
}
