import { Ring } from '../store/queue/ring.js';

/** `normal` for news, `low` for what was there before: the initial list, resyncs. */
export type Priority = 'normal' | 'low';

/** So many of the normal lane are taken before one of the low lane has its turn. */
const NORMAL_PER_LOW = 8;

/**
 * The order in which a work queue hands out items: first come, first served in each lane; news first, but however much news there is,
 * the low lane moves on. An item is queued once: again, it keeps its place, or is moved up.
 */
export class TwoLanes<T> {
  readonly #rings: { readonly [P in Priority]: Ring<T> } = { normal: new Ring(), low: new Ring() };
  /** In which lane an item is. What a ring holds of items that are not in its lane any more is passed over. */
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
    const isLowsTurn = this.#lowLength > 0 && (!hasNormal || this.#sinceLow >= NORMAL_PER_LOW);
    this.#sinceLow = isLowsTurn ? 0 : this.#sinceLow + 1;
    return this.#take(isLowsTurn ? 'low' : 'normal');
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

  /** What items that were moved up have left in the ring goes with the last one, else it would pile up. */
  #leaveLow(): void {
    this.#lowLength--;
    const { low } = this.#rings;
    while (this.#lowLength === 0 && low.length > 0) low.shift();
  }
}
