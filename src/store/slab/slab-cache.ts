import type { KubernetesObject } from '../../kube/object.js';
import type { Slice, SliceScheduler } from '../../slice-scheduler.js';
import type { Batch, ControlRow } from '../../wire/batch.js';
import { Cells, type ObjectRowType } from '../../wire/cells.js';
import type { ObjectReader } from '../../wire/object-reader.js';
import { NO_SLOT, Slab, type SlabOwner, type Tenant } from './slab.js';
import { SlabEntry } from './slab-entry.js';

/** A quarter more than what lives, at most, and half of that again to get below: memory stays within 1.3 of what is needed. */
const MAX_DEAD_SHARE = 0.2;
const TARGET_DEAD_SHARE = 0.1;

/** Below this, dead bytes are not worth the work. */
const TOLERATED_DEAD_BYTES = 512 * 1024;

/** Watch events come in slabs of one or a few objects. Each costs about 600 bytes besides, so many of them are merged. */
const SMALL_SLAB_BYTES = 32 * 1024;
const MAX_SMALL_SLABS = 256;

/** What compaction gathers: as large as a full batch. */
const GATHERED_BYTES = 256 * 1024;

/**
 * Objects decoded last are kept, for readers that ask for `entry.object` once per field. Sixty-four pods are about 1.5 MB.
 */
const DECODED_OBJECTS = 64;

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
  /** Bytes of the slabs in which they are. */
  readonly heldBytes: number;
  readonly slabs: number;
  readonly compactions: number;
  /** Bytes that compaction has copied. */
  readonly movedBytes: number;
}

/**
 * The memory of one informer's objects. Entries are made from batches without a copy; from when the store retains one until it
 * releases it, its bytes count as live. Slabs with too many dead bytes, and many small ones, are compacted in slices.
 */
export class SlabCache<T extends KubernetesObject = KubernetesObject> implements SlabOwner {
  readonly #scheduler: SliceScheduler;
  readonly #indexNumbers: ReadonlyMap<string, number>;
  /** Those with at least one tenant. Others are kept by whoever still holds their entries. */
  readonly #slabs = new Set<Slab>();
  /** In the order of decoding. */
  readonly #decoded = new Map<Tenant, KubernetesObject>();
  #entries = 0;
  #liveBytes = 0;
  #heldBytes = 0;
  #smallSlabs = 0;
  #compactions = 0;
  #movedBytes = 0;
  #isCompacting = false;

  constructor(options: SlabCacheOptions) {
    this.#scheduler = options.scheduler;
    this.#indexNumbers = new Map(options.indexNames?.map((name, number) => [name, number]));
  }

