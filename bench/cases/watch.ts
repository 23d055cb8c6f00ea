/**
 * How many changes per second reach a handler, and how long after the server wrote them. The final cache is checked.
 */
import { choice, count, counts, optionalCount } from '../command-line/options.js';
import type { DrivenMeasurement, InformerType } from '../contenders/kubeflect-driven.js';
import { defined } from '../contenders/task.js';
import { columnsOf, type Metric, medianOf, spreadsOf } from '../report/metrics.js';
import type { Report, Verdict } from '../report/report.js';
import { quantile } from '../report/statistics.js';
import {
  type DrivenInformer,
  DrivenProcess,
  expectEqual,
  startDrivenInformer,
} from '../runner/driven-process.js';
import { withIdentity } from '../runner/identity.js';
import { podsOf } from '../servers/embedded.js';
import type { FeedingCalls, Written } from '../servers/feeding-server.js';
import type { Population } from '../servers/server.js';
import { type BenchCase, defineCase } from './case.js';

export interface WatchResult {
  readonly writtenPerSecond: number;
  readonly handledPerSecond: number;
  /** Changes of one object that are merged on the way have no latency of their own: they are counted. */
  readonly handledShare: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  readonly stallMs: number;
  /** In cores. */
  readonly mainBusy: number;
  readonly othersBusy: number;
  readonly serverBusy: number;
}

/** By the requested rate. */
type WatchResults = ReadonlyMap<number, readonly WatchResult[]>;

/** The feeding server has pages only. */
const PODS: InformerType = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', list: 'paged' };
const MIN_SUSTAINED = 40_000;
const WARM_UP_SECONDS = 1;
const MAX_P99 = { rate: 5000, ms: 20 };

const HANDLED: Metric<WatchResult> = {
  name: 'into handlers',
  unit: 'events/s',
  digits: 0,
  select: ({ handledPerSecond }) => handledPerSecond,
};
const P99: Metric<WatchResult> = { name: 'p99', unit: 'ms', digits: 1, select: ({ p99Ms }) => p99Ms };
const LATENCIES: readonly Metric<WatchResult>[] = [
  { name: 'latency p50', unit: 'ms', digits: 1, select: ({ p50Ms }) => p50Ms },
  P99,
  { name: 'p99.9', unit: 'ms', digits: 1, select: ({ p999Ms }) => p999Ms },
];
const METRICS: readonly Metric<WatchResult>[] = [
  { name: 'written', unit: 'events/s', digits: 0, select: ({ writtenPerSecond }) => writtenPerSecond },
  HANDLED,
  { name: 'not merged', unit: 'share', digits: 3, select: ({ handledShare }) => handledShare },
  ...LATENCIES,
  { name: 'max', unit: 'ms', digits: 1, select: ({ maxMs }) => maxMs },
  { name: 'longest stall', unit: 'ms', digits: 1, select: ({ stallMs }) => stallMs },
  { name: 'main thread', unit: 'cores', digits: 2, select: ({ mainBusy }) => mainBusy },
  { name: 'workers', unit: 'cores', digits: 2, select: ({ othersBusy }) => othersBusy },
  { name: 'server', unit: 'cores', digits: 2, select: ({ serverBusy }) => serverBusy },
];

export interface WatchSettings extends Population {
  readonly seconds: number;
  readonly workers: number | undefined;
  readonly encoding: 'auto' | 'json' | 'protobuf' | undefined;
}

export const watch: BenchCase = defineCase(
  {
    objects: count(50_000),
    bytes: count(8200),
    rates: counts([1000, 5000, 20_000, 40_000, 60_000]),
    seconds: count(5),
    workers: optionalCount({ min: 0 }),
    encoding: choice(['auto', 'json', 'protobuf']),
  },
  async ({ rates, rounds, warmUp, ...settings }) => {
    const runs = rates.map((rate) => ({ rate, results: [] as WatchResult[] }));
    for (let round = -warmUp; round < rounds; round++) {
      for (const { rate, results } of runs) {
        const result = await watchAtRate(rate, settings);
        if (round >= 0) results.push(result);
      }
    }
    return reportOf(new Map(runs.map(({ rate, results }) => [rate, results])), settings);
  },
);

type FeedingServer = DrivenProcess<FeedingCalls>;

