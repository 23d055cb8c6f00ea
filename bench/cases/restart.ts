/**
 * Restarts: a process that lists, and one that starts with the cache of the process before, in turns, each in a fresh
 * process; and what writing that cache costs while objects change.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, count } from '../command-line/options.js';
import type { ContenderResult, Measurement, Task } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { Verdict } from '../report/report.js';
import { scriptContender } from '../runner/contenders.js';
import { expectSame, runContender, runRounds } from '../runner/rounds.js';
import { leaveSnapshots, type RestartServer, startRestartServer } from '../servers/restart-server.js';
import { type BenchCase, defineCase } from './case.js';

const EVERY_MS = 5000;
const DEFAULT_EVERY_MS = 60_000;

interface RestartResult extends ContenderResult {
  readonly isWarm: boolean;
  readonly serverMB: number;
  readonly serverCpuMs: number;
}

interface WriteResult extends ContenderResult {
  readonly run: Measurement;
  readonly writes: number;
  readonly writeSeconds: number;
  readonly fileMB: number;
}

const METRICS: readonly Metric<RestartResult>[] = [
  { name: 'synced', unit: 's', digits: 2, select: ({ syncedMs }) => syncedMs / 1000 },
  { name: 'stall', unit: 'ms', digits: 1, select: ({ stallMs }) => stallMs },
  { name: 'CPU', unit: 's', digits: 2, select: ({ cpuMs }) => cpuMs / 1000 },
  { name: 'CPU main', unit: 's', digits: 2, select: ({ cpuMainMs }) => (cpuMainMs ?? Number.NaN) / 1000 },
  { name: 'peak memory', unit: 'MB', digits: 0, select: ({ peakResidentMB }) => peakResidentMB },
  { name: 'final memory', unit: 'MB', digits: 0, select: ({ finalResidentMB }) => finalResidentMB },
  { name: 'from the server', unit: 'MB', digits: 3, select: ({ serverMB }) => serverMB },
  { name: 'server CPU', unit: 's', digits: 2, select: ({ serverCpuMs }) => serverCpuMs / 1000 },
];

export const restart: BenchCase = defineCase(
  {
    objects: count(200_000),
    bytes: count(8200),
    changes: count(500),
    seconds: count(30, { min: 0 }),
    rounds: count(3),
    warmUp: count(0, { min: 0 }),
    server: choice(['embedded', 'real']),
  },
  async ({ objects, bytes, changes, seconds, rounds, warmUp, server: kind = 'embedded' }) => {
    const directory = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
    const server = await startRestartServer(kind, { objects, bytes });
    const task = { kubeConfig: server.kubeConfig };
    try {
      await leaveSnapshots(
        server,
        scriptContender('first', 'restart', { snapshot: { directory, runMs: 5000 } }),
        task,
      );
      if (readdirSync(directory).length === 0) throw new Error('no snapshot was written');
      const { count: expectedCount, digest } = await server.digest();
      const measured = await runRounds<RestartResult>({
        contenders: [
          scriptContender('cold', 'restart', { snapshot: { until: digest } }),
          scriptContender('warm', 'restart', { snapshot: { directory, until: digest } }),
        ],
        task,
        rounds,
        warmUp,
        around: async (run) => {
          const bytesBefore = await server.sent();
          const cpuMs = server.cpuMs();
          const result = (await run()) as RestartResult;
          const serverMB = ((await server.sent()) - bytesBefore) / 2 ** 20;
          return { ...result, serverMB, serverCpuMs: server.cpuMs() - cpuMs };
        },
        check: (name, result) =>
          expectSame(name, result, { count: expectedCount, digest, isWarm: name === 'warm' }),
      });
      const writing =
        seconds === 0 ? [] : await measureWriting(server, task, directory, { changes, seconds });
      const { cold = [], warm = [] } = Object.fromEntries(measured);
      return {
        tables: [
          {
            title: server.description,
            columns: [{ name: 'start' }, ...columnsOf(METRICS)],
            rows: [...measured].map(([name, results]) => [name, ...spreadsOf(METRICS, results)]),
          },
          ...(writing.length === 0 ? [] : [writingTable(writing, { changes, seconds })]),
        ],
        plots: [],
        notes: ['every cache was compared with the server by a digest of keys, uids and versions'],
        verdicts: [...startVerdicts(cold, warm), ...writeVerdicts(writing)],
        results: { cold, warm, writing },
      };
    } finally {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);

/** The same load without and with snapshots, every five seconds. */
async function measureWriting(
  server: RestartServer,
  task: Task,
  directory: string,
  { changes, seconds }: { changes: number; seconds: number },
): Promise<WriteResult[]> {
  const stopChurn = server.churn(changes);
  const runMs = seconds * 1000;
  const results: WriteResult[] = [];
  for (const snapshot of [{ runMs }, { runMs, directory, everyMs: EVERY_MS }]) {
    const contender = scriptContender('writing', 'restart', { snapshot });
    results.push((await runContender(contender, task)) as WriteResult);
  }
  await stopChurn();
  return results;
}

