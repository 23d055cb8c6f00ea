import type { KubernetesObject } from '../../kube/object.js';
import type { Batch } from '../../wire/batch.js';
import type { Cells } from '../../wire/cells.js';
import type { ObjectReader } from '../../wire/object-reader.js';

/**
 * An entry as far as its memory is concerned: where its cell is, and who holds it. Only the cache writes these fields.
 */
export interface SlabRecord {
  slab: Slab;
  /** The offset of its cell. */
  offset: number;
  /** Its index in `Slab.records`; `NO_SLOT` while it has no holder. */
  slot: number;
  /** `STORE` if it is stored, plus `PIN` for each pin. */
  holders: number;
}

export const NO_SLOT = -1;
export const STORE = 1;
export const PIN = 2;

/** What entries need of their cache. */
export interface SlabOwner {
  objectOf(record: SlabRecord): KubernetesObject;
  /** These fields of its metadata; nothing else is decoded. */
  metadataOf(record: SlabRecord, names: readonly string[]): Readonly<Record<string, unknown>>;
  /** The number under which cells hold the values of an index. */
  indexNumber(indexName: string): number | undefined;
  retain(record: SlabRecord): void;
  release(record: SlabRecord): void;
  pin(record: SlabRecord): void;
  unpin(record: SlabRecord): void;
}

/**
 * One buffer of cells that share one table of definitions: a batch as it arrived, or cells appended one by one. A cell
 * is never overwritten, so that an entry stays readable for its holders; a slab without holders is garbage.
 */
export class Slab {
  readonly owner: SlabOwner;
  readonly cells: Cells;
  readonly reader: ObjectReader;
  /** The entries with a holder whose cells are here, in no order. */
  readonly records: SlabRecord[] = [];
  /** Bytes of the cells of all records. */
  liveBytes = 0;

  /** Where the next cell is appended; a batch is full. */
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

  hasCapacityFor(bytes: number): boolean {
    return this.usedBytes + bytes <= this.cells.bytes.length;
  }

  /** Returns the bytes of its cell. */
  attach(record: SlabRecord): number {
    record.slot = this.records.push(record) - 1;
    const bytes = this.cells.byteLengthAt(record.offset);
    this.liveBytes += bytes;
    return bytes;
  }

  /** Returns the bytes of its cell. */
  detach(record: SlabRecord): number {
    const last = this.records.pop() as SlabRecord;
    if (last !== record) {
      this.records[record.slot] = last;
      last.slot = record.slot;
    }
    record.slot = NO_SLOT;
    const bytes = this.cells.byteLengthAt(record.offset);
    this.liveBytes -= bytes;
    return bytes;
  }
}
