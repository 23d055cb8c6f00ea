/** Read ahead by all bodies of a thread; beyond this, one is only resumed when all of it is decoded. */
const MAX_BYTES = 2 * 1024 * 1024;

/** What the bodies of one thread have read ahead: hundreds of lists that are read at once share a limit. */
export class ReadAhead {
  #bytes = 0;

  get isExhausted(): boolean {
    return this.#bytes >= MAX_BYTES;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }
}
