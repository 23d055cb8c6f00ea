import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { Expectation } from './expectation.js';

/** More are not shown: every read of a list or an index looks at all of them. */
const MAX_ASSUMED = 1000;

export interface Assumed<T extends KubernetesObject> {
  readonly expectation: Expectation;
  /** What is shown for the key; undefined if the write has deleted the object, or taken it out of the selector. */
  readonly entry: Entry<T> | undefined;
}

/** What the program has written and the cache does not hold yet, shown in place of what it holds. One per key. */
export class AssumedObjects<T extends KubernetesObject> {
  readonly #isFulfilled: (expectation: Expectation) => boolean;
  readonly #byKey = new Map<Key, Assumed<T>>();

  /** `isFulfilled`: the cache holds what was written, or something newer. */
  constructor(isFulfilled: (expectation: Expectation) => boolean) {
    this.#isFulfilled = isFulfilled;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** False if there are too many. */
  set(assumed: Assumed<T>): boolean {
    const { key } = assumed.expectation;
    if (this.#byKey.size >= MAX_ASSUMED && !this.#byKey.has(key)) return false;
    this.#byKey.set(key, assumed);
    return true;
  }

  delete(key: Key): void {
    this.#byKey.delete(key);
  }

  /** What is shown for a key in place of the stored entry, if anything. */
  get(key: Key): Assumed<T> | undefined {
    const assumed = this.#byKey.get(key);
    return assumed === undefined || this.#isFulfilled(assumed.expectation) ? undefined : assumed;
  }

  /** The same for all keys. */
  all(): Assumed<T>[] {
    return [...this.#byKey.values()].filter(({ expectation }) => !this.#isFulfilled(expectation));
  }
}
