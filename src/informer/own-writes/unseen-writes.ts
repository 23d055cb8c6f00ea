import type { Key } from '../../kube/key.js';
import type { Clock } from '../../util/clock.js';
import type { Expectation } from './expectation.js';

/** How long a write is remembered that the cache does not show: bookmarks come once a minute. */
const KEPT_MS = 150_000;

/** Keys with unseen writes; beyond that, the oldest write is forgotten. */
const MAX_KEYS = 65_536;

/** Per turn of the event loop. */
const MAX_EXPIRED = 1000;

export interface UnseenWrite {
  readonly expectation: Expectation;
  /** Since the first write of the key that is still unseen. */
  readonly sinceMs: number;
  readonly expiresAtMs: number;
  /** Called once, when the write was seen, or with the reason why it no longer counts. */
  readonly waiters: Set<(outcome: WriteOutcome) => void>;
}

export type WriteOutcome = 'seen' | 'expired' | 'stopped';

/** The writes that the cache does not show yet, one per key: with a limit of their number and of their age. */
export class UnseenWrites {
  readonly #clock: Clock;
  readonly #onRemoved: (write: UnseenWrite, outcome: WriteOutcome) => void;
  /** Oldest first. */
  readonly #writes = new Map<Key, UnseenWrite>();
  #timer: { cancel(): void } | undefined;

  constructor(clock: Clock, onRemoved: (write: UnseenWrite, outcome: WriteOutcome) => void) {
    this.#clock = clock;
    this.#onRemoved = onRemoved;
  }

  get size(): number {
    return this.#writes.size;
  }

  get(key: Key): UnseenWrite | undefined {
    return this.#writes.get(key);
  }

  values(): IterableIterator<UnseenWrite> {
    return this.#writes.values();
  }

  /** In place of an earlier write of the key, whose waiters now wait for both. */
  set(expectation: Expectation): void {
    const { key } = expectation;
    const nowMs = this.#clock.now();
    const before = this.#writes.get(key);
    this.#writes.delete(key);
    this.#writes.set(key, {
      expectation,
      sinceMs: before?.sinceMs ?? nowMs,
      expiresAtMs: nowMs + KEPT_MS,
      waiters: before?.waiters ?? new Set(),
    });
    if (this.#writes.size > MAX_KEYS) this.#forgetOldest();
    if (this.#timer === undefined) this.#arm();
  }

  /** Does nothing if it was removed or replaced before. */
  remove(write: UnseenWrite, outcome: WriteOutcome): void {
    const { key } = write.expectation;
    if (this.#writes.get(key) !== write) return;
    this.#writes.delete(key);
    this.#onRemoved(write, outcome);
    for (const settle of write.waiters) settle(outcome);
    if (this.#writes.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  clear(): void {
    for (const write of [...this.#writes.values()]) this.remove(write, 'stopped');
  }

  #forgetOldest(): void {
    for (const oldest of this.#writes.values()) {
      this.remove(oldest, 'expired');
      return;
    }
  }

  /** One timer, for the write that expires first. */
  #arm(): void {
    const oldest = this.#writes.values().next().value;
    if (oldest === undefined) return;
    const delayMs = Math.max(0, oldest.expiresAtMs - this.#clock.now());
    this.#timer = this.#clock.schedule(() => this.#expire(), delayMs);
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    let expired = 0;
    for (const write of this.#writes.values()) {
      if (write.expiresAtMs > nowMs || expired === MAX_EXPIRED) break;
      this.remove(write, 'expired');
      expired++;
    }
    this.#arm();
  }
}
