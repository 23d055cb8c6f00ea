/** Kept of a document that is too large: enough for `metadata` even behind the 256 KiB of annotations that the API allows. */
const HEAD_BYTES = 512 * 1024;

/** A buffer that grew beyond this for one document is given back after it. */
const KEPT_BYTES = 1024 * 1024;

const FIRST_BYTES = 16 * 1024;

const EMPTY: Uint8Array = new Uint8Array(0);

/**
 * Joins a document that lies in more than one chunk. Bytes are copied in as they arrive, so that chunks of one byte
 * cost no more than their number. Beyond the cap only the head is kept, and the rest is counted.
 */
export class DocumentBuffer {
  readonly #capBytes: number;
  /** Made when it is needed: most streams end their chunks where documents end, or are silent. */
  #buffer: Uint8Array = EMPTY;
  #kept = 0;
  #total = 0;

  constructor(capBytes: number) {
    this.#capBytes = capBytes;
  }

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  /** All bytes of the document so far, kept or not. */
  get totalBytes(): number {
    return this.#total;
  }

  get isOverCap(): boolean {
    return this.#total > this.#capBytes;
  }

  /** What the buffer occupies, used or not. */
  get heldBytes(): number {
    return this.#buffer.byteLength;
  }

  append(bytes: Uint8Array): void {
    this.#total += bytes.length;
    if (this.isOverCap) {
      if (this.#kept >= HEAD_BYTES) this.#kept = HEAD_BYTES;
      else this.#copy(bytes.subarray(0, HEAD_BYTES - this.#kept));
      return;
    }
    this.#copy(bytes);
  }

  /** The document, or the head of one that is over the cap. Valid until the next `append`. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#kept);
  }

  clear(): void {
    this.#kept = 0;
    this.#total = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = EMPTY;
  }

  #copy(bytes: Uint8Array): void {
    const needed = this.#kept + bytes.length;
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2, FIRST_BYTES));
      grown.set(this.#buffer.subarray(0, this.#kept));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#kept);
    this.#kept = needed;
  }
}
