import { Ring } from '../store/queue/ring.js';

/** `normal` for changes, `low` for existing objects: the initial list, resyncs. */
export type Priority = 'normal' | 'low';

/** After this many items of the normal lane, one of the low lane is taken. */
const NORMAL_PER_LOW = 8;

/**
 * The order of a work queue: first in, first out in each lane; the normal lane first, but the low lane is never
 * starved. An item is queued once: adding it again keeps its place, or moves it to the normal lane.
 */
export class TwoLanes<T> {
  readonly #rings: { readonly [P in Priority]: Ring<T> } = { normal: new Ring(), low: new Ring() };
  /** The lane of each item. Rings may hold items that were moved to another lane; these are skipped. */
  readonly #laneOf = new Map<T, Priority>();
  #lowLength = 0;
  #sinceLow = 0;

  get length(): number {
    return this.#laneOf.size;
  }

  push(item: T, priority: Priority): void {
    const lane = this.#laneOf.get(item);
    if (lane === priority || lane === 'normal') return;
    if (priority === 'low') this.#lowLength++;
    else if (lane === 'low') this.#leaveLow();
    this.#laneOf.set(item, priority);
    this.#rings[priority].push(item);
  }

  shift(): { readonly item: T } | undefined {
    if (this.length === 0) return undefined;
    const hasNormal = this.length > this.#lowLength;
    const isLowTurn = this.#lowLength > 0 && (!hasNormal || this.#sinceLow >= NORMAL_PER_LOW);
    this.#sinceLow = isLowTurn ? 0 : this.#sinceLow + 1;
    return this.#take(isLowTurn ? 'low' : 'normal');
  }

  #take(lane: Priority): { readonly item: T } {
    const ring = this.#rings[lane];
    for (;;) {
      const item = ring.shift() as T;
      if (this.#laneOf.get(item) !== lane) continue;
      this.#laneOf.delete(item);
      if (lane === 'low') this.#leaveLow();
      return { item };
    }
  }

  /** Moved items are removed from the ring with the last item of the lane, or they would accumulate. */
  #leaveLow(): void {
    this.#lowLength--;
    const { low } = this.#rings;
    while (this.#lowLength === 0 && low.length > 0) low.shift();
  }
}
