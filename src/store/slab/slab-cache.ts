import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { SliceScheduler } from '../../util/slice-scheduler.js';
import type { Batch } from '../../wire/batch.js';
import { Cells } from '../../wire/cells.js';
import type { ObjectReader } from '../../wire/object-reader.js';
import { PIN, Slab, type SlabOwner, STORE, type Tenant } from './slab.js';
import { SlabEntry } from './slab-entry.js';
import { SlabMemory } from './slab-memory.js';

/** A quarter more than what lives, at most, and half of that again to get below: memory stays within 1.3 of what is needed. */
const MAX_DEAD_SHARE = 0.2;
const TARGET_DEAD_SHARE = 0.1;

/** Below this, dead bytes are not worth the work. */
const TOLERATED_DEAD_BYTES = 512 * 1024;

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

export interface SlabCacheStats {
  /** Entries that are stored. */
  readonly entries: number;
  /** Bytes of the cells of those that are stored or pinned. */
  readonly liveBytes: number;
  /** Bytes of all cells in the slabs in which they are. */
  readonly heldBytes: number;
  readonly slabs: number;
  readonly compactions: number;
  /** Bytes that were copied, from batches and by compaction. */
  readonly copiedBytes: number;
}

/**
 * The memory of one informer's objects. Their cells are copied from batches when these arrive; while the store or somebody else holds
 * an entry, its bytes count as live. Slabs with many dead bytes are compacted, in slices.
 */
export class SlabCache<T extends KubernetesObject = KubernetesObject> implements SlabOwner {
  readonly #scheduler: SliceScheduler;
  readonly #memory = new SlabMemory();
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
  #storedBytes = 0;
  #liveBytes = 0;
  #heldBytes = 0;
  #compactions = 0;
  #copiedBytes = 0;
  #isCompacting = false;

  constructor(options: SlabCacheOptions) {
    this.#scheduler = options.scheduler;
    this.#indexNumbers = new Map(options.indexNames?.map((name, number) => [name, number]));
  }

  /** An entry of the cell at `offset` of a batch, copied to where others are; undefined if there is no memory for it. */
  copyOf(
    { cells, reader }: Pick<Batch, 'cells' | 'reader'>,
    key: Key,
    offset: number,
  ): SlabEntry<T> | undefined {
    const slab = this.#openSlabFor(reader, cells.byteLengthAt(offset));
    if (slab === undefined) return undefined;
    return new SlabEntry<T>(key, slab, this.#append(slab, cells, offset));
  }

  /** A batch whose cells stay where they are. */
  slabOf(batch: Pick<Batch, 'cells' | 'reader'>): Slab {
    return new Slab(this, batch, batch.cells.bytes.length);
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
    if ((tenant.holders & STORE) !== 0) return;
    this.#entries++;
    this.#storedBytes += bytesOf(tenant);
    this.#hold(tenant, STORE);
  }

  release(tenant: Tenant): void {
    if ((tenant.holders & STORE) === 0) return;
    this.#entries--;
    this.#storedBytes -= bytesOf(tenant);
    this.#letGo(tenant, STORE);
  }

  pin(tenant: Tenant): void {
    this.#hold(tenant, PIN);
  }

  unpin(tenant: Tenant): void {
    this.#letGo(tenant, PIN);
  }

  #hold(tenant: Tenant, holder: number): void {
    if (tenant.holders === 0) this.#admit(tenant);
    tenant.holders += holder;
  }

  #letGo(tenant: Tenant, holder: number): void {
    tenant.holders -= holder;
    if (tenant.holders !== 0) return;
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

  /** Where a cell of this size can be copied to; undefined if there is no memory for it. */
  #openSlabFor(reader: ObjectReader, bytes: number): Slab | undefined {
    const open = this.#openSlabs.get(reader);
    if (open?.hasRoomFor(bytes)) return open;
    try {
      const cells = new Cells(this.#memory.allocate(bytes, this.#heldBytes));
      const slab = new Slab(this, { cells, reader }, 0);
      this.#openSlabs.set(reader, slab);
      return slab;
    } catch {
      return undefined;
    }
  }

  /** Copies a cell to the end of a slab; returns its place there. */
  #append(slab: Slab, cells: Cells, offset: number): number {
    const place = slab.usedBytes;
    const bytes = cells.byteLengthAt(offset);
    cells.bytes.copy(slab.cells.bytes, place, offset, offset + bytes);
    slab.usedBytes += bytes;
    if (slab.tenants.length > 0) this.#heldBytes += bytes;
    this.#copiedBytes += bytes;
    return place;
  }

  /** Moves an entry that is nobody's tenant. It reads the same before and after. */
  #move(tenant: Tenant, target: Slab): void {
    tenant.offset = this.#append(target, tenant.slab.cells, tenant.offset);
    tenant.slab = target;
  }

  #hasTooManyDead(): boolean {
    const dead = this.#heldBytes - this.#liveBytes;
    return dead > TOLERATED_DEAD_BYTES && dead > this.#measure * MAX_DEAD_SHARE;
  }

  /** Of what the dead bytes are a share: what is stored. If most of what lives is pinned, half of that, or gathering would never end. */
  get #measure(): number {
    return Math.max(this.#storedBytes, this.#liveBytes / 2);
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
          const target = this.#openSlabFor(slab.reader, bytesOf(tenant));
          // Without memory nothing can be gathered. The next release tries again.
          if (target === undefined) return;
          this.#dismiss(tenant);
          this.#move(tenant, target);
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
      if (dead <= this.#measure * TARGET_DEAD_SHARE) break;
      slabs.push(slab);
      dead -= slab.deadBytes;
    }
    return slabs;
  }
}

function bytesOf({ slab, offset }: Tenant): number {
  return slab.cells.byteLengthAt(offset);
}

function deadShare(slab: Slab): number {
  return slab.deadBytes / slab.usedBytes;
}
