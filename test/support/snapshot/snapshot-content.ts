import type { ReadCells } from '#dist/src/snapshot/read-snapshot.js';
import type { SnapshotHeader } from '#dist/src/snapshot/snapshot-header.js';
import type { SnapshotContent } from '#dist/src/snapshot/write-snapshot.js';
import { Cells, CellWriter } from '#dist/src/wire/cells.js';
import type { Definition } from '#dist/src/wire/definitions.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ObjectReader } from '#dist/src/wire/object-reader.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';

const PER_SLAB = 50;

export const IDENTITY: SnapshotHeader['identity'] = {
  program: { kubeflect: '1', format: '1' },
  server: { uid: 'uid', address: 'http://server' },
  options: { plural: 'pods', apiVersion: 'v1' },
};

/** The snapshot of a collection of `count` small objects, in the state of `generation`. */
export function contentOf(count: number, generation: number): SnapshotContent {
  const packer = new ObjectPacker();
  const slabs: SnapshotContent['slabs'][number][] = [];
  for (let first = 0; first < count; first += PER_SLAB) {
    const writer = new CellWriter(new ScratchBuffers(256 * 1024));
    const offsets: number[] = [];
    for (let i = first; i < Math.min(count, first + PER_SLAB); i++) {
      const resourceVersion = String(1000 * generation + i);
      const metadata = { name: `o-${i}`, namespace: 'ns', uid: `u${i}`, resourceVersion };
      offsets.push(writer.length);
      writer.write(
        { ...metadata, type: 'item', indexValues: [[`node-${i % 3}`]] },
        packer.pack({ metadata, spec: { n: i } }),
      );
    }
    const buffer = new SharedArrayBuffer(writer.length);
    Buffer.from(buffer).set(writer.cells.bytes.subarray(0, writer.length));
    slabs.push({ cells: new Cells(buffer), offsets: Uint32Array.from(offsets), table: 0 });
  }
  const anchor = {
    resourceVersion: String(1000 * generation),
    key: 'ns/o-0',
    uid: 'u0',
    isDeletion: false,
    digest: '',
  };
  const header = {
    identity: IDENTITY,
    anchors: { '': anchor },
    objects: count,
    tables: 1,
    takenAt: generation,
  };
  return { header, tables: [packer.definitions], slabs };
}

/** Collects what is read, as objects. */
export class ReadObjects {
  readonly objects: unknown[] = [];
  readonly #readers: ObjectReader[] = [];

  readonly onTable = (definitions: readonly Definition[]): void => {
    const reader = new ObjectReader(`t${this.#readers.length}`);
    reader.extend(0, definitions);
    this.#readers.push(reader);
  };

  readonly onCells = ({ buffer, offsets, table }: ReadCells): void => {
    const cells = new Cells(buffer);
    for (const offset of offsets) {
      this.objects.push(
        this.#readers[table]?.read(cells.bytes, cells.payloadStartAt(offset), cells.payloadEndAt(offset)),
      );
    }
  };
}
