/** Free buffers that are kept. */
const MAX_FREE = 4;

/** Buffers in use by other threads that are checked for their release. */
const MAX_IN_USE = 16;

/**
 * Buffers that the writers of one thread reuse: touching new memory costs a page fault for every 4 KiB. The memory is
 * shared, so that another thread can read a buffer in place; it clears a word of the buffer when it is done.
 */
export class ScratchBuffers {
  /** The size of each buffer. */
  readonly byteLength: number;
  readonly #free: SharedArrayBuffer[] = [];
  /** For each buffer that another thread reads, the word that it clears. */
  readonly #inUse: Int32Array[] = [];

  constructor(byteLength: number) {
    this.byteLength = byteLength;
  }

  checkOut(): SharedArrayBuffer {
    return this.#free.pop() ?? this.#takeReleased() ?? allocateShared(this.byteLength);
  }

  /** A buffer of another size, which a writer had to enlarge, is left to the garbage collector. */
  release(buffer: SharedArrayBuffer): void {
    if (buffer.byteLength === this.byteLength && this.#free.length < MAX_FREE) this.#free.push(buffer);
  }

  /**
   * Another thread reads the buffer until it sets this word to 0. Of buffers that are never released, the oldest are
   * forgotten.
   */
  releaseWhenZero(buffer: SharedArrayBuffer, word: number): void {
    if (buffer.byteLength !== this.byteLength) return;
    this.#inUse.push(new Int32Array(buffer, word * 4, 1));
    if (this.#inUse.length > MAX_IN_USE) this.#inUse.shift();
  }

  #takeReleased(): SharedArrayBuffer | undefined {
    const index = this.#inUse.findIndex((word) => Atomics.load(word, 0) === 0);
    return this.#inUse.splice(index, index < 0 ? 0 : 1)[0]?.buffer as SharedArrayBuffer | undefined;
  }
}

/**
 * Growable, so that V8 maps and unmaps the memory itself: of a buffer that is never filled only the part that was
 * written is resident, and one that is collected leaves no hole in the heap of the C library.
 */
function allocateShared(byteLength: number): SharedArrayBuffer {
  // Node 20 has the second argument, but TypeScript's library for its target does not.
  return Reflect.construct(SharedArrayBuffer, [
    byteLength,
    { maxByteLength: byteLength },
  ]) as SharedArrayBuffer;
}
