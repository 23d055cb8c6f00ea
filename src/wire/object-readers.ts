import { ObjectReader } from './object-reader.js';

/** The tables of all packers of all threads, by id. One per engine. A table lives as long as something that is read by it. */
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
