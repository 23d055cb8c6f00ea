/**
 * Decides when a handler has synced (client-go's synctrack.SingleFileTracker): the informer has synced, and every
 * initial add that was started is finished. Never becomes false again.
 */
export class SingleFileTracker {
  #waiting = 0;
  #hasUpstreamSynced = false;
  #hasSynced = false;
  readonly #onSynced: () => void;

  constructor(onSynced: () => void = () => {}) {
    this.#onSynced = onSynced;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  start(count = 1): void {
    this.#waiting += count;
  }

  finished(count = 1): void {
    this.#waiting -= count;
    if (this.#waiting < 0) {
      throw new Error('more initial adds finished than started; this is a bug in the processor listener');
    }
    this.#check();
  }

  /** Call it when the informer has synced, after its initial adds were started. */
  upstreamSynced(): void {
    this.#hasUpstreamSynced = true;
    this.#check();
  }

  #check(): void {
    if (this.#hasSynced || !this.#hasUpstreamSynced || this.#waiting > 0) return;
    this.#hasSynced = true;
    this.#onSynced();
  }
}
