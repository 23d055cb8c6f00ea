import type { SlabCache } from '#dist/src/store/slab/slab-cache.js';
import { SlabEntry } from '#dist/src/store/slab/slab-entry.js';
import { type EntryRow, SlabIntake, type StoredEntry } from '#dist/src/store/slab/slab-intake.js';
import { BatchReader, BatchWriter } from '#dist/src/wire/batch.js';
import type { ObjectRowType } from '#dist/src/wire/cells.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';
import type { Pod } from '../objects/entries.js';
import { cellRow } from './cell-rows.js';

export interface PodStreamOptions {
  readonly cache: SlabCache<Pod>;
  readonly stored: StoredEntry<Pod>;
  /** May be shared with other streams. */
  readonly packer?: ObjectPacker;
  readonly readers?: ObjectReaders;
}

/** Encodes pods as a worker does, with their node as index value, and decodes them as the main thread does. */
export class PodStream {
  readonly #packer: ObjectPacker;
  readonly #writer: BatchWriter;
  readonly #reader: BatchReader;
  readonly #intake: SlabIntake<Pod>;
  #sequence = 0;

  constructor({
    cache,
    stored,
    packer = new ObjectPacker(),
    readers = new ObjectReaders(),
  }: PodStreamOptions) {
    this.#packer = packer;
    this.#writer = new BatchWriter(packer, { scratch: new ScratchBuffers(4096) });
    this.#reader = new BatchReader({ epoch: 1, readers });
    this.#intake = new SlabIntake(cache, stored);
  }

  /** The entries of one batch. */
  receive(pods: readonly Pod[], type: ObjectRowType = 'item'): SlabEntry<Pod>[] {
    for (const object of pods) {
      const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
      const indexValues = [object.spec?.nodeName === undefined ? [] : [object.spec.nodeName]];
      const header = { type, namespace, name, uid, resourceVersion, indexValues };
      this.#writer.add(cellRow(header, this.#packer.pack(object)));
    }
    const batch = this.#reader.read(this.#writer.finish(1, this.#sequence++));
    return entriesOf(this.#intake.rows(batch));
  }
}

/** Throws if a row has no entry. */
export function entriesOf(rows: readonly EntryRow<Pod>[]): SlabEntry<Pod>[] {
  return rows.map((row) => {
    if (row instanceof SlabEntry) return row;
    if (!('entry' in row)) throw new Error('unexpected');
    return row.entry;
  });
}
