/**
 * Decides when a queue, and so its informer, has synced: it received its first list, and everything that was in the
 * queue then has been *processed*. client-go's DeltaFIFO counted down before processing, so that it could report synced
 * while the store still missed an object. For handlers, see `SingleFileTracker`.
 */
export class HasSynced {
  #isPopulated = false;
  #remaining = 0;
  readonly #onSynced: () => void;

  constructor(onSynced: () => void) {
    this.#onSynced = onSynced;
  }

  /** Never becomes false again. */
  get value(): boolean {
    return this.#isPopulated && this.#remaining === 0;
  }

  /** Items of the first list that are not processed yet. */
  get remaining(): number {
    return this.#remaining;
  }

  /** The queue received its first list, of this many items, or, with 0, an event before any list. */
  populate(items: number): void {
    if (this.#isPopulated) return;
    this.#isPopulated = true;
    this.#remaining = items;
    if (items === 0) this.#onSynced();
  }

  processed(items: number): void {
    if (this.#remaining === 0) return;
    this.#remaining = Math.max(0, this.#remaining - items);
    if (this.#remaining === 0) this.#onSynced();
  }
}
