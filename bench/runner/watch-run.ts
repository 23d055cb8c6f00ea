/** A contender that follows a feed at several rates, one after another. */
import type { DrivenMeasurement, HandlerKind } from '../contenders/driven.js';
import { defined } from '../contenders/task.js';
import { quantile } from '../report/statistics.js';
import type { Feed, Written } from '../servers/feed.js';
import type { DrivenDefinition } from './driven-contenders.js';
import { type DrivenContender, expectEqual } from './driven-process.js';
import { withIdentity } from './identity.js';

/** Events per second; infinite: as fast as it goes. */
export type Rate = number;

export interface WatchResult {
  readonly writtenPerSecond: number;
  readonly handledPerSecond: number;
  /** Changes of one object that are merged on the way have no latency of their own: they are counted. */
  readonly handledShare: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** How long after its write the last event was handled. */
  readonly behindSeconds: number;
  /** Of all threads, in milliseconds per second. */
  readonly cpuPerSecond: number;
  /** Of the main thread; in JavaScript only. */
  readonly mainPerSecond: number;
  readonly serverPerSecond: number;
  /** From STALLS_FROM events per second on; in JavaScript only. */
  readonly stallMs: number;
  /** During the measurement: a watch that was cut off. */
  readonly relists: number;
  readonly objectsReadPerSecond: number;
}

export interface WatchSettings {
  readonly objects: number;
  readonly seconds: number;
  readonly handler: HandlerKind;
  readonly workers?: number | undefined;
  /** Handled before anything is measured. */
  readonly warmUpEvents: number;
}

/**
 * Code runs slowly until it is compiled, once in the life of a process: after 2,000 events, V8's compiler threads still
 * took a tenth of the CPU of every contender in JavaScript.
 */
export const DEFAULT_WARM_UP_EVENTS = 10_000;
const WARM_UP_PER_SECOND = 1000;
const WARM_UP_SECONDS = 1;
/** A contender that handles the last event later than this does not keep up. */
export const MAX_BEHIND_SECONDS = 1;
/** Watching the event loop wakes it every millisecond: at lower rates that would be much of what is measured. */
const STALLS_FROM = 20_000;
/** Of a feed without a rate. */
const MAX_RECORDED_PER_SECOND = 250_000;

/**
 * Starts a contender, measures it at each rate, in ascending order, and checks its cache at the end. The rates above
 * one at which it did not keep up are left out.
 */
export async function runWatch(
  feed: Feed,
  contender: DrivenDefinition,
  rates: readonly Rate[],
  settings: WatchSettings,
): Promise<Map<Rate, WatchResult>> {
  const running = contender.start();
  try {
    await startWatch(feed, running, contender.encoding, settings);
    const results = new Map<Rate, WatchResult>();
    for (const rate of rates) {
      if (rate !== Infinity && [...results.values()].some(isBehind)) continue;
      results.set(rate, await measureAt(rate, feed, running, settings));
    }
    await expectEqual(running, await feed.digest());
    return results;
  } catch (cause) {
    throw new Error(`${contender.name} failed`, { cause });
  } finally {
    await running.end();
  }
}

export function isBehind({ behindSeconds }: WatchResult): boolean {
  return !(behindSeconds <= MAX_BEHIND_SECONDS);
}

export async function startWatch(
  feed: Feed,
  running: DrivenContender,
  encoding: DrivenDefinition['encoding'],
  { objects, handler, workers, warmUpEvents }: WatchSettings,
): Promise<void> {
  const task = { ...withIdentity({ kubeConfig: feed.kubeConfig }), objects, handler, encoding };
  await running.call('start', { ...task, ...defined({ workers }) });
  await feed.watched();
  await follow(feed, running, { perSecond: WARM_UP_PER_SECOND, seconds: warmUpEvents / WARM_UP_PER_SECOND });
}

/** Written and handled, and not measured. */
async function follow(
  feed: Feed,
  running: DrivenContender,
  order: { readonly perSecond: number | undefined; readonly seconds: number },
): Promise<DrivenMeasurement> {
  await running.call('measure', { events: 0 });
  const { versions } = await feed.write(order);
  return running.call('measured', { resourceVersion: String(versions.at(-1)) });
}

export async function measureAt(
  rate: Rate,
  feed: Feed,
  running: DrivenContender,
  { seconds }: Pick<WatchSettings, 'seconds'>,
): Promise<WatchResult> {
  const perSecond = rate === Infinity ? undefined : rate;
  const { lists: listsBefore = 0 } = await follow(feed, running, { perSecond, seconds: WARM_UP_SECONDS });
  const events = Math.ceil((perSecond ?? MAX_RECORDED_PER_SECOND) * seconds);
  await running.call('measure', { events, stalls: rate >= STALLS_FROM });
  const before = await feed.cpuMs();
  const written = await feed.write({ perSecond, seconds });
  const measured = await running.call('measured', { resourceVersion: String(written.versions.at(-1)) });
  const serverCpuMs = (await feed.cpuMs()) - before;
  return resultOf(written, measured, serverCpuMs, (measured.lists ?? 0) - listsBefore);
}

function resultOf(
  { versions, times }: Written,
  measured: DrivenMeasurement,
  serverCpuMs: number,
  relists: number,
): WatchResult {
  const {
    events,
    elapsedMs,
    cpuMs,
    cpuMainMs = Number.NaN,
    stallMs = Number.NaN,
    objectsRead = 0,
  } = measured;
  const writtenAt = new Map(Array.from(versions, (version, i) => [version, times[i] ?? Number.NaN]));
  const latencies: number[] = [];
  let lastHandled = Number.NaN;
  for (let i = 0; i < events.versions.length; i++) {
    const written = writtenAt.get(events.versions[i] ?? Number.NaN);
    // Another version: of a relist, or of another writer.
    if (written === undefined) continue;
    lastHandled = events.times[i] ?? Number.NaN;
    latencies.push(lastHandled - written);
  }
  const first = times[0] ?? Number.NaN;
  const secondsTo = (time = Number.NaN): number => (time - first) / 1000;
  const perSecond = (ms: number): number => (ms * 1000) / elapsedMs;
  return {
    writtenPerSecond: times.length / secondsTo(times.at(-1)),
    handledPerSecond: latencies.length / secondsTo(lastHandled),
    handledShare: latencies.length / times.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    p999Ms: quantile(latencies, 0.999),
    maxMs: quantile(latencies, 1),
    behindSeconds: (latencies.at(-1) ?? Number.NaN) / 1000,
    cpuPerSecond: perSecond(cpuMs),
    mainPerSecond: perSecond(cpuMainMs),
    serverPerSecond: perSecond(serverCpuMs),
    stallMs,
    relists,
    objectsReadPerSecond: perSecond(objectsRead),
  };
}