/** One run: a fresh informer on a fresh server, whose cache is checked at the end. */
export async function watchAtRate(
  rate: number,
  settings: WatchSettings,
  startInformer: () => DrivenInformer = startDrivenInformer,
): Promise<WatchResult> {
  const server: FeedingServer = new DrivenProcess(new URL('../servers/feeding-server.js', import.meta.url));
  const informer = startInformer();
  try {
    const { workers, encoding = 'auto' } = settings;
    const { cluster, user } = withIdentity(await server.call('start', { spec: podsOf(settings) }));
    await informer.call('start', { cluster, user, type: { ...PODS, encoding }, ...defined({ workers }) });
    await warmUpAt(rate, server, informer);
    const events = rate * settings.seconds;
    await informer.call('measure', { events });
    const before = await server.call('cpu', {});
    const written = await server.call('write', { perSecond: rate, events });
    const measured = await informer.call('measured', { resourceVersion: String(written.after), relists: 0 });
    const after = await server.call('cpu', {});
    if (measured.relists > 0) throw new Error(`the informer relisted ${measured.relists} times`);
    await expectEqual(informer, await server.call('digest', {}));
    return resultOf(written, measured, after.cpuMs - before.cpuMs);
  } finally {
    await informer.end();
    await server.end();
  }
}

/** Code runs slowly until it is compiled, once in the life of a process. */
async function warmUpAt(rate: number, server: FeedingServer, informer: DrivenInformer): Promise<void> {
  const { after } = await server.call('write', { perSecond: rate, events: rate * WARM_UP_SECONDS });
  await informer.call('measure', {});
  await informer.call('measured', { resourceVersion: String(after), relists: 0 });
}

function resultOf({ before, times }: Written, measured: DrivenMeasurement, serverCpuMs: number): WatchResult {
  const { events, cpuMs, cpuMainMs = Number.NaN, syncedMs, stallMs } = measured;
  if (events === undefined) throw new Error('no events were recorded');
  const { versions, times: handled } = events;
  const writtenAt = (version = Number.NaN): number => times[version - before - 1] ?? Number.NaN;
  const latencies = handled.map((time, i) => time - writtenAt(versions[i]));
  const first = times[0] ?? Number.NaN;
  const secondsTo = (time = Number.NaN): number => (time - first) / 1000;
  return {
    writtenPerSecond: times.length / secondsTo(times.at(-1)),
    handledPerSecond: handled.length / secondsTo(handled.at(-1)),
    handledShare: handled.length / times.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    p999Ms: quantile(latencies, 0.999),
    maxMs: quantile(latencies, 1),
    stallMs,
    mainBusy: cpuMainMs / syncedMs,
    othersBusy: (cpuMs - cpuMainMs) / syncedMs,
    serverBusy: serverCpuMs / syncedMs,
  };
}

function reportOf(results: WatchResults, { objects, bytes, seconds, encoding }: WatchSettings): Report {
  const encodingName = encoding === 'json' ? 'JSON' : 'protobuf';
  return {
    tables: [
      {
        title: `Updates of ${objects} pods of ${bytes} bytes for ${seconds} s, ${encodingName}, from a server that does nothing else`,
        columns: [{ name: 'requested', unit: 'events/s' }, ...columnsOf(METRICS)],
        rows: [...results].map(([rate, list]) => [rate, ...spreadsOf(METRICS, list)]),
      },
    ],
    plots: [
      {
        kind: 'line',
        title: "Latency from the server's write to the handler",
        x: 'updates of the server, events/s',
        y: 'latency, ms',
        series: LATENCIES.map((metric) => ({
          name: metric.name,
          points: [...results].map(([rate, list]) => [rate, medianOf(metric, list)]),
        })),
      },
    ],
    notes: [
      'a thread that uses nearly one core is the limit; if it is the server, the informer may be capable of more. With fewer than three cores the threads share them',
      'written: the rate that the server reached; the cache had its count and digest at the end, without a relist',
    ],
    verdicts: verdictsOf(results),
    results: Object.fromEntries(results),
  };
}

function verdictsOf(results: WatchResults): Verdict[] {
  const verdicts: Verdict[] = [];
  const sustained = Math.max(...[...results.values()].map((list) => medianOf(HANDLED, list)));
  if (Math.max(...results.keys()) >= MIN_SUSTAINED) {
    verdicts.push({
      text: `${sustained.toFixed(0)} events/s into handlers (at least ${MIN_SUSTAINED})`,
      isMet: sustained >= MIN_SUSTAINED,
    });
  }
  const list = results.get(MAX_P99.rate);
  if (list !== undefined) {
    const p99 = medianOf(P99, list);
    verdicts.push({
      text: `p99 ${p99.toFixed(1)} ms at ${MAX_P99.rate} events/s (below ${MAX_P99.ms})`,
      isMet: p99 < MAX_P99.ms,
    });
  }
  return verdicts;
}
