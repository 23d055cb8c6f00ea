import type { KubeflectError } from '../../util/errors.js';

/**
 * A value that is made again and again. Once it could be made, a failure leaves the last good one in force. It is told, once, when it is
 * there at the second look too: at the first, a rotation may only be half done.
 */
export class LastGood<T> {
  readonly #onProblem: (error: KubeflectError) => void;
  #good: { readonly value: T } | undefined;
  #problem: { readonly message: string; isTold: boolean } | undefined;

  constructor(onProblem: (error: KubeflectError) => void) {
    this.#onProblem = onProblem;
  }

  /** Rejects with what `make` rejects with if there is no good one yet. */
  async get(make: () => Promise<T>): Promise<T> {
    try {
      this.#good = { value: await make() };
      this.#problem = undefined;
    } catch (error) {
      if (this.#good === undefined) throw error;
      this.#note(error as KubeflectError);
    }
    return this.#good.value;
  }

  #note(error: KubeflectError): void {
    const { message } = error;
    if (this.#problem?.message !== message) {
      this.#problem = { message, isTold: false };
    } else if (!this.#problem.isTold) {
      this.#problem.isTold = true;
      this.#onProblem(error);
    }
  }
}
