import { ObjectReader } from './object-reader.js';

/**
 * The readers of an engine by the ids of their tables, of all threads. A reader lives as long as an entry refers to
 * it.
 */
export class ObjectReaders {
  readonly #readers = new Map<string, WeakRef<ObjectReader>>();

  get(tableId: string): ObjectReader {
    const known = this.#readers.get(tableId)?.deref();
    if (known !== undefined) return known;
    this.#forgetCollected();
    const reader = new ObjectReader(tableId);
    this.#readers.set(tableId, new WeakRef(reader));
    return reader;
  }

  #forgetCollected(): void {
    for (const [tableId, reader] of this.#readers) {
      if (reader.deref() === undefined) this.#readers.delete(tableId);
    }
  }
}

/** More than the threads of any pool. Tables of ended threads are evicted first. */
const MAX_TABLES = 16;

/**
 * The tables with which an informer's last batches were read. A new stream's task lists how many definitions of each
 * are known, so that the worker does not send them again. The readers are kept alive, because a worker relies on the
 * list.
 */
export class KnownTables {
  readonly #readers = new Map<string, ObjectReader>();
  #newest: ObjectReader | undefined;

  /** To be called with the reader of each batch. */
  add(reader: ObjectReader): void {
    if (reader === this.#newest) return;
    this.#newest = reader;
    this.#readers.delete(reader.tableId);
    this.#readers.set(reader.tableId, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > MAX_TABLES && oldest !== undefined) this.#readers.delete(oldest);
  }

  /** The number of known definitions by the table's id. */
  get sizes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#readers].map(([tableId, { size }]) => [tableId, size]));
  }
}
