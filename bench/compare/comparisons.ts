/** What can be compared between two commits. */
import { measureMemory, PODS } from '../cases/memory.js';
import type { ContenderResult, Task } from '../contenders/task.js';
import { kubeflect } from '../runner/contenders.js';
import type { DrivenDefinition } from '../runner/driven-contenders.js';
import { startDrivenInformer } from '../runner/driven-process.js';
import { expectSame, runContender } from '../runner/rounds.js';
import { DEFAULT_WARM_UP_EVENTS, runWatch } from '../runner/watch-run.js';
import { embeddedServer } from '../servers/embedded.js';
import { startFeed } from '../servers/feed.js';
import type { Population } from '../servers/server.js';

/** Measured values by name. Less is better. */
export type Figures = Readonly<Record<string, number>>;

export interface Comparison {
  readonly description: string;
  /** One run of the contenders in this folder, with its result checked. */
  measure(contenders: URL): Promise<Figures>;
  close(): Promise<void>;
}

export interface ComparisonSettings extends Population {
  readonly workers: number | undefined;
  readonly pageSize: number | undefined;
  readonly encoding: Task['encoding'];
  /** Of watch: events per second, and for how long. */
  readonly rate: number;
  readonly seconds: number;
}

export async function compareSync(settings: ComparisonSettings): Promise<Comparison> {
  const { objects, bytes, workers, pageSize, encoding } = settings;
  const server = await embeddedServer({ objects, bytes });
  const expected = await server.expected();
  return {
    description: server.description,
    async measure(contenders) {
      const task = { kubeConfig: server.kubeConfig, objects, workers, pageSize, encoding };
      const result = await runContender(kubeflect(contenders), task);
      expectSame<ContenderResult>(contenders.pathname, result, expected);
      return {
        'time to synced, ms': result.syncedMs,
        'CPU, ms': result.cpuMs,
        'peak memory, MB': result.peakResidentMB,
      };
    },
    close: () => server.close(),
  };
}

export async function compareWatch(settings: ComparisonSettings): Promise<Comparison> {
  const { objects, bytes, rate, seconds, workers, encoding } = settings;
  const feed = await startFeed('embedded', { objects, bytes });
  return {
    description: `${rate} updates per second of ${objects} pods of ${bytes} bytes, for ${seconds} s`,
    async measure(contenders) {
      const informer: DrivenDefinition = {
        name: contenders.pathname,
        encoding: encoding === 'json' ? 'json' : 'protobuf',
        start: () => startDrivenInformer(contenders),
      };
      const results = await runWatch(feed, informer, [rate], {
        objects,
        seconds,
        workers,
        handler: 'object',
        warmUpEvents: DEFAULT_WARM_UP_EVENTS,
      });
      const result = results.get(rate);
      if (result === undefined || result.relists > 0) throw new Error('the informer relisted');
      return {
        'time per event, µs': 1e6 / result.handledPerSecond,
        'latency p50, ms': result.p50Ms,
        'latency p99, ms': result.p99Ms,
        'CPU, ms/s': result.cpuPerSecond,
        'main thread, ms/s': result.mainPerSecond,
      };
    },
    close: () => feed.close(),
  };
}

export async function compareMemory(settings: ComparisonSettings): Promise<Comparison> {
  const { objects, bytes, workers } = settings;
  const memorySettings = { objects, bytes, workers, changes: 1, perSecond: 2000 };
  return {
    description: `${objects} pods of ${bytes} bytes, embedded API server`,
    async measure(contenders) {
      const start = () => startDrivenInformer(contenders);
      const { synced, states } = await measureMemory(PODS, memorySettings, start);
      const resident = [{ name: 'after the sync', memory: synced }, ...states].map(
        ({ name, memory }) => [`resident ${name}, MB`, memory.rss / 2 ** 20] as const,
      );
      return { ...Object.fromEntries(resident), 'held after the sync, MB': synced.bytes / 2 ** 20 };
    },
    close: async () => undefined,
  };
}
