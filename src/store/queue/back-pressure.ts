import { onAbort } from '../../util/abort.js';

/** Lets a producer wait while a queue is too long. */
export class BackPressure {
  readonly #isBehind: () => boolean;
  readonly #waiting = new Set<() => void>();

  constructor(isBehind: () => boolean) {
    this.#isBehind = isBehind;
  }

  get isBehind(): boolean {
    return this.#isBehind();
  }

  /** Call it whenever the queue may have become shorter. */
  release(): void {
    if (this.#waiting.size === 0 || this.#isBehind()) return;
    for (const resume of [...this.#waiting]) resume();
  }

  /** Resolves when the queue is short again, or the signal aborted; never rejects. */
  drained(signal: AbortSignal): Promise<void> {
    if (!this.#isBehind() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      let release = (): void => {};
      const resume = (): void => {
        this.#waiting.delete(resume);
        release();
        resolve();
      };
      this.#waiting.add(resume);
      release = onAbort(signal, resume);
    });
  }
}
