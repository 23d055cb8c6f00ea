import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import { Latch } from '../../util/latch.js';
import type { Slice, SliceScheduler } from '../../util/slice-scheduler.js';
import type { Batch } from '../../wire/batch.js';
import { Cells } from '../../wire/cells.js';
import type { ObjectReader } from '../../wire/object-reader.js';
import { PIN, Slab, type SlabOwner, type SlabRecord, STORE } from './slab.js';
import { SlabEntry } from './slab-entry.js';
import { SlabMemory } from './slab-memory.js';

/** Compaction starts above the first share of dead bytes and ends below the second: memory stays within 1.3 of live. */
const MAX_DEAD_SHARE = 0.2;
const TARGET_DEAD_SHARE = 0.1;

/** Below this, compaction is not worth its cost. */
const TOLERATED_DEAD_BYTES = 512 * 1024;

/**
 * The most recently decoded objects are kept, for readers that read `entry.object` once per field, or of two entries
 * alternately. Keeping more costs more than it saves: with 64, objects outlive V8's young generation, and decoding one
 * took 28 µs instead of 10.
 */
const DECODED_OBJECTS = 4;

export interface SlabCacheOptions {
  readonly scheduler: SliceScheduler;
  /** Names of the indexes whose values are in the cells: of `DecodingOptions.indexPaths`, then `hookIndexes`. */
  readonly indexNames?: readonly string[];
}

export interface SlabCacheStats {
  /** Stored entries. */
  readonly entries: number;
  /** Bytes of the cells of stored or pinned entries. */
  readonly liveBytes: number;
  /** Bytes of all cells in slabs with at least one such entry. */
  readonly heldBytes: number;
  readonly slabs: number;
  readonly compactions: number;
  /** Bytes copied from batches and by compaction. */
  readonly copiedBytes: number;
}

/** The stored cells of one slab. */
export interface CapturedSlab {
  readonly cells: Cells;
  readonly reader: ObjectReader;
  readonly offsets: Uint32Array;
}

/**
 * The memory of one informer's objects. Cells are copied from batches on arrival; while the store or a pin holds an
 * entry, its bytes count as live. Slabs with many dead bytes are compacted, in slices.
 */
export class SlabCache<T extends KubernetesObject = KubernetesObject> implements SlabOwner {
  readonly #scheduler: SliceScheduler;
  readonly #memory = new SlabMemory();
  readonly #indexNumbers: ReadonlyMap<string, number>;
  /** Slabs with at least one record. Others stay in memory while an entry of theirs is referenced. */
  readonly #slabs = new Set<Slab>();
  /** The slab to which the next cell of a table is appended. */
  readonly #openSlabs = new WeakMap<ObjectReader, Slab>();
  /** A ring of the most recently decoded objects. */
  readonly #decodedRecords = new Array<SlabRecord | undefined>(DECODED_OBJECTS).fill(undefined);
  readonly #decodedObjects = new Array<KubernetesObject>(DECODED_OBJECTS);
  #decodings = 0;
  #entries = 0;
  #storedBytes = 0;
  #liveBytes = 0;
  #heldBytes = 0;
  /** Bytes of listed cells that are not stored yet: probably no garbage, though the store does not hold them. */
  #listedBytes = 0;
  #compactions = 0;
  #copiedBytes = 0;
  #isCompacting = false;
  /** While cells are captured, compaction waits: it would move some of them to where they are counted twice, or never. */
  #captured: Latch | undefined;

  constructor(options: SlabCacheOptions) {
    this.#scheduler = options.scheduler;
    this.#indexNumbers = new Map(options.indexNames?.map((name, number) => [name, number]));
  }

