/** Kept of an oversized document: enough for `metadata`, even after the 256 KiB of annotations that the API allows. */
const MAX_HEAD_BYTES = 512 * 1024;

/** A buffer that grew beyond this for one document is left to the garbage collector after it. */
const MAX_SPARE_BYTES = 1024 * 1024;

const INITIAL_BYTES = 16 * 1024;

const EMPTY: Uint8Array = new Uint8Array(0);

/**
 * The buffer for the next document that spans chunks, of whichever stream of the thread: hundreds of idle watches hold
 * no buffer each.
 */
let spare: Uint8Array = EMPTY;

/**
 * Joins a document that spans chunks. Bytes are copied in as they arrive, so that chunks of one byte cost no more than
 * their number. Beyond the limit only the head of the document is kept, and the rest is counted.
 */
export class DocumentBuffer {
  readonly #maxBytes: number;
  /** Empty unless a document is incomplete. */
  #buffer: Uint8Array = EMPTY;
  #kept = 0;
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  /** All bytes of the document so far, kept or not. */
  get totalBytes(): number {
    return this.#total;
  }

  get isOversized(): boolean {
    return this.#total > this.#maxBytes;
  }

  /** The size of the buffer, used or not. */
  get heldBytes(): number {
    return this.#buffer.byteLength;
  }

  append(bytes: Uint8Array): void {
    this.#total += bytes.length;
    if (this.isOversized) {
      if (this.#kept >= MAX_HEAD_BYTES) this.#kept = MAX_HEAD_BYTES;
      else this.#copy(bytes.subarray(0, MAX_HEAD_BYTES - this.#kept));
      return;
    }
    this.#copy(bytes);
  }

  /** The document, or the head of an oversized one. Valid until the next `append` to any buffer. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#kept);
  }

  clear(): void {
    this.#kept = 0;
    this.#total = 0;
    const buffer = this.#buffer;
    this.#buffer = EMPTY;
    if (buffer.length > spare.length && buffer.length <= MAX_SPARE_BYTES) spare = buffer;
  }

  #copy(bytes: Uint8Array): void {
    if (this.#buffer.length === 0) {
      this.#buffer = spare;
      spare = EMPTY;
    }
    const needed = this.#kept + bytes.length;
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2, INITIAL_BYTES));
      grown.set(this.#buffer.subarray(0, this.#kept));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#kept);
    this.#kept = needed;
  }
}
