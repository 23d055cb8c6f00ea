interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** Virtual time: what is scheduled runs in order, synchronously. */
export class EventQueue {
  /** A binary heap, the earliest first. */
  readonly #heap: Event[] = [];
  #order = 0;
  #nowMs = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, run: () => void): { cancel(): void } {
    const event = { atMs: Math.max(atMs, this.#nowMs), order: this.#order++, run, isCancelled: false };
    this.#heap.push(event);
    this.#up(this.#heap.length - 1);
    return {
      cancel: () => {
        event.isCancelled = true;
      },
    };
  }

  after(delayMs: number, run: () => void): { cancel(): void } {
    return this.at(this.#nowMs + delayMs, run);
  }

  /** `onStep` is called after each event. */
  runUntil(endMs: number, onStep: () => void): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      this.#pop();
      if (next.isCancelled) continue;
      this.#nowMs = next.atMs;
      next.run();
      onStep();
    }
    this.#nowMs = endMs;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) if (this.#isLess(child, least)) least = child;
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #up(from: number): void {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.#isLess(i, parent)) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #isLess(i: number, j: number): boolean {
    const [a, b] = [this.#heap[i], this.#heap[j]];
    if (a === undefined || b === undefined) return false;
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  #swap(i: number, j: number): void {
    const [a, b] = [this.#heap[i], this.#heap[j]];
    if (a === undefined || b === undefined) return;
    this.#heap[i] = b;
    this.#heap[j] = a;
  }
}
