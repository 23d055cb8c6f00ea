/** For a small cache, and for a large one. The unused part of a slab is not resident. */
const SMALL_SLAB_BYTES = 256 * 1024;
const LARGE_SLAB_BYTES = 1024 * 1024;
const LARGE_CACHE_BYTES = 32 * 1024 * 1024;

/** Idle memory below which no garbage collection is provoked. */
const TOLERATED_BYTES = 32 * 1024 * 1024;

/** The next collection is provoked at this many times the idle memory of the last one. */
const PRESSURE_FACTOR = 4;

/** Enough external memory for V8 to start marking: it does so 64 MiB above the minimum since the last collection. */
const PRESSURE_BYTES = 72 * 1024 * 1024;

/**
 * Allocates slabs as shared buffers, which V8 does not count as external memory. It would otherwise mark the whole heap
 * after every 64 MiB received, which takes longer the larger the heap is. Growable, so that V8 maps and unmaps them
 * itself. Measured in docs/decisions/slabs.md.
 *
 * For the same reason V8 does not notice when slabs become garbage: if much memory is idle, allocating an ordinary
 * ArrayBuffer provokes a collection.
 */
export class SlabMemory {
  /** Bytes of all slabs that V8 has not collected. */
  #allocatedBytes = 0;
  #pressureAt = TOLERATED_BYTES;
  readonly #collected = new FinalizationRegistry<number>((bytes) => {
    this.#allocatedBytes -= bytes;
  });

  get allocatedBytes(): number {
    return this.#allocatedBytes;
  }

  /** At least `minBytes`; `heldBytes` are in use, or on their way into the store. Throws a RangeError if no memory is left. */
  allocate(minBytes: number, heldBytes: number): SharedArrayBuffer {
    const slabBytes = heldBytes < LARGE_CACHE_BYTES ? SMALL_SLAB_BYTES : LARGE_SLAB_BYTES;
    const byteLength = Math.max(minBytes, slabBytes);
    this.#provokeCollection(heldBytes);
    // Node 20 has the second argument, but TypeScript's library for its target does not.
    const options = { maxByteLength: byteLength };
    const buffer = Reflect.construct(SharedArrayBuffer, [byteLength, options]) as SharedArrayBuffer;
    this.#allocatedBytes += byteLength;
    this.#collected.register(buffer, byteLength);
    return buffer;
  }

  /** Idle memory may be garbage, or events on their way into the store; then the next threshold is higher. */
  #provokeCollection(heldBytes: number): void {
    const idleBytes = this.#allocatedBytes - heldBytes;
    this.#pressureAt = Math.max(TOLERATED_BYTES, Math.min(this.#pressureAt, PRESSURE_FACTOR * idleBytes));
    if (idleBytes <= this.#pressureAt) return;
    this.#pressureAt = PRESSURE_FACTOR * idleBytes;
    try {
      // Never touched, so never resident.
      void new ArrayBuffer(PRESSURE_BYTES);
    } catch {
      // Out of memory: V8 has just collected.
    }
  }
}
