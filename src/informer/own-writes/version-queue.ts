import { compareResourceVersion } from '../../kube/compare-resource-version.js';

interface Versioned {
  readonly version: string;
}

/** Taken items are removed in blocks, so that taking one costs nothing. */
const MAX_TAKEN = 256;

/**
 * Items in the order of their versions, which must be comparable. Versions of writes are reported almost in order, so
 * adding one is cheap.
 */
export class VersionQueue<I extends Versioned> {
  #items: I[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  get first(): I | undefined {
    return this.#items[this.#first];
  }

  add(item: I): void {
    let at = this.#items.length;
    while (at > this.#first && isBefore(item, this.#items[at - 1])) at--;
    if (at === this.#items.length) this.#items.push(item);
    else this.#items.splice(at, 0, item);
  }

  /** Removes the first item. */
  take(): void {
    this.#first++;
    if (this.#first === this.#items.length) this.clear();
    else if (this.#first > MAX_TAKEN && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Removes all other items. */
  keep(isKept: (item: I) => boolean): void {
    this.#items = this.#items.slice(this.#first).filter(isKept);
    this.#first = 0;
  }

  clear(): void {
    this.#items = [];
    this.#first = 0;
  }
}

function isBefore(item: Versioned, other: Versioned | undefined): boolean {
  return other !== undefined && compareResourceVersion(item.version, other.version) === -1;
}
