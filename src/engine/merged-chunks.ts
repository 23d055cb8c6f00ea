/** What several sources yield, in the order of its arrival. It ends when all have ended, or one has failed. */
export class MergedChunks<C> {
  readonly #ready: C[] = [];
  #open: number;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(sources: number) {
    this.#open = sources;
  }

  add(chunk: C): void {
    this.#ready.push(chunk);
    this.#wake();
  }

  /** One of the sources has ended. */
  end(): void {
    this.#open--;
    this.#wake();
  }

  /** The first failure counts. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  /** Undefined at the end. A call must settle before the next one is made. */
  async next(): Promise<C | undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const chunk = this.#ready.shift();
      if (chunk !== undefined || this.#open === 0) return chunk;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
