/** The entry of the thread that writes and reads snapshots. It ends after `close`, or with the process. */
import { parentPort } from 'node:worker_threads';
import type { SnapshotRequest } from '../../src/snapshot/messages.js';
import { SnapshotService } from './snapshot-service.js';
import { systemSnapshots } from './system-snapshots.js';

if (parentPort === null) throw new Error('workers/snapshot/main.js is the entry of a thread');
const port = parentPort;
const service = new SnapshotService((response) => port.postMessage(response), systemSnapshots);
let last: Promise<void> = Promise.resolve();

port.on('message', (request: SnapshotRequest) => {
  // One after the other, and none is left out because another failed.
  last = last
    .then(() => service.handle(request))
    .then(() => {
      if (request.type === 'close') port.close();
    });
});
