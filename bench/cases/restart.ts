/**
 * Restarts: a process that lists, and one that starts with the cache of the process before, in turns, each in a fresh
 * process; and what writing that cache costs while objects change.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServerHandle, startApiServer } from 'kubeflect/testing';
import { count } from '../command-line/options.js';
import type { ContenderResult, Measurement, Task } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { Verdict } from '../report/report.js';
import { scriptContender } from '../runner/contenders.js';
import { expectSame, runContender, runRounds } from '../runner/rounds.js';
import { POD, podsOf } from '../servers/embedded.js';
import { type BenchCase, defineCase } from './case.js';

const CHANGE_MS = 500;
const EVERY_MS = 5000;
const DEFAULT_EVERY_MS = 60_000;
/** The unit of process times in Linux's /proc. */
const TICK_MS = 10;

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
  },
  async ({ objects, bytes, changes, seconds, rounds, warmUp }) => {
    const directory = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
    const before = new Set(children());
    const server = await startApiServer({ run: 'process', requestTimeoutMs: 600_000 });
    const serverId = children().find((id) => !before.has(id));
    const task = { kubeConfig: server.kubeConfig };
    try {
      await server.populate(podsOf({ objects, bytes }));
      await leaveSnapshot(server, task, directory);
      const { count: expectedCount, digest } = await server.digest(POD);
      const measured = await runRounds<RestartResult>({
        contenders: [
          scriptContender('cold', 'restart', { snapshot: { until: digest } }),
          scriptContender('warm', 'restart', { snapshot: { directory, until: digest } }),
        ],
        task,
        rounds,
        warmUp,
        around: async (run) => {
          const { bytesWritten } = await server.counters();
          const cpuMs = cpuMsOf(serverId);
          const result = (await run()) as RestartResult;
          const serverMB = ((await server.counters()).bytesWritten - bytesWritten) / 2 ** 20;
          return { ...result, serverMB, serverCpuMs: cpuMsOf(serverId) - cpuMs };
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
            title: `${objects} pods of ${bytes} bytes, embedded API server, plain HTTP`,
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

/** A process that sees an event and ends. */
async function leaveSnapshot(server: ApiServerHandle, task: Task, directory: string): Promise<void> {
  const leaving = scriptContender('first', 'restart', { snapshot: { directory, runMs: 5000 } });
  const running = runContender(leaving, task);
  const target = { ...POD, name: 'changing', namespace: 'default' };
  const { name, namespace } = target;
  const spec = { containers: [{ name: 'main', image: 'example.com/app:1' }] };
  await server.create({ ...POD, metadata: { name, namespace }, spec });
  let isRunning = true;
  const ended = running.finally(() => {
    isRunning = false;
  });
  for (let change = 0; isRunning; change++) {
    await server.patch(target, { metadata: { labels: { change: String(change) } } });
    await sleep(CHANGE_MS);
  }
  await ended;
  if (readdirSync(directory).length === 0) throw new Error('no snapshot was written');
}

/** The same load without and with snapshots, every five seconds. */
async function measureWriting(
  server: ApiServerHandle,
  task: Task,
  directory: string,
  { changes, seconds }: { changes: number; seconds: number },
): Promise<WriteResult[]> {
  // Resolves when it is stopped.
  const churn = server.updateEach(POD, { perSecond: changes });
  const runMs = seconds * 1000;
  const results: WriteResult[] = [];
  for (const snapshot of [{ runMs }, { runMs, directory, everyMs: EVERY_MS }]) {
    const contender = scriptContender('writing', 'restart', { snapshot });
    results.push((await runContender(contender, task)) as WriteResult);
  }
  await server.stopChurn();
  await churn;
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

function children(): number[] {
  const text = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** User and system time of a process and its threads. */
function cpuMsOf(processId: number | undefined): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
