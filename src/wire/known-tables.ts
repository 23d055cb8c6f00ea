import type { ObjectReader } from './object-reader.js';

/** More than the threads of any pool. Those of threads that are gone make place. */
const MAX_TABLES = 16;

/**
 * The tables that an informer's last batches were read with, and how much of them is known: new streams are told, and their workers do not
 * send it again. Held, so that what a worker was told stays true.
 */
export class KnownTables {
  readonly #readers = new Map<string, ObjectReader>();

  /** A batch was read with this one. */
  note(reader: ObjectReader): void {
    this.#readers.delete(reader.tableId);
    this.#readers.set(reader.tableId, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > MAX_TABLES && oldest !== undefined) this.#readers.delete(oldest);
  }

  /** Definitions by the table's id. */
  get sizes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#readers].map(([tableId, { size }]) => [tableId, size]));
  }
}
