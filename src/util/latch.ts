/** A one-time event as a flag and a promise. A failure that no caller awaits is not an unhandled rejection. */
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

  /** Does nothing if the latch is open already. */
  fail(error: Error): void {
    this.#reject(error);
  }
}
