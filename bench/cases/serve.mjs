/**
 * How fast the embedded API server serves a rendered list: it must never be what a benchmark measures.
 *
 * The server runs in a process of its own. The result is checked twice: the pages of the list give the server's own
 * digest, and every timed round must read exactly the bytes that those pages add up to.
 */
import { get } from 'node:http';
import { startApiServer } from 'kubeflect/testing';
import { listBytes } from '../list-bytes.mjs';
import { spread } from '../statistics.mjs';

export const options = { objects: { type: 'string', default: '60000' } };

export async function run(values) {
  const objects = Number(values.objects);
  const server = await startApiServer({ run: 'process' });
  try {
    await server.populate({ kind: 'Pod', count: objects });
    const expectedBytes = await listBytes(server);
    const speeds = [];
    for (let round = -Number(values['warm-up']); round < Number(values.rounds); round++) {
      const began = performance.now();
      const bytes = await read(`${server.url}/api/v1/pods?resourceVersion=0`);
      const seconds = (performance.now() - began) / 1000;
      if (bytes !== expectedBytes) throw new Error(`read ${bytes} bytes instead of ${expectedBytes}`);
      if (round >= 0) speeds.push(bytes / 1e6 / seconds);
    }
    return reportOf(objects, expectedBytes, speeds);
  } finally {
    await server.close();
  }
}

function reportOf(objects, bytes, speeds) {
  return {
    tables: [
      {
        title: `A list of ${objects} pods in one answer, read and thrown away`,
        columns: [
          { name: 'list', unit: 'MB' },
          { name: 'served', unit: 'MB/s' },
        ],
        rows: [[bytes / 1e6, spread(speeds)]],
      },
    ],
    plots: [
      {
        kind: 'bar',
        title: 'Serving a list',
        y: 'served, MB/s',
        points: speeds.map((speed, i) => [`round ${i + 1}`, speed]),
      },
    ],
    notes: ['its pages have the digest of the server, and every round read the bytes that they add up to'],
    results: { objects, bytes, speeds },
  };
}

/** Reads and discards. */
function read(url) {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve(bytes));
      response.on('error', reject);
    }).on('error', reject);
  });
}
