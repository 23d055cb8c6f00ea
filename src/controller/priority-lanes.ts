import { Ring } from '../store/queue/ring.js';

/**
 * `normal` for changes; `low` for existing objects, as the initial list and resyncs; `high` for what must not wait
 * behind changes.
 */
export type Priority = (typeof PRIORITIES)[number];

/** From the one that is served first. */
export const PRIORITIES = ['high', 'normal', 'low'] as const;

export function isPriority(value: unknown): value is Priority {
  return PRIORITIES.includes(value as Priority);
}

export function higherPriority(a: Priority, b: Priority): Priority {
  return PRIORITIES.indexOf(a) < PRIORITIES.indexOf(b) ? a : b;
}

/** After this many items of higher lanes, one of a lower lane is taken. */
const HIGHER_PER_LOWER = 8;

interface Lane<T> {
  readonly priority: Priority;
  /** May hold items that were moved to a higher lane; these are skipped. */
  readonly ring: Ring<T>;
  /** Items, without those that were moved. */
  length: number;
  /** Items of higher lanes that were taken since the last one of this lane. */
  passed: number;
}

/**
 * The order of a work queue: first in, first out in each lane; higher lanes first, but no lane is ever starved. An item
 * is queued once: adding it again keeps its place, or moves it to a higher lane.
 */
export class PriorityLanes<T> {
  readonly #lanes: readonly Lane<T>[] = PRIORITIES.map((priority) => ({
    priority,
    ring: new Ring(),
    length: 0,
    passed: 0,
  }));
  readonly #laneOf = new Map<T, Lane<T>>();

  get length(): number {
    return this.#laneOf.size;
  }

  push(item: T, priority: Priority): void {
    const known = this.#laneOf.get(item);
    if (known !== undefined && higherPriority(priority, known.priority) === known.priority) return;
    const lane = this.#lanes[PRIORITIES.indexOf(priority)] as Lane<T>;
    if (known !== undefined) this.#leave(known);
    this.#laneOf.set(item, lane);
    lane.ring.push(item);
    lane.length++;
  }

  shift(): { readonly item: T; readonly priority: Priority } | undefined {
    const lane =
      this.#lanes.findLast(({ length, passed }) => length > 0 && passed >= HIGHER_PER_LOWER) ??
      this.#lanes.find(({ length }) => length > 0);
    if (lane === undefined) return undefined;
    lane.passed = 0;
    for (let i = this.#lanes.indexOf(lane) + 1; i < this.#lanes.length; i++) {
      (this.#lanes[i] as Lane<T>).passed++;
    }
    for (;;) {
      const item = lane.ring.shift() as T;
      if (this.#laneOf.get(item) !== lane) continue;
      this.#laneOf.delete(item);
      this.#leave(lane);
      return { item, priority: lane.priority };
    }
  }

  /** Moved items are removed from the ring with the last item of the lane, or they would accumulate. */
  #leave(lane: Lane<T>): void {
    lane.length--;
    while (lane.length === 0 && lane.ring.length > 0) lane.ring.shift();
  }
}
