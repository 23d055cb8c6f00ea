import type { KubernetesObject } from '../../kube/object.js';
import type { SliceScheduler } from '../../slice-scheduler.js';
import type { Batch, ControlRow } from '../../wire/batch.js';
import { allocateCells, Cells, type ObjectRowType } from '../../wire/cells.js';
import type { ObjectReader } from '../../wire/object-reader.js';
import { NO_SLOT, Slab, type SlabOwner, type Tenant } from './slab.js';
import { SlabEntry } from './slab-entry.js';

/** A quarter more than what lives, at most, and half of that again to get below: memory stays within 1.3 of what is needed. */
const MAX_DEAD_SHARE = 0.2;
const TARGET_DEAD_SHARE = 0.1;

/** Below this, dead bytes are not worth the work. */
const TOLERATED_DEAD_BYTES = 512 * 1024;

/** Watch events come in batches of one or a few objects. Objects of batches below this size are copied to where others are. */
const SMALL_BATCH_BYTES = 64 * 1024;

/** What cells are gathered in: as large as a full batch. What is not used of it is not in memory yet. */
const GATHERED_BYTES = 256 * 1024;

/**
 * Objects decoded last are kept, for readers that ask for `entry.object` once per field, or for two entries in turn. More would
 * cost more than they save: they outlive their young generation, and with 64 a decoding took 28 µs instead of 10.
 */
const DECODED_OBJECTS = 4;

export interface SlabCacheOptions {
  readonly scheduler: SliceScheduler;
  /** Names of the indexes whose values cells hold: of `DecodingOptions.indexPaths`, then `hookIndexes`. */
  readonly indexNames?: readonly string[];
}

/** An object row of a batch as an entry, or a control row. */
export type EntryRow<T extends KubernetesObject> =
  | { readonly type: ObjectRowType; readonly entry: SlabEntry<T> }
  | ControlRow;

export interface SlabCacheStats {
  /** Entries that are stored. */
  readonly entries: number;
  /** Bytes of their cells. */
  readonly liveBytes: number;
  /** Bytes of all cells in the slabs in which they are. */
  readonly heldBytes: number;
  readonly slabs: number;
  readonly compactions: number;
  /** Bytes that were copied, from small batches and by compaction. */
  readonly copiedBytes: number;
}

/**
 * The memory of one informer's objects. Entries are made from batches without a copy; from when the store retains one until it
 * releases it, its bytes count as live. Slabs with many dead bytes are compacted, in slices.
 */
export class SlabCache<T extends KubernetesObject = KubernetesObject> implements SlabOwner {
  readonly #scheduler: SliceScheduler;
  readonly #indexNumbers: ReadonlyMap<string, number>;
  /** Those with at least one tenant. Others are kept by whoever still holds their entries. */
  readonly #slabs = new Set<Slab>();
  /** Where the next cell of a table is gathered. */
  readonly #openSlabs = new WeakMap<ObjectReader, Slab>();
  /** A ring of what was decoded last. */
  readonly #decodedTenants = new Array<Tenant | undefined>(DECODED_OBJECTS).fill(undefined);
  readonly #decodedObjects = new Array<KubernetesObject>(DECODED_OBJECTS);
  #decodings = 0;
  #entries = 0;
  #liveBytes = 0;
  #heldBytes = 0;
  #compactions = 0;
  #copiedBytes = 0;
  #isCompacting = false;

  constructor(options: SlabCacheOptions) {
    this.#scheduler = options.scheduler;
    this.#indexNumbers = new Map(options.indexNames?.map((name, number) => [name, number]));
  }

