/**
 * Replicas that share one collection by static shards: memory, CPU and time to synced of each. They run one after the
 * other, each in a fresh process, so that they do not share this machine's cores as they would not share one.
 */
import { startApiServer } from 'kubeflect/testing';
import { choice, count, counts } from '../command-line/options.js';
import type { ContenderResult } from '../contenders/task.js';
import { columnsOf, type Metric, spreadsOf } from '../report/metrics.js';
import type { Cell } from '../report/report.js';
import { scriptContender } from '../runner/contenders.js';
import { plainly, runRounds } from '../runner/rounds.js';
import { POD, podsOf } from '../servers/embedded.js';
import { type BenchCase, defineCase } from './case.js';

const METRICS: readonly Metric<ContenderResult>[] = [
  { name: 'cache', unit: 'objects', digits: 0, select: ({ count: objects }) => objects },
  { name: 'synced', unit: 's', digits: 2, select: ({ syncedMs }) => syncedMs / 1000 },
  { name: 'CPU', unit: 's', digits: 2, select: ({ cpuMs }) => cpuMs / 1000 },
  { name: 'CPU main', unit: 's', digits: 2, select: ({ cpuMainMs }) => (cpuMainMs ?? Number.NaN) / 1000 },
  { name: 'peak memory', unit: 'MB', digits: 0, select: ({ peakResidentMB }) => peakResidentMB },
  { name: 'final memory', unit: 'MB', digits: 0, select: ({ finalResidentMB }) => finalResidentMB },
];

export const shards: BenchCase = defineCase(
  {
    objects: count(200_000),
    bytes: count(8200),
    processes: counts([1, 2, 4, 8]),
    gate: choice(['on', 'off']),
    rounds: count(1),
    warmUp: count(0, { min: 0 }),
  },
  async ({ objects, bytes, processes, gate, rounds, warmUp }) => {
    const rows: Cell[][] = [];
    const results: Record<string, ContenderResult[]> = {};
    for (const setting of gate === undefined ? (['on', 'off'] as const) : [gate]) {
      const isOn = setting === 'on';
      const server = await startApiServer({
        run: 'process',
        requestTimeoutMs: 600_000,
        shardedListAndWatch: isOn,
      });
      try {
        await server.populate(podsOf({ objects, bytes }));
        const expected = (await server.digest(POD)).count;
        for (const of of processes) {
          const contenders = Array.from({ length: of }, (_, index) =>
            scriptContender(`shard ${index} of ${of}`, 'kubeflect', of === 1 ? {} : { shard: { index, of } }),
          );
          const task = { kubeConfig: server.kubeConfig };
          const measured = await runRounds({
            contenders,
            task,
            rounds,
            warmUp,
            around: plainly,
            check: () => {},
          });
          const all = [...measured.values()].flat();
          const total = all.reduce((sum, result) => sum + (result.count ?? 0), 0) / rounds;
          if (total !== expected) throw new Error(`${of} shards hold ${total} objects, expected ${expected}`);
          rows.push([isOn ? 'server' : 'workers', of, ...spreadsOf(METRICS, all)]);
          results[`${setting} ${of}`] = all;
        }
      } finally {
        await server.close();
      }
    }
    return {
      tables: [
        {
          title: `${objects} pods of ${bytes} bytes, of each process`,
          columns: [{ name: 'filtered by' }, { name: 'processes' }, ...columnsOf(METRICS)],
          rows,
        },
      ],
      plots: [],
      notes: ['the processes of a row ran one after the other; together they held every object once'],
      results,
    };
  },
);
