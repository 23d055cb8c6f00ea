import type { PlainWatchEvent } from '#dist/src/reflector/lister-watcher-funcs.js';

/** client-go's FakeWatcher: what a test sends is what the reflector reads. */
export class FakeWatch implements AsyncIterable<PlainWatchEvent> {
  readonly #queue: PlainWatchEvent[] = [];
  #wake: () => void = () => {};
  #end: { readonly error?: Error } | undefined;
  /** How often somebody asked for the next event. */
  reads = 0;
  /** How often the reader gave it up. */
  stops = 0;

  constructor(signal?: AbortSignal) {
    signal?.addEventListener('abort', () => {
      this.stops++;
      this.#end ??= {};
      this.#wake();
    });
  }

  send(...events: PlainWatchEvent[]): void {
    this.#queue.push(...events);
    this.#wake();
  }

  close(): void {
    this.#end ??= {};
    this.#wake();
  }

  fail(error: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PlainWatchEvent> {
    for (;;) {
      this.reads++;
      while (this.#queue.length === 0) {
        if (this.#end?.error !== undefined) throw this.#end.error;
        if (this.#end !== undefined) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      yield this.#queue.shift() as PlainWatchEvent;
    }
  }
}
