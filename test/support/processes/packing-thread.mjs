// Packs pods of a kilobyte in a thread of its own: what a worker keeps is no part of what the main thread holds.
import { parentPort } from 'node:worker_threads';
import { BatchWriter } from '#dist/src/wire/batch.js';
import { CellWriter } from '#dist/src/wire/cells.js';
import { ObjectPacker } from '#dist/src/wire/object-packer.js';
import { ScratchBuffers } from '#dist/src/wire/scratch-buffers.js';

const TEXT_LENGTH = 500;
const packer = new ObjectPacker();
const writer = new BatchWriter(packer, { scratch: new ScratchBuffers(4096) });
let sequence = 0;

function rowOf(type, { name, uid, resourceVersion }) {
  const namespace = 'default';
  // Another one for each state, which no table shortens.
  const text = resourceVersion.padEnd(TEXT_LENGTH, ` ${name} has changed once more.`);
  const metadata = { name, namespace, uid, resourceVersion };
  const payload = packer.pack({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { text } });
  const cellWriter = new CellWriter(new ScratchBuffers(1024));
  cellWriter.write({ type, namespace, name, uid, resourceVersion, indexValues: [] }, payload);
  return { cells: cellWriter.cells, offset: 0 };
}

parentPort.on('message', ({ type, states }) => {
  for (const state of states) writer.add(rowOf(type, state));
  parentPort.postMessage(writer.finish(1, sequence++));
});
