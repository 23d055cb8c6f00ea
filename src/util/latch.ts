/** Something that happens once, as a flag and as a promise. A failure that nobody waits for is not an unhandled rejection. */
export class Latch {
  readonly promise: Promise<void>;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};
  #isOpen = false;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#resolve();
  }

  /** Does nothing if it happened already. */
  fail(error: Error): void {
    this.#reject(error);
  }
}
