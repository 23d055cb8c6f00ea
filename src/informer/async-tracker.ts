/**
 * For controllers that hand keys over to workers of their own (client-go's synctrack.AsyncTracker): start a key in the handler
 * when `isInInitialList`, finish it when the worker is through with it. Finishing a key that was not started does nothing.
 */
export class AsyncTracker<K> {
  readonly #upstreamHasSynced: () => boolean;
  readonly #waiting = new Set<K>();
  #hasSynced = false;

  constructor(upstreamHasSynced: () => boolean) {
    this.#upstreamHasSynced = upstreamHasSynced;
  }

  start(key: K): void {
    this.#waiting.add(key);
  }

  finished(key: K): void {
    this.#waiting.delete(key);
  }

  /** True once upstream has synced and no key is waiting; stays true. */
  get hasSynced(): boolean {
    this.#hasSynced ||= this.#upstreamHasSynced() && this.#waiting.size === 0;
    return this.#hasSynced;
  }
}
