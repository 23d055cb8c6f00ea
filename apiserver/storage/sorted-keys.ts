/** Object names are ASCII, so the order of strings is the byte order of etcd's keys. */

const BLOCK = 512;

/** A sorted set of keys with cheap inserts and range scans: sorted blocks of at most `BLOCK` keys. */
export class SortedKeys {
  /** Invariant: no block is empty; keys ascend within and across blocks. */
  readonly #blocks: string[][] = [];

  add(key: string): void {
    const at = this.#blockFor(key);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push([key]);
      return;
    }
    const index = lowerBound(block, key);
    if (block[index] === key) return;
    block.splice(index, 0, key);
    if (block.length > BLOCK) this.#blocks.splice(at + 1, 0, block.splice(BLOCK / 2));
  }

  delete(key: string): void {
    const at = this.#blockFor(key);
    const block = this.#blocks[at];
    if (block === undefined) return;
    const index = lowerBound(block, key);
    if (block[index] !== key) return;
    block.splice(index, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** Keys from `start` on, in order. Changes while iterating are not supported. */
  *from(start: string): IterableIterator<string> {
    for (let at = this.#blockFor(start); at < this.#blocks.length; at++) {
      const block = this.#blocks[at] ?? [];
      for (let index = lowerBound(block, start); index < block.length; index++) yield block[index] as string;
    }
  }

  /** The first block whose last key is not below `key`, or the last block. */
  #blockFor(key: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.at(-1) ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The first index whose key is not below `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
