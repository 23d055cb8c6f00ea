import { type Clock, MAX_TIMER_MS } from '../../util/clock.js';

export type Read<C> =
  | { readonly type: 'chunk'; readonly chunk: C }
  | { readonly type: 'end' }
  | { readonly type: 'timeout' }
  | { readonly type: 'interrupted' }
  | { readonly type: 'aborted' };

/** Shared: without a reason, every abort creates an error. */
const CLOSED = new DOMException('reader closed', 'AbortError');

interface PendingRead<C> {
  resolve(read: Read<C>): void;
  reject(error: unknown): void;
}

export interface SourceReaderOptions<C> {
  readonly open: (signal: AbortSignal) => AsyncIterable<C>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Called with each chunk of a pending read. If it returns true, it has consumed the chunk, and the read goes on with
   * the next one: what arrives chunk by chunk, as the events of a watch, then needs no promises of the reader.
   */
  readonly consume?: (chunk: C) => boolean;
}

/**
 * Pulls chunks from a source, one at a time, each until a deadline: the deadline, an interruption and the signal each
 * end the wait at once, even if the source ignores its own signal.
 */
export class SourceReader<C> {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #iterator: AsyncIterator<C>;
  readonly #consume: (chunk: C) => boolean;
  #pending: PendingRead<C> | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;
  /** Kept from read to read; it may be early, but is never late. */
  #timer: { cancel(): void } | undefined;
  #timerAtMs = 0;
  #isClosed = false;

  /** Throws what `open` throws. */
  constructor({ open, clock, signal, consume = () => false }: SourceReaderOptions<C>) {
    this.#clock = clock;
    this.#signal = signal;
    this.#consume = consume;
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
   * Rejects with what the source threw. Without `dueAtMs`, waits indefinitely. A read that returned anything but a
   * chunk was the last one.
   */
  next(dueAtMs?: number): Promise<Read<C>> {
    if (this.#signal.aborted || this.#isClosed) return Promise.resolve({ type: 'aborted' });
    this.#dueAtMs = dueAtMs === undefined ? Number.POSITIVE_INFINITY : dueAtMs;
    this.#arm();
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#request();
    });
  }

  /** Ends the pending read, if there is one. */
  interrupt(): void {
    this.#end({ type: 'interrupted' });
  }

  /** Idempotent. Does not wait for the source to notice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#controller.abort(CLOSED);
    this.#end({ type: 'aborted' });
    // An error of a source that is being closed does not matter.
    this.#return().catch(() => {});
  }

  readonly #onAbort = (): void => {
    this.#controller.abort(this.#signal.reason);
    this.#end({ type: 'aborted' });
  };

  #request(): void {
    try {
      this.#iterator.next().then(this.#onResult, this.#onError);
    } catch (error) {
      this.#onError(error);
    }
  }

  readonly #onResult = (result: IteratorResult<C>): void => {
    if (this.#pending === undefined) return;
    if (result.done) this.#end({ type: 'end' });
    else this.#onChunk(result.value);
  };

  #onChunk(chunk: C): void {
    let isConsumed: boolean;
    try {
      isConsumed = this.#consume(chunk);
    } catch (error) {
      this.#onError(error);
      return;
    }
    // Undefined if the reader was closed or interrupted meanwhile.
    const pending = this.#pending;
    if (pending === undefined) return;
    if (isConsumed) {
      this.#request();
      return;
    }
    this.#pending = undefined;
    pending.resolve({ type: 'chunk', chunk });
  }

  readonly #onError = (error: unknown): void => {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#disarm();
    pending?.reject(error);
  };

  /** Ends the pending read; it was the last one. */
  #end(read: Read<C>): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#disarm();
    pending?.resolve(read);
  }

  async #return(): Promise<void> {
    await this.#iterator?.return?.();
  }

  #arm(): void {
    if (this.#dueAtMs === Number.POSITIVE_INFINITY) return;
    if (this.#timer !== undefined && this.#timerAtMs <= this.#dueAtMs) return;
    this.#disarm();
    this.#timerAtMs = this.#dueAtMs;
    const delayMs = Math.min(Math.max(0, this.#dueAtMs - this.#clock.now()), MAX_TIMER_MS);
    this.#timer = this.#clock.schedule(() => void this.#onTimer(), delayMs);
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #onTimer(): Promise<void> {
    this.#timer = undefined;
    if (this.#pending === undefined) return;
    // After a stall of this thread the timer fires before the chunks that arrived meanwhile: yield to these first.
    if (this.#isDue()) await this.#clock.yield();
    if (this.#pending === undefined) return;
    if (this.#isDue()) this.#end({ type: 'timeout' });
    else this.#arm();
  }

  #isDue(): boolean {
    return this.#clock.now() >= this.#dueAtMs;
  }
}
