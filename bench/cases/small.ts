/** Small collections: how soon after its start a process has synced, and how much memory it takes then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { count, counts, strings } from '../command-line/options.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { BarPlot } from '../report/plots.js';
import type { Report } from '../report/report.js';
import { type DrivenDefinition, drivenContenders } from '../runner/driven-contenders.js';
import { expectEqual } from '../runner/driven-process.js';
import { withIdentity } from '../runner/identity.js';
import { sampleOf } from '../runner/process-status.js';
import { embeddedServer } from '../servers/embedded.js';
import type { BenchServer } from '../servers/server.js';
import { type BenchCase, defineCase } from './case.js';

interface SmallResult {
  readonly syncedMs: number;
  readonly cpuMs: number;
  readonly residentMB: number;
}

interface SmallRow {
  readonly name: string;
  readonly objects: number;
  readonly results: SmallResult[];
}

/** Memory is measured when the process has come to rest. */
const SETTLE_MS = 3000;

const SYNCED: Metric<SmallResult> = {
  name: 'process start to synced',
  unit: 'ms',
  digits: 0,
  select: ({ syncedMs }) => syncedMs,
};
const MEMORY: Metric<SmallResult> = {
  name: 'resident memory',
  unit: 'MB',
  digits: 0,
  select: ({ residentMB }) => residentMB,
};
const METRICS: readonly Metric<SmallResult>[] = [
  SYNCED,
  { name: 'CPU', unit: 'ms', digits: 0, select: ({ cpuMs }) => cpuMs },
  MEMORY,
];

export const small: BenchCase = defineCase(
  { objects: counts([100, 3000]), bytes: count(8200), peer: strings(), rounds: count(5) },
  async ({ objects: sizes, bytes, peer, rounds, warmUp }) => {
    const contenders = await drivenContenders(['protobuf'], peer);
    const rows: SmallRow[] = [];
    for (const objects of sizes) {
      const found = contenders.map((contender) => ({ contender, results: [] as SmallResult[] }));
      const server = await embeddedServer({ objects, bytes });
      try {
        for (let round = -warmUp; round < rounds; round++) {
          console.error(`round ${round + 1} of ${rounds}: ${objects} objects`);
          for (const { contender, results } of found) {
            const result = await runSmall(contender, server);
            if (round >= 0) results.push(result);
          }
        }
      } finally {
        await server.close();
      }
      rows.push(...found.map(({ contender: { name }, results }) => ({ name, objects, results })));
    }
    return reportOf(rows, bytes);
  },
);

async function runSmall({ start, encoding }: DrivenDefinition, server: BenchServer): Promise<SmallResult> {
  const contender = start();
  try {
    const { kubeConfig, objects } = server;
    const { syncedAtMs } = await contender.call('start', {
      ...withIdentity({ kubeConfig }),
      objects,
      encoding,
    });
    await sleep(SETTLE_MS);
    const { cpuMs, residentMB } = sampleOf(contender.processId);
    await expectEqual(contender, await server.expected());
    return { syncedMs: syncedAtMs - contender.startedAtMs, cpuMs, residentMB };
  } finally {
    await contender.end();
  }
}

function reportOf(rows: readonly SmallRow[], bytes: number): Report {
  const plotOf = (title: string, y: string, metric: Metric<SmallResult>): BarPlot => ({
    kind: 'bar',
    title,
    y,
    points: rows.map(({ name, objects, results }) => [`${name}, ${objects}`, medianOf(metric, results)]),
  });
  return {
    tables: [
      {
        title: `Pods of ${bytes} bytes, embedded API server, plain HTTP`,
        columns: [{ name: 'objects' }, { name: '' }, ...columnsOf(METRICS)],
        rows: rows.map(({ name, objects, results }) => [objects, name, ...spreadsOf(METRICS, results)]),
      },
    ],
    plots: [
      plotOf('Process start to synced', 'process start to synced, ms', SYNCED),
      plotOf('Memory of small collections', 'resident memory, MB', MEMORY),
    ],
    notes: [
      'median (min-max) of the rounds; every cache had the count and the digest of the server',
      `CPU and resident memory ${SETTLE_MS / 1000} s after the sync, of the whole process since its start`,
    ],
    results: Object.fromEntries(rows.map(({ name, objects, results }) => [`${name} ${objects}`, results])),
  };
}