  /** Copies the cell at `offset` of a batch into a slab; undefined if no memory is left. */
  copyOf(
    { cells, reader }: Pick<Batch, 'cells' | 'reader'>,
    key: Key,
    offset: number,
    isListed: boolean,
  ): SlabEntry<T> | undefined {
    const bytes = cells.byteLengthAt(offset);
    const slab = this.#openSlabFor(reader, bytes);
    if (slab === undefined) return undefined;
    // An event that is not of a list follows the list.
    this.#listedBytes = isListed ? this.#listedBytes + bytes : 0;
    return new SlabEntry<T>(key, slab, this.#append(slab, cells, offset));
  }

  /** What was listed before and is not stored yet will not be: that list has failed. */
  startList(): void {
    this.#listedBytes = 0;
  }

  /** The batch itself as a slab, without copying. */
  slabOf(batch: Pick<Batch, 'cells' | 'reader'>): Slab {
    return new Slab(this, batch, batch.cells.bytes.length);
  }

  /** Cells in shared memory, as another process left them, as a slab. It is never appended to. */
  slabOfSnapshot(buffer: SharedArrayBuffer, reader: ObjectReader): Slab {
    return new Slab(this, { cells: new Cells(buffer), reader }, buffer.byteLength);
  }

  /**
   * Where the cells of all stored entries are, by slab, in the order of their arrival. Nothing may be stored or released
   * meanwhile. They stay readable at these places: cells never change, and a slab's memory is never used again.
   */
  async capture(slice: Slice): Promise<CapturedSlab[]> {
    const latch = new Latch();
    this.#captured = latch;
    const captured: CapturedSlab[] = [];
    try {
      for (const { cells, reader, records } of [...this.#slabs]) {
        if (!slice.take()) await slice.renew();
        const offsets = new Uint32Array(records.length);
        let stored = 0;
        for (const { holders, offset } of records) if ((holders & STORE) !== 0) offsets[stored++] = offset;
        if (stored > 0) captured.push({ cells, reader, offsets: offsets.slice(0, stored) });
      }
      return captured;
    } finally {
      this.#captured = undefined;
      latch.open();
    }
  }

  stats(): SlabCacheStats {
    return {
      entries: this.#entries,
      liveBytes: this.#liveBytes,
      heldBytes: this.#heldBytes,
      slabs: this.#slabs.size,
      compactions: this.#compactions,
      copiedBytes: this.#copiedBytes,
    };
  }

  objectOf(record: SlabRecord): KubernetesObject {
    const cached = this.#decodedRecords.indexOf(record);
    if (cached >= 0) return this.#decodedObjects[cached] as KubernetesObject;
    const { slab, offset } = record;
    const start = slab.cells.payloadStartAt(offset);
    const object = slab.reader.read(
      slab.cells.bytes,
      start,
      slab.cells.payloadEndAt(offset),
    ) as KubernetesObject;
    const slot = this.#decodings++ % DECODED_OBJECTS;
    this.#decodedRecords[slot] = record;
    this.#decodedObjects[slot] = object;
    return object;
  }

  metadataOf({ slab, offset }: SlabRecord, names: readonly string[]): Readonly<Record<string, unknown>> {
    const { cells, reader } = slab;
    const start = cells.payloadStartAt(offset);
    const end = cells.payloadEndAt(offset);
    return reader.readFieldsOf(cells.bytes, start, end, 'metadata', names) ?? {};
  }

  indexNumber(indexName: string): number | undefined {
    return this.#indexNumbers.get(indexName);
  }

  retain(record: SlabRecord): void {
    if ((record.holders & STORE) !== 0) return;
    const bytes = bytesOf(record);
    this.#entries++;
    this.#storedBytes += bytes;
    this.#listedBytes = Math.max(0, this.#listedBytes - bytes);
    this.#hold(record, STORE);
  }

  release(record: SlabRecord): void {
    if ((record.holders & STORE) === 0) return;
    this.#entries--;
    this.#storedBytes -= bytesOf(record);
    this.#unhold(record, STORE);
  }

  pin(record: SlabRecord): void {
    this.#hold(record, PIN);
  }

  unpin(record: SlabRecord): void {
    this.#unhold(record, PIN);
  }

  #hold(record: SlabRecord, holder: number): void {
    if (record.holders === 0) this.#attach(record);
    record.holders += holder;
  }

  #unhold(record: SlabRecord, holder: number): void {
    record.holders -= holder;
    if (record.holders !== 0) return;
    this.#detach(record);
    if (!this.#isCompacting && this.#shouldCompact()) {
      this.#isCompacting = true;
      void this.#compact().finally(() => {
        this.#isCompacting = false;
      });
    }
  }

  #attach(record: SlabRecord): void {
    const { slab } = record;
    if (slab.records.length === 0) {
      this.#slabs.add(slab);
      this.#heldBytes += slab.usedBytes;
    }
    this.#liveBytes += slab.attach(record);
  }

  #detach(record: SlabRecord): void {
    const { slab } = record;
    this.#liveBytes -= slab.detach(record);
    if (slab.records.length > 0) return;
    this.#slabs.delete(slab);
    this.#heldBytes -= slab.usedBytes;
  }

  /** A slab with capacity for a cell of this size; undefined if no memory is left. */
  #openSlabFor(reader: ObjectReader, bytes: number): Slab | undefined {
    const open = this.#openSlabs.get(reader);
    if (open?.hasCapacityFor(bytes)) return open;
    try {
      const cells = new Cells(this.#memory.allocate(bytes, this.#heldBytes + this.#listedBytes));
      const slab = new Slab(this, { cells, reader }, 0);
      this.#openSlabs.set(reader, slab);
      return slab;
    } catch {
      return undefined;
    }
  }

  /** Appends a copy of a cell to a slab; returns its offset there. */
  #append(slab: Slab, cells: Cells, offset: number): number {
    const end = slab.usedBytes;
    const bytes = cells.byteLengthAt(offset);
    cells.bytes.copy(slab.cells.bytes, end, offset, offset + bytes);
    slab.usedBytes += bytes;
    if (slab.records.length > 0) this.#heldBytes += bytes;
    this.#copiedBytes += bytes;
    return end;
  }

  /** Moves a detached entry. It reads the same before and after. */
  #move(record: SlabRecord, target: Slab): void {
    record.offset = this.#append(target, record.slab.cells, record.offset);
    record.slab = target;
  }

  #shouldCompact(): boolean {
    const dead = this.#heldBytes - this.#liveBytes;
    return dead > TOLERATED_DEAD_BYTES && dead > this.#referenceBytes * MAX_DEAD_SHARE;
  }

  /**
   * The bytes that the shares above relate to: the stored bytes, or half of the live bytes if most of these are only
   * pinned, as compaction would never end otherwise.
   */
  get #referenceBytes(): number {
    return Math.max(this.#storedBytes, this.#liveBytes / 2);
  }

  /** Empties slabs, in slices. Entries may be stored and released in between. */
  async #compact(): Promise<void> {
    const slice = this.#scheduler.open();
    do {
      await slice.renew();
      for (const slab of this.#slabsToEmpty()) {
        if (this.#openSlabs.get(slab.reader) === slab) this.#openSlabs.delete(slab.reader);
        for (;;) {
          if (!slice.take()) await slice.renew();
          while (this.#captured !== undefined) await this.#captured.promise;
          const record = slab.records.at(-1);
          if (record === undefined) break;
          const target = this.#openSlabFor(slab.reader, bytesOf(record));
          // No memory is left to copy to. The next release tries again.
          if (target === undefined) return;
          this.#detach(record);
          this.#move(record, target);
          this.#attach(record);
        }
      }
      this.#compactions++;
    } while (this.#shouldCompact());
  }

  /** The slabs with the largest share of dead bytes, until the rest is below the target. */
  #slabsToEmpty(): Slab[] {
    let dead = this.#heldBytes - this.#liveBytes;
    const slabs: Slab[] = [];
    for (const slab of [...this.#slabs].sort((a, b) => deadShare(b) - deadShare(a))) {
      if (dead <= this.#referenceBytes * TARGET_DEAD_SHARE) break;
      slabs.push(slab);
      dead -= slab.deadBytes;
    }
    return slabs;
  }
}

function bytesOf({ slab, offset }: SlabRecord): number {
  return slab.cells.byteLengthAt(offset);
}

function deadShare(slab: Slab): number {
  return slab.deadBytes / slab.usedBytes;
}
