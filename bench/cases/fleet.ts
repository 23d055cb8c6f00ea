/**
 * The engines of many nodes that restart at once, as after a roll-out of a DaemonSet: what they ask of the API server
 * when each lists, and when each has the cache of the one before.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from '../command-line/options.js';
import type { ContenderResult } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import { scriptContender } from '../runner/contenders.js';
import { expectSame, runRounds } from '../runner/rounds.js';
import { leaveSnapshots, startRestartServer } from '../servers/restart-server.js';
import { type BenchCase, defineCase } from './case.js';

interface FleetResult extends ContenderResult {
  /** Engines that started warm. */
  readonly warm: number;
  readonly requests: number;
  readonly serverMB: number;
  readonly serverCpuMs: number;
}

const METRICS: readonly Metric<FleetResult>[] = [
  { name: 'all synced', unit: 's', digits: 2, select: ({ syncedMs }) => syncedMs / 1000 },
  { name: 'requests', unit: 'of all', digits: 0, select: ({ requests }) => requests },
  { name: 'from the server', unit: 'MB', digits: 3, select: ({ serverMB }) => serverMB },
  { name: 'server CPU', unit: 's', digits: 2, select: ({ serverCpuMs }) => serverCpuMs / 1000 },
  { name: 'CPU of all', unit: 's', digits: 2, select: ({ cpuMs }) => cpuMs / 1000 },
  { name: 'peak memory of all', unit: 'MB', digits: 0, select: ({ peakResidentMB }) => peakResidentMB },
];
const MAX_SHARE = 0.01;

export const fleet: BenchCase = defineCase(
  { engines: count(50), objects: count(2000), bytes: count(8200), warmUp: count(0, { min: 0 }) },
  async ({ engines, objects, bytes, rounds, warmUp }) => {
    const directory = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
    const server = await startRestartServer('embedded', { objects, bytes });
    const task = { kubeConfig: server.kubeConfig, engines };
    try {
      await leaveSnapshots(
        server,
        scriptContender('first', 'fleet', { snapshot: { directory, runMs: 5000 } }),
        task,
      );
      const { count: expectedCount, digest } = await server.digest();
      const measured = await runRounds<FleetResult>({
        contenders: [
          scriptContender('cold', 'fleet', { snapshot: { until: digest } }),
          scriptContender('warm', 'fleet', { snapshot: { directory, until: digest } }),
        ],
        task,
        rounds,
        warmUp,
        around: async (run) => {
          const before = {
            bytes: await server.sent(),
            requests: await server.requests(),
            cpuMs: server.cpuMs(),
          };
          const result = (await run()) as FleetResult;
          return {
            ...result,
            requests: (await server.requests()) - before.requests,
            serverMB: ((await server.sent()) - before.bytes) / 2 ** 20,
            serverCpuMs: server.cpuMs() - before.cpuMs,
          };
        },
        check: (name, result) =>
          expectSame(name, result, { count: expectedCount, digest, warm: name === 'warm' ? engines : 0 }),
      });
      const { cold = [], warm = [] } = Object.fromEntries(measured);
      const select = ({ serverMB }: FleetResult): number => serverMB;
      const share = medianOf({ select }, warm) / medianOf({ select }, cold);
      return {
        tables: [
          {
            title: `${engines} engines of one process start at once, each with an informer of ${server.description}`,
            columns: [{ name: 'start' }, ...columnsOf(METRICS)],
            rows: [...measured].map(([name, results]) => [name, ...spreadsOf(METRICS, results)]),
          },
        ],
        plots: [],
        notes: [
          'every cache was compared with the server by a digest of keys, uids and versions',
          'of the requests of a warm start, one asks for the UID of the cluster, and one is the watch',
        ],
        verdicts: [
          {
            text: `bytes from the server, warm / cold: ${share.toFixed(4)}, at most ${MAX_SHARE}`,
            isMet: share <= MAX_SHARE,
          },
        ],
        results: { cold, warm },
      };
    } finally {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