  /** The rows of a batch, in order. The batch is the cache's from then on. */
  rows(batch: Batch): EntryRow<T>[] {
    const slab = new Slab(this, batch, batch.cells.bytes.length);
    return batch.rows.map((row) =>
      'offset' in row ? { type: row.type, entry: new SlabEntry<T>(row.key, slab, row.offset) } : row,
    );
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

  objectOf(tenant: Tenant): KubernetesObject {
    const known = this.#decodedTenants.indexOf(tenant);
    if (known >= 0) return this.#decodedObjects[known] as KubernetesObject;
    const { slab, offset } = tenant;
    const start = slab.cells.payloadStartAt(offset);
    const object = slab.reader.read(
      slab.cells.bytes,
      start,
      slab.cells.payloadEndAt(offset),
    ) as KubernetesObject;
    const place = this.#decodings++ % DECODED_OBJECTS;
    this.#decodedTenants[place] = tenant;
    this.#decodedObjects[place] = object;
    return object;
  }

  indexNumber(indexName: string): number | undefined {
    return this.#indexNumbers.get(indexName);
  }

  retain(tenant: Tenant): void {
    if (tenant.slot !== NO_SLOT) return;
    this.#entries++;
    const isSmall = tenant.slab.cells.bytes.length < SMALL_BATCH_BYTES;
    const target = isSmall ? this.#openSlabFor(tenant) : undefined;
    if (target !== undefined) this.#copy(tenant, target);
    this.#admit(tenant);
  }

  release(tenant: Tenant): void {
    if (tenant.slot === NO_SLOT) return;
    this.#entries--;
    this.#dismiss(tenant);
    if (!this.#isCompacting && this.#hasTooManyDead()) {
      this.#isCompacting = true;
      void this.#compact().finally(() => {
        this.#isCompacting = false;
      });
    }
  }

  #admit(tenant: Tenant): void {
    const { slab } = tenant;
    if (slab.tenants.length === 0) {
      this.#slabs.add(slab);
      this.#heldBytes += slab.usedBytes;
    }
    this.#liveBytes += slab.admit(tenant);
  }

  #dismiss(tenant: Tenant): void {
    const { slab } = tenant;
    this.#liveBytes -= slab.dismiss(tenant);
    if (slab.tenants.length > 0) return;
    this.#slabs.delete(slab);
    this.#heldBytes -= slab.usedBytes;
  }

  /** Where the cell of an entry can be copied to; undefined if there is no memory for it, so that it has to stay where it is. */
  #openSlabFor({ slab: { cells, reader }, offset }: Tenant): Slab | undefined {
    const bytes = cells.byteLengthAt(offset);
    const open = this.#openSlabs.get(reader);
    if (open?.hasRoomFor(bytes)) return open;
    try {
      const memory = new Cells(allocateCells(Math.max(bytes, GATHERED_BYTES)));
      const slab = new Slab(this, { cells: memory, reader }, 0);
      this.#openSlabs.set(reader, slab);
      return slab;
    } catch {
      return undefined;
    }
  }

  /** Copies the cell of an entry that is nobody's tenant. The entry reads the same before and after. */
  #copy(tenant: Tenant, target: Slab): void {
    const { slab: source, offset } = tenant;
    const bytes = source.cells.byteLengthAt(offset);
    source.cells.bytes.copy(target.cells.bytes, target.usedBytes, offset, offset + bytes);
    tenant.slab = target;
    tenant.offset = target.usedBytes;
    target.usedBytes += bytes;
    if (target.tenants.length > 0) this.#heldBytes += bytes;
    this.#copiedBytes += bytes;
  }

  #hasTooManyDead(): boolean {
    const dead = this.#heldBytes - this.#liveBytes;
    return dead > TOLERATED_DEAD_BYTES && dead > this.#liveBytes * MAX_DEAD_SHARE;
  }

  /** Empties slabs, in slices. Stored entries may come and go between these. */
  async #compact(): Promise<void> {
    const slice = this.#scheduler.open();
    do {
      await slice.renew();
      for (const slab of this.#slabsToEmpty()) {
        if (this.#openSlabs.get(slab.reader) === slab) this.#openSlabs.delete(slab.reader);
        for (;;) {
          if (!slice.take()) await slice.renew();
          const tenant = slab.tenants.at(-1);
          if (tenant === undefined) break;
          const target = this.#openSlabFor(tenant);
          // Without memory nothing can be gathered. The next release tries again.
          if (target === undefined) return;
          this.#dismiss(tenant);
          this.#copy(tenant, target);
          this.#admit(tenant);
        }
      }
      this.#compactions++;
    } while (this.#hasTooManyDead());
  }

  /** Those with the largest share of dead bytes, until few enough would be left. */
  #slabsToEmpty(): Slab[] {
    let dead = this.#heldBytes - this.#liveBytes;
    const slabs: Slab[] = [];
    for (const slab of [...this.#slabs].sort((a, b) => deadShare(b) - deadShare(a))) {
      if (dead <= this.#liveBytes * TARGET_DEAD_SHARE) break;
      slabs.push(slab);
      dead -= slab.deadBytes;
    }
    return slabs;
  }
}

function deadShare(slab: Slab): number {
  return slab.deadBytes / slab.usedBytes;
}
