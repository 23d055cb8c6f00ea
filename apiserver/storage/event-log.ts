import type { StoredObject } from './stored-object.js';

/** One write. `object` is undefined after a delete, `previous` before a create. */
export interface StorageEvent {
  readonly revision: number;
  readonly key: string;
  readonly object: StoredObject | undefined;
  readonly previous: StoredObject | undefined;
}

/**
 * The writes to one resource, in order of revision. Watches are cursors into it, and old snapshots are the newest
 * state rolled back by it, so its length bounds both how late a watch may resume and how long a page token lives.
 */
export class EventLog {
  readonly #maxEvents: number;
  #events: StorageEvent[] = [];
  /**
   * Index of the first event still held: dropping events advances it, and the array is cut when half of it is
   * dropped.
   */
  #head = 0;
  #dropped = 0;
  #compacted: number;

  /** `since`: the log knows all writes after this revision. */
  constructor(since: number, maxEvents: number) {
    this.#compacted = since;
    this.#maxEvents = maxEvents;
  }

  /** Every write after this revision is held; those up to it may be gone. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Positions increase by one with each event appended. */
  get end(): number {
    return this.#dropped + this.#events.length;
  }

  append(event: StorageEvent): void {
    this.#events.push(event);
    if (this.#events.length - this.#head > this.#maxEvents) this.#drop(1);
  }

  /** The event at a position, or undefined past the end. Positions before the oldest held event are `isDropped`. */
  at(position: number): StorageEvent | undefined {
    return this.#events[position - this.#dropped];
  }

  isDropped(position: number): boolean {
    return position < this.#dropped + this.#head;
  }

  /** The position of the first event after `revision`. */
  positionAfter(revision: number): number {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#dropped + low;
  }

  /** Drops all writes up to `revision`. */
  compact(revision: number): void {
    this.#drop(this.positionAfter(revision) - this.#dropped - this.#head);
    this.#compacted = Math.max(this.#compacted, revision);
  }

  #drop(count: number): void {
    if (count <= 0) return;
    const last = this.#events[this.#head + count - 1];
    this.#compacted = Math.max(this.#compacted, last?.revision ?? 0);
    this.#head += count;
    if (this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#dropped += this.#head;
      this.#head = 0;
    }
  }
}
