import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Distinguishes a restart from a start. Code written for client-node restarts its informer some seconds after each
 * error, because there an error ends it. Such a call originates in an error callback, through a timer or a promise.
 * If the program has called `stop` meanwhile, the restart must not undo that.
 */
export class RestartGuard {
  /** Identifies the error callback in which an asynchronous call originates. */
  readonly #error = new AsyncLocalStorage<object | undefined>();
  /** The error callback that stopped the informer, if one did. */
  #stoppedBy: object | undefined;

  duringError(callback: () => void): void {
    this.#error.run({}, callback);
  }

  /** Runs work that must not count as originating in an error callback, although it is called in one. */
  outside<R>(work: () => R): R {
    return this.#error.run(undefined, work);
  }

  stopped(): void {
    this.#stoppedBy = this.#error.getStore();
  }

  /** False if this call of `start` is the restart after an error that occurred before the stop. */
  get isStartWanted(): boolean {
    const error = this.#error.getStore();
    return error === undefined || error === this.#stoppedBy;
  }
}
