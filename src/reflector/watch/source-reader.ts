import type { Clock } from '../../util/clock.js';

export type Read<C> =
  | { readonly type: 'chunk'; readonly chunk: C }
  | { readonly type: 'end' }
  | { readonly type: 'timeout' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'aborted' };

/** Shared: without a reason, every abort creates an error. */
const CLOSED = new DOMException('reader closed', 'AbortError');

/**
 * Pulls chunks from a source, one at a time, with a timeout: the timeout, an interruption and the signal each end the
 * wait at once, even if the source ignores its own signal.
 */
export class SourceReader<C> {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #iterator: AsyncIterator<C>;
  /** Ends the pending read; a no-op between reads. */
  #settle: (read: Read<C>) => void = () => {};
  #isClosed = false;

  /** Throws what `open` throws. */
  constructor(open: (signal: AbortSignal) => AsyncIterable<C>, clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    if (signal.aborted) this.#controller.abort(signal.reason);
    else signal.addEventListener('abort', this.#onAbort, { once: true });
    try {
      this.#iterator = open(this.#controller.signal)[Symbol.asyncIterator]();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Rejects with what the source threw. Without a timeout, waits indefinitely. A read that returned anything but a
   * chunk was the last one.
   */
  next(timeoutMs?: number): Promise<Read<C>> {
    if (this.#signal.aborted || this.#isClosed) return Promise.resolve({ type: 'aborted' });
    return new Promise((resolve, reject) => {
      const timer =
        timeoutMs === undefined
          ? undefined
          : this.#clock.schedule(() => void this.#expire(finish), timeoutMs);
      const done = (): void => {
        timer?.cancel();
        this.#settle = () => {};
      };
      const finish = (read: Read<C>): void => {
        done();
        resolve(read);
      };
      this.#settle = finish;
      this.#pull().then(
        (result) => finish(result.done ? { type: 'end' } : { type: 'chunk', chunk: result.value }),
        (error: unknown) => {
          done();
          reject(error);
        },
      );
    });
  }

  /** Ends the pending read, if there is one. */
  interrupt(): void {
    this.#settle({ type: 'interrupted' });
  }

  /** Idempotent. Does not wait for the source to notice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#controller.abort(CLOSED);
    this.#settle({ type: 'aborted' });
    // An error of a source that is being closed does not matter.
    this.#return().catch(() => {});
  }

  readonly #onAbort = (): void => {
    this.#controller.abort(this.#signal.reason);
    this.#settle({ type: 'aborted' });
  };

  /** Async, so that an iterator that throws synchronously rejects. */
  async #pull(): Promise<IteratorResult<C>> {
    return this.#iterator.next();
  }

  async #return(): Promise<void> {
    await this.#iterator?.return?.();
  }

  /** After a stall of this thread the timer fires before the chunks that arrived meanwhile: yield to these first. */
  async #expire(finish: (read: Read<C>) => void): Promise<void> {
    await this.#clock.yield();
    finish({ type: 'timeout' });
  }
}