  /** The rows of a batch, in order. The batch is the cache's from then on. */
  rows(batch: Batch): EntryRow<T>[] {
    const slab = new Slab(this, batch);
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
      movedBytes: this.#movedBytes,
    };
  }

  objectOf(tenant: Tenant): KubernetesObject {
    const known = this.#decoded.get(tenant);
    if (known !== undefined) return known;
    const { slab, offset } = tenant;
    const start = slab.cells.payloadStartAt(offset);
    const object = slab.reader.read(slab.cells.bytes, start, slab.cells.payloadEndAt(offset));
    if (this.#decoded.size >= DECODED_OBJECTS) {
      for (const oldest of this.#decoded.keys()) {
        this.#decoded.delete(oldest);
        break;
      }
    }
    this.#decoded.set(tenant, object as KubernetesObject);
    return object as KubernetesObject;
  }

  indexNumber(indexName: string): number | undefined {
    return this.#indexNumbers.get(indexName);
  }

  retain(tenant: Tenant): void {
    if (tenant.slot !== NO_SLOT) return;
    this.#entries++;
    this.#admit(tenant);
  }

  release(tenant: Tenant): void {
    if (tenant.slot === NO_SLOT) return;
    this.#entries--;
    this.#dismiss(tenant);
    this.#compactIfNeeded();
  }

  #admit(tenant: Tenant): void {
    const { slab } = tenant;
    if (slab.tenants.length === 0) {
      this.#slabs.add(slab);
      this.#heldBytes += slab.byteLength;
      if (isSmall(slab)) this.#smallSlabs++;
    }
    this.#liveBytes += slab.admit(tenant);
  }

  #dismiss(tenant: Tenant): void {
    const { slab } = tenant;
    this.#liveBytes -= slab.dismiss(tenant);
    if (slab.tenants.length > 0) return;
    this.#slabs.delete(slab);
    this.#heldBytes -= slab.byteLength;
    if (isSmall(slab)) this.#smallSlabs--;
  }

  #hasTooManyDead(share: number): boolean {
    const dead = this.#heldBytes - this.#liveBytes;
    return dead > TOLERATED_DEAD_BYTES && dead > this.#liveBytes * share;
  }

  #compactIfNeeded(): void {
    if (this.#isCompacting) return;
    if (!this.#hasTooManyDead(MAX_DEAD_SHARE) && this.#smallSlabs <= MAX_SMALL_SLABS) return;
    this.#isCompacting = true;
    void this.#compact().finally(() => {
      this.#isCompacting = false;
    });
  }

  /** Once: what has become too much meanwhile is noticed at the next release. */
  async #compact(): Promise<void> {
    const slice = this.#scheduler.open();
    await slice.renew();
    const byReader = new Map<ObjectReader, Slab[]>();
    for (const slab of this.#slabsToEmpty()) {
      const slabs = byReader.get(slab.reader);
      if (slabs === undefined) byReader.set(slab.reader, [slab]);
      else slabs.push(slab);
    }
    for (const [reader, slabs] of byReader) await this.#gather(reader, slabs, slice);
    this.#compactions++;
  }

  /** The small ones, and those with the most dead bytes until enough are gone. */
  #slabsToEmpty(): Slab[] {
    let dead = this.#heldBytes - this.#liveBytes;
    const slabs: Slab[] = [];
    for (const slab of [...this.#slabs].sort((a, b) => deadShare(b) - deadShare(a))) {
      const isEnough = dead <= this.#liveBytes * TARGET_DEAD_SHARE || slab.deadBytes === 0;
      if (isEnough && !(isSmall(slab) && this.#smallSlabs > MAX_SMALL_SLABS / 2)) continue;
      slabs.push(slab);
      dead -= slab.deadBytes;
    }
    return slabs;
  }

  /** Copies the cells of all tenants of these slabs into fresh ones. An entry moves at once, between two reads of it. */
  async #gather(reader: ObjectReader, slabs: readonly Slab[], slice: Slice): Promise<void> {
    let remaining = slabs.reduce((sum, slab) => sum + slab.liveBytes, 0);
    let target: Slab | undefined;
    let end = 0;
    for (const slab of slabs) {
      while (slab.tenants.length > 0) {
        if (!slice.take()) {
          await slice.renew();
          continue;
        }
        const tenant = slab.tenants[slab.tenants.length - 1] as Tenant;
        const bytes = slab.cells.byteLengthAt(tenant.offset);
        if (target === undefined || end + bytes > target.byteLength) {
          const size = Math.max(bytes, Math.min(remaining, GATHERED_BYTES));
          target = new Slab(this, { cells: new Cells(allocate(size)), reader });
          end = 0;
        }
        slab.cells.bytes.copy(target.cells.bytes, end, tenant.offset, tenant.offset + bytes);
        this.#dismiss(tenant);
        tenant.slab = target;
        tenant.offset = end;
        this.#admit(tenant);
        end += bytes;
        remaining -= bytes;
        this.#movedBytes += bytes;
      }
    }
  }
}

function isSmall(slab: Slab): boolean {
  return slab.byteLength < SMALL_SLAB_BYTES;
}

function deadShare(slab: Slab): number {
  return slab.deadBytes / slab.byteLength;
}

/** Not from Node's pool, and not filled with zeroes first. */
function allocate(bytes: number): ArrayBuffer {
  return Buffer.allocUnsafeSlow(bytes).buffer as ArrayBuffer;
}
