/** What every contender in JavaScript measures, in its own fresh process. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrivenMeasurement } from './driven.js';
import type { Digest, Measurement } from './task.js';

const SETTLE_MS = 5;

export interface Measuring {
  /** Called at the moment of being synced. */
  stop(): Promise<JavaScriptMeasurement>;
}

export type JavaScriptMeasurement = Measurement & Required<Pick<Measurement, 'stallMs'>>;

/**
 * Event loop delays are those of `monitorEventLoopDelay`: how late a timer fires. They are read after one more turn
 * of the loop, so that a stall that lasts until the end is included. Each timer wakes the main thread and costs it
 * about ten microseconds: a measurement of little work over a long time takes a coarser resolution, in milliseconds,
 * or `'off'`, with delays of NaN.
 */
export function startMeasuring(resolution: number | 'off' = 1): Measuring {
  const delayMs = (nanoseconds: number): number => {
    return resolution === 'off' ? Number.NaN : Math.max(0, nanoseconds / 1e6 - resolution);
  };
  const delay = monitorEventLoopDelay({ resolution: resolution === 'off' ? 1000 : resolution });
  if (resolution !== 'off') delay.enable();
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const startMainCpuMs = mainThreadCpuMs();
  return {
    async stop() {
      const elapsedMs = performance.now() - startMs;
      const cpu = process.cpuUsage(startCpu);
      const cpuMs = (cpu.user + cpu.system) / 1000;
      const cpuMainMs = mainThreadCpuMs() - startMainCpuMs;
      const memory = process.memoryUsage();
      const peakResidentMB = process.resourceUsage().maxRSS / 1024;
      await sleep(SETTLE_MS);
      delay.disable();
      return {
        syncedMs: elapsedMs,
        cpuMs,
        ...(Number.isNaN(cpuMainMs) ? {} : { cpuMainMs, cpuOthersMs: Math.max(0, cpuMs - cpuMainMs) }),
        stallMs: delayMs(delay.max),
        delayP50Ms: delayMs(delay.percentile(50)),
        delayP90Ms: delayMs(delay.percentile(90)),
        delayP99Ms: delayMs(delay.percentile(99)),
        delayP999Ms: delayMs(delay.percentile(99.9)),
        peakResidentMB,
        finalResidentMB: memory.rss / 2 ** 20,
        heapMB: memory.heapUsed / 2 ** 20,
        externalMB: memory.external / 2 ** 20,
      };
    },
  };
}

/**
 * CPU time of the main thread since the process started, from Linux's scheduler; NaN elsewhere. The rest of the
 * process's time belongs to the workers and to the helper threads of V8 and libuv, which the system does not tell
 * apart.
 */
function mainThreadCpuMs(): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return Number.NaN;
  }
}

/** Ends a measurement of a driven contender. */
export async function drivenMeasurement(
  measuring: Measuring | undefined,
): Promise<Omit<DrivenMeasurement, 'events'>> {
  if (measuring === undefined) throw new Error('measured without measure');
  const { syncedMs, cpuMs, cpuMainMs, stallMs } = await measuring.stop();
  return {
    elapsedMs: syncedMs,
    cpuMs,
    ...(cpuMainMs === undefined ? {} : { cpuMainMs }),
    ...(Number.isNaN(stallMs) ? {} : { stallMs }),
  };
}

export interface DigestRow {
  readonly key: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** sha256 over the lines `key uid resourceVersion`, in byte order of keys, like the digest of the embedded server. */
export function digestOf(rows: readonly DigestRow[]): Digest {
  const hash = createHash('sha256');
  for (const { key, uid, resourceVersion } of [...rows].sort((a, b) => (a.key < b.key ? -1 : 1)))
    hash.update(`${key} ${uid} ${resourceVersion}\n`);
  return { count: rows.length, digest: hash.digest('hex') };
}
