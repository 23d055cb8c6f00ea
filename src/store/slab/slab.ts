import type { KubernetesObject } from '../../kube/object.js';
import type { Batch } from '../../wire/batch.js';
import type { Cells } from '../../wire/cells.js';
import type { ObjectReader } from '../../wire/object-reader.js';

/** What lives in a slab: a stored entry, as far as the memory is concerned. Only the cache writes these fields. */
export interface Tenant {
  slab: Slab;
  /** Of its cell. */
  offset: number;
  /** Its place in the slab's list of tenants; `NO_SLOT` while it is not stored. */
  slot: number;
}

export const NO_SLOT = -1;

/** What entries ask of their cache. */
export interface SlabOwner {
  objectOf(tenant: Tenant): KubernetesObject;
  /** The number under which cells hold the values of an index. */
  indexNumber(indexName: string): number | undefined;
  retain(tenant: Tenant): void;
  release(tenant: Tenant): void;
}

/**
 * One buffer full of cells, all packed with one table: a batch as it arrived, or what compaction gathered. It is never written
 * again, so that whoever still holds an entry can read it; when nobody does, it is garbage.
 */
export class Slab {
  readonly owner: SlabOwner;
  readonly cells: Cells;
  readonly reader: ObjectReader;
  /** The stored entries whose cells are here, in no order. */
  readonly tenants: Tenant[] = [];
  /** Bytes of the cells of all tenants. */
  liveBytes = 0;

  constructor(owner: SlabOwner, { cells, reader }: Pick<Batch, 'cells' | 'reader'>) {
    this.owner = owner;
    this.cells = cells;
    this.reader = reader;
  }

  get byteLength(): number {
    return this.cells.bytes.length;
  }

  get deadBytes(): number {
    return this.byteLength - this.liveBytes;
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
