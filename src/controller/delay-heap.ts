import { higherPriority, type Priority } from './priority-lanes.js';

interface Waiting<T> {
  readonly item: T;
  priority: Priority;
  readyAtMs: number;
  /** Breaks ties: first in, first out. */
  readonly order: number;
  /** In the heap. */
  index: number;
}

/**
 * A binary heap of items by the time at which they become ready. Adding an item again keeps the earlier time and the
 * higher priority.
 */
export class DelayHeap<T> {
  readonly #heap: Waiting<T>[] = [];
  readonly #byItem = new Map<T, Waiting<T>>();
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the first item becomes ready. */
  get nextAtMs(): number | undefined {
    return this.#heap[0]?.readyAtMs;
  }

  put(item: T, readyAtMs: number, priority: Priority): void {
    const known = this.#byItem.get(item);
    if (known === undefined) {
      const waiting = { item, priority, readyAtMs, order: this.#order++, index: this.#heap.length };
      this.#byItem.set(item, waiting);
      this.#heap.push(waiting);
      this.#rise(waiting);
      return;
    }
    known.priority = higherPriority(known.priority, priority);
    if (readyAtMs < known.readyAtMs) {
      known.readyAtMs = readyAtMs;
      this.#rise(known);
    }
  }

  /** Removes and returns the first item that is ready. */
  takeReady(nowMs: number): { readonly item: T; readonly priority: Priority } | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.readyAtMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#place(last, 0);
      this.#sink(last);
    }
    this.#byItem.delete(first.item);
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#byItem.clear();
  }

  #rise(waiting: Waiting<T>): void {
    for (;;) {
      const parent = this.#heap[(waiting.index - 1) >> 1];
      if (waiting.index === 0 || parent === undefined || !isBefore(waiting, parent)) return;
      this.#swap(waiting, parent);
    }
  }

  #sink(waiting: Waiting<T>): void {
    for (;;) {
      const left = this.#heap[2 * waiting.index + 1];
      const right = this.#heap[2 * waiting.index + 2];
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, waiting)) return;
      this.#swap(waiting, child);
    }
  }

  #swap(a: Waiting<T>, b: Waiting<T>): void {
    const { index } = a;
    this.#place(a, b.index);
    this.#place(b, index);
  }

  #place(waiting: Waiting<T>, index: number): void {
    waiting.index = index;
    this.#heap[index] = waiting;
  }
}

function isBefore<T>(a: Waiting<T>, b: Waiting<T>): boolean {
  return a.readyAtMs < b.readyAtMs || (a.readyAtMs === b.readyAtMs && a.order < b.order);
}
