/**
 * How fast the embedded API server serves a rendered list: it must never be what a benchmark measures.
 *
 * The server runs in a process of its own. The result is checked twice: the pages of the list give the server's own
 * digest, and every timed round must read exactly the bytes that those pages add up to.
 */
import { get } from 'node:http';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startApiServer } from 'kubeflect/testing';
import { listBytes } from '../list-bytes.mjs';

export async function serve(args) {
  const { values } = parseArgs({
    args,
    options: { objects: { type: 'string', default: '60000' }, rounds: { type: 'string', default: '5' } },
  });
  const objects = Number(values.objects);
  const rounds = Number(values.rounds);
  const server = await startApiServer({ run: 'process' });
  try {
    await server.populate({ kind: 'Pod', count: objects });
    console.log(`node ${process.version}, ${cpus().length} cores, ${objects} pods`);
    const expectedBytes = await listBytes(server);
    const speeds = [];
    for (let round = 0; round <= rounds; round++) {
      const began = performance.now();
      const bytes = await read(`${server.url}/api/v1/pods?resourceVersion=0`);
      const seconds = (performance.now() - began) / 1000;
      if (bytes !== expectedBytes) throw new Error(`read ${bytes} bytes instead of ${expectedBytes}`);
      // The first round warms up.
      if (round > 0) speeds.push(bytes / 1e6 / seconds);
    }
    speeds.sort((a, b) => a - b);
    const median = speeds[Math.floor(speeds.length / 2)] ?? 0;
    const spread = `${(speeds[0] ?? 0).toFixed(0)}-${(speeds.at(-1) ?? 0).toFixed(0)}`;
    console.log(
      `list of ${(expectedBytes / 1e6).toFixed(0)} MB: ${median.toFixed(0)} MB/s (${spread} in ${rounds} rounds)`,
    );
  } finally {
    await server.close();
  }
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