function writingTable(
  [without, withSnapshots]: readonly WriteResult[],
  load: { changes: number; seconds: number },
) {
  const row = (name: string, result: WriteResult | undefined) => [
    name,
    result?.writes,
    result?.fileMB,
    (result?.writeSeconds ?? 0) / Math.max(1, result?.writes ?? 1),
    (result?.run.cpuMs ?? Number.NaN) / 1000,
    (result?.run.cpuMainMs ?? Number.NaN) / 1000,
    result?.run.stallMs,
    result?.run.peakResidentMB,
  ];
  return {
    title: `${load.changes} changes a second for ${load.seconds} s, written every ${EVERY_MS / 1000} s`,
    columns: [
      { name: 'snapshots' },
      { name: 'writes', digits: 0 },
      { name: 'file', unit: 'MB', digits: 0 },
      { name: 'a write', unit: 's', digits: 2 },
      { name: 'CPU', unit: 's', digits: 2 },
      { name: 'CPU main', unit: 's', digits: 2 },
      { name: 'stall', unit: 'ms', digits: 1 },
      { name: 'peak memory', unit: 'MB', digits: 0 },
    ],
    rows: [row('off', without), row('on', withSnapshots)],
  };
}

function startVerdicts(cold: readonly RestartResult[], warm: readonly RestartResult[]): Verdict[] {
  const share = (select: (result: RestartResult) => number | undefined): number =>
    medianOf({ select }, warm) / medianOf({ select }, cold);
  const verdict = (text: string, actual: number, limit: number): Verdict => ({
    text: `${text}: ${actual.toFixed(4)}, at most ${limit}`,
    isMet: actual <= limit,
  });
  return [
    verdict(
      'warm synced / cold synced',
      share(({ syncedMs }) => syncedMs),
      0.25,
    ),
    verdict(
      'bytes from the server, warm / cold',
      share(({ serverMB }) => serverMB),
      0.01,
    ),
    verdict(
      'server CPU, warm / cold',
      share(({ serverCpuMs }) => serverCpuMs),
      0.1,
    ),
    verdict(
      'peak memory / final memory, warm',
      medianOf({ select: ({ peakResidentMB }) => peakResidentMB }, warm) /
        medianOf({ select: ({ finalResidentMB }) => finalResidentMB }, warm),
      1.1,
    ),
  ];
}

function writeVerdicts([without, withSnapshots]: readonly WriteResult[]): Verdict[] {
  if (without === undefined || withSnapshots === undefined) return [];
  const perWriteMs = (withSnapshots.run.cpuMs - without.run.cpuMs) / Math.max(1, withSnapshots.writes);
  const share = perWriteMs / DEFAULT_EVERY_MS;
  const stallMs = (withSnapshots.run.stallMs ?? 0) - (without.run.stallMs ?? 0);
  return [
    {
      text: `CPU of a write each minute: ${(share * 100).toFixed(2)} % of a core, at most 3 %`,
      isMet: share <= 0.03,
    },
    {
      text: `longest stall with snapshots, above that without: ${stallMs.toFixed(1)} ms, at most 5`,
      isMet: stallMs <= 5,
    },
  ];
}
