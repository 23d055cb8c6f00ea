import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Tells a restart from a start. Code written for client-node starts its informer again some seconds after each error, because there an
 * error is its end. Such a call comes out of an error callback, by a timer or a promise. If `stop` was called meanwhile, by somebody
 * else, it must not undo that.
 */
export class RestartGuard {
  /** In everything that comes out of an error callback: which one. */
  readonly #error = new AsyncLocalStorage<object | undefined>();
  /** The error callback that stopped the informer, if one did. */
  #stoppedBy: object | undefined;

  duringError(callback: () => void): void {
    this.#error.run({}, callback);
  }

  /** Runs what is not to be taken for part of an error callback, although it is called there. */
  outside<R>(work: () => R): R {
    return this.#error.run(undefined, work);
  }

  stopped(): void {
    this.#stoppedBy = this.#error.getStore();
  }

  /** Of an informer that was stopped: whether this call of `start` is somebody's wish, or the echo of an error before the stop. */
  get isStartWanted(): boolean {
    const error = this.#error.getStore();
    return error === undefined || error === this.#stoppedBy;
  }
}
