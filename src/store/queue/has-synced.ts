/**
 * When a queue has synced: it was filled once, and everything that was in it then has been *processed*. client-go's DeltaFIFO
 * counted down before processing, so that it could say synced while the store was still missing an object.
 */
export class InitialPopulation {
  #isPopulated = false;
  #remaining = 0;
  readonly #onSynced: () => void;

  constructor(onSynced: () => void) {
    this.#onSynced = onSynced;
  }

  get hasSynced(): boolean {
    return this.#isPopulated && this.#remaining === 0;
  }

  get isPopulated(): boolean {
    return this.#isPopulated;
  }

  /** Items of the first list that are not processed yet. */
  get remaining(): number {
    return this.#remaining;
  }

  /** The queue got its first list, of this many items, or, with none, an event before any list. */
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
