/**
 * How fast the embedded API server serves a list of generated objects: it must never be the bottleneck of a
 * benchmark.
 *
 * The server runs in its own process. The result is checked twice: the pages of the list have the server's own
 * digest, and every timed round must read exactly the bytes that those pages add up to.
 */
import { get } from 'node:http';
import { startApiServer } from 'kubeflect/testing';
import { count } from '../command-line/options.js';
import type { Report } from '../report/report.js';
import { spread } from '../report/statistics.js';
import { jsonListBytes } from '../servers/list-bytes.js';
import { type BenchCase, defineCase } from './case.js';

export const serve: BenchCase = defineCase(
  { objects: count(60_000) },
  async ({ objects, rounds, warmUp }) => {
    const server = await startApiServer({ run: 'process' });
    try {
      await server.populate({ kind: 'Pod', count: objects });
      const expectedBytes = await jsonListBytes(server);
      const speeds: number[] = [];
      for (let round = -warmUp; round < rounds; round++) {
        const startMs = performance.now();
        const bytes = await read(`${server.url}/api/v1/pods?resourceVersion=0`);
        const seconds = (performance.now() - startMs) / 1000;
        if (bytes !== expectedBytes) throw new Error(`read ${bytes} bytes, expected ${expectedBytes}`);
        if (round >= 0) speeds.push(bytes / 1e6 / seconds);
      }
      return reportOf(objects, expectedBytes, speeds);
    } finally {
      await server.close();
    }
  },
);

function reportOf(objects: number, bytes: number, speeds: readonly number[]): Report {
  return {
    tables: [
      {
        title: `A list of ${objects} pods in one JSON response, read and discarded`,
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
    notes: ['the pages have the digest of the server, and every round read the bytes that they add up to'],
    results: { objects, bytes, speeds },
  };
}

/** Reads and discards. */
function read(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve(bytes));
      response.on('error', reject);
    }).on('error', reject);
  });
}
