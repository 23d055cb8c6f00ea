/** Failures by item, of limiters that wait longer with each one. */
export class FailureCounts<T> {
  readonly #failures = new Map<T, number>();

  /** Counts one more, and tells how many there were before. */
  add(item: T): number {
    const before = this.of(item);
    this.#failures.set(item, before + 1);
    return before;
  }

  of(item: T): number {
    return this.#failures.get(item) ?? 0;
  }

  forget(item: T): void {
    this.#failures.delete(item);
  }
}
