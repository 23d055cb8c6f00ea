/** Of a cache that holds little, and of one that holds much. What is not used of a slab is not in memory yet. */
const SMALL_SLAB_BYTES = 256 * 1024;
const LARGE_SLAB_BYTES = 1024 * 1024;
const MUCH_BYTES = 32 * 1024 * 1024;

/** Memory that nobody may need any more, below which V8 is not asked to look. */
const TOLERATED_BYTES = 32 * 1024 * 1024;

/** How much more there must be before V8 is asked again, if the last look found nothing. */
const PATIENCE = 4;

/** More external memory than V8 lets pass without a look: it starts to mark at 64 MiB above the least since the last time. */
const PRESSURE_BYTES = 72 * 1024 * 1024;

/**
 * Where slabs come from: shared buffers, which V8 does not count. It would otherwise mark the whole heap after every 64 MiB that arrive,
 * which takes the longer the more there is already. Growable, so that V8 maps and unmaps them itself. Measured in docs/decisions/slabs.md.
 *
 * What V8 does not count it does not miss either: if much was let go of, it is asked to look, by a buffer of the common kind.
 */
export class SlabMemory {
  /** Of all slabs that V8 has not collected. */
  #allocatedBytes = 0;
  #pressureAt = TOLERATED_BYTES;
  readonly #collected = new FinalizationRegistry<number>((bytes) => {
    this.#allocatedBytes -= bytes;
  });

  get allocatedBytes(): number {
    return this.#allocatedBytes;
  }

  /** At least so many bytes; `heldBytes` are in use. Throws a RangeError without memory. */
  allocate(leastBytes: number, heldBytes: number): SharedArrayBuffer {
    const slabBytes = heldBytes < MUCH_BYTES ? SMALL_SLAB_BYTES : LARGE_SLAB_BYTES;
    const byteLength = Math.max(leastBytes, slabBytes);
    this.#relieve(heldBytes);
    // The second argument is in Node 20, but not yet in the library that TypeScript assumes for it.
    const options = { maxByteLength: byteLength };
    const buffer = Reflect.construct(SharedArrayBuffer, [byteLength, options]) as SharedArrayBuffer;
    this.#allocatedBytes += byteLength;
    this.#collected.register(buffer, byteLength);
    return buffer;
  }

  /** What is not held may be garbage, or on its way into the store. If it was the latter, the next look is for several times as much. */
  #relieve(heldBytes: number): void {
    const idleBytes = this.#allocatedBytes - heldBytes;
    this.#pressureAt = Math.max(TOLERATED_BYTES, Math.min(this.#pressureAt, PATIENCE * idleBytes));
    if (idleBytes <= this.#pressureAt) return;
    this.#pressureAt = PATIENCE * idleBytes;
    try {
      // Never touched, so never in memory.
      void new ArrayBuffer(PRESSURE_BYTES);
    } catch {
      // Without room for it V8 has looked already.
    }
  }
}
