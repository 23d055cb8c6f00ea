// Packs pods of a kilobyte in a thread of its own, so that its memory does not count as that of the main thread.
import { parentPort } from 'node:worker_threads';
import { BatchWriter } from '#dist/src/wire/batch.js';
import { CellWriter } from '#dist/src/wire/cells.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';

const NOTE_LENGTH = 500;
const packer = new ObjectPacker();
const writer = new BatchWriter(packer, { scratch: new ScratchBuffers(4096) });
let sequence = 0;

function rowOf(type, { name, uid, resourceVersion }) {
  const namespace = 'default';
  // Unique for each state, so that no string table shortens it.
  const note = resourceVersion.padEnd(NOTE_LENGTH, ` ${name} has changed once more.`);
  const metadata = { name, namespace, uid, resourceVersion };
  const payload = packer.pack({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { note } });
  const cellWriter = new CellWriter(new ScratchBuffers(1024));
  cellWriter.write({ type, namespace, name, uid, resourceVersion, indexValues: [] }, payload);
  return { cells: cellWriter.cells, offset: 0 };
}

parentPort.on('message', ({ type, states }) => {
  for (const state of states) writer.add(rowOf(type, state));
  parentPort.postMessage(writer.finish(1, sequence++));
});
