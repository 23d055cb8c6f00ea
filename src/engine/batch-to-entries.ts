import type { KubernetesObject } from '../kube/object.js';
import type { SlabCache } from '../store/slab/slab-cache.js';
import { type EntryRow, SlabIntake, type StoredEntry } from '../store/slab/slab-intake.js';
import { BatchReader } from '../wire/batch.js';
import type { ObjectReaders } from '../wire/object-readers.js';
import { KnownTables } from '../wire/object-readers.js';

/** Reads the next batch of a stream. Throws `KUBEFLECT_BATCH_INVALID` if the bytes are not what a worker sent. */
export type ReadBatch<T extends KubernetesObject> = (buffer: ArrayBufferLike) => readonly EntryRow<T>[];

/**
 * The step from bytes to entries, for all streams of one informer: a batch as it came from a worker is checked
 * (`BatchReader`), its objects are copied into the slabs of the informer's cache (`SlabIntake`), and the definitions
 * that came with it are remembered, so that later streams need not send them again (`KnownTables`).
 */
export class BatchToEntries<T extends KubernetesObject> {
  readonly #cache: SlabCache<T>;
  readonly #readers: ObjectReaders;
  readonly #tables = new KnownTables();

  constructor(cache: SlabCache<T>, readers: ObjectReaders) {
    this.#cache = cache;
    this.#readers = readers;
  }

  /** How many definitions of each table the main thread already has. */
  get knownTables(): Readonly<Record<string, number>> {
    return this.#tables.sizes;
  }

  /** Call it before the first stream of a list: an earlier list that was not stored has failed. */
  startList(): void {
    this.#cache.startList();
  }

  /**
   * For the batches of one stream, in order. An object that `stored` finds in the same state becomes the stored
   * entry, so that a relist of unchanged objects takes no memory.
   */
  openStream(epoch: number, stored: StoredEntry<T>): ReadBatch<T> {
    const reader = new BatchReader({ epoch, readers: this.#readers });
    const intake = new SlabIntake(this.#cache, stored);
    return (buffer) => {
      const batch = reader.read(buffer);
      this.#tables.add(batch.reader);
      return intake.rows(batch);
    };
  }
}
