import type { KubernetesObject } from '../../kube/object.js';
import type { Batch } from '../../wire/batch.js';
import type { Cells } from '../../wire/cells.js';
import type { ObjectReader } from '../../wire/object-reader.js';

/** What lives in a slab: an entry that is held, as far as the memory is concerned. Only the cache writes these fields. */
export interface Tenant {
  slab: Slab;
  /** Of its cell. */
  offset: number;
  /** Its place in the slab's list of tenants; `NO_SLOT` while nobody holds it. */
  slot: number;
  /** `STORE`, and `PIN` once for each that has pinned it. */
  holders: number;
}

export const NO_SLOT = -1;
export const STORE = 1;
export const PIN = 2;

/** What entries ask of their cache. */
export interface SlabOwner {
  objectOf(tenant: Tenant): KubernetesObject;
  /** The number under which cells hold the values of an index. */
  indexNumber(indexName: string): number | undefined;
  retain(tenant: Tenant): void;
  release(tenant: Tenant): void;
  pin(tenant: Tenant): void;
  unpin(tenant: Tenant): void;
}

/**
 * One buffer of cells, all packed with one table: a batch as it arrived, or cells gathered one after the other. No cell is ever
 * overwritten, so that whoever still holds an entry can read it; when nobody holds any, the slab is garbage.
 */
export class Slab {
  readonly owner: SlabOwner;
  readonly cells: Cells;
  readonly reader: ObjectReader;
  /** The entries that are held and whose cells are here, in no order. */
  readonly tenants: Tenant[] = [];
  /** Bytes of the cells of all tenants. */
  liveBytes = 0;

  /** Up to here cells were written: the whole of a batch. */
  usedBytes: number;

  constructor(owner: SlabOwner, { cells, reader }: Pick<Batch, 'cells' | 'reader'>, usedBytes: number) {
    this.owner = owner;
    this.cells = cells;
    this.reader = reader;
    this.usedBytes = usedBytes;
  }

  get deadBytes(): number {
    return this.usedBytes - this.liveBytes;
  }

  hasRoomFor(bytes: number): boolean {
    return this.usedBytes + bytes <= this.cells.bytes.length;
  }

  /** Returns the bytes of its cell. */
  admit(tenant: Tenant): number {
    tenant.slot = this.tenants.push(tenant) - 1;
    const bytes = this.cells.byteLengthAt(tenant.offset);
    this.liveBytes += bytes;
    return bytes;
  }

  /** Returns the bytes of its cell. */
  dismiss(tenant: Tenant): number {
    const last = this.tenants.pop() as Tenant;
    if (last !== tenant) {
      this.tenants[tenant.slot] = last;
      last.slot = tenant.slot;
    }
    tenant.slot = NO_SLOT;
    const bytes = this.cells.byteLengthAt(tenant.offset);
    this.liveBytes -= bytes;
    return bytes;
  }
}
