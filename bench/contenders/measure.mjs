/**
 * What every contender in JavaScript reports, measured in its own fresh process.
 *
 * Delays of the event loop are those of `monitorEventLoopDelay`: how much later than asked a timer came. The
 * process is asked for it only after the loop has turned once more, so that a stall which lasts until the end counts too.
 */
import { createHash } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { mainThreadCpuMs } from './main-thread-cpu.mjs';

const SETTLE_MS = 5;
const PERCENTILES = [50, 90, 99, 99.9];

/** Each turn of the timer costs the main thread some ten microseconds: where little is done in a long time, take a longer one. */
export function startMeasuring({ resolution = 1 } = {}) {
  const late = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolution);
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const beganMs = performance.now();
  const beganCpu = process.cpuUsage();
  const beganMainCpuMs = mainThreadCpuMs();
  return {
    /** Call it at the moment of being synced. */
    async stop() {
      const elapsedMs = performance.now() - beganMs;
      const cpu = process.cpuUsage(beganCpu);
      const cpuMs = (cpu.user + cpu.system) / 1000;
      const cpuMainMs = mainThreadCpuMs() - beganMainCpuMs;
      const memory = process.memoryUsage();
      const peakResidentMB = process.resourceUsage().maxRSS / 1024;
      await sleep(SETTLE_MS);
      delay.disable();
      return {
        syncedMs: elapsedMs,
        cpuMs,
        ...(Number.isNaN(cpuMainMs) ? {} : { cpuMainMs, cpuOthersMs: Math.max(0, cpuMs - cpuMainMs) }),
        stallMs: late(delay.max),
        ...Object.fromEntries(PERCENTILES.map((p) => [`delayP${p}Ms`, late(delay.percentile(p))])),
        peakResidentMB,
        finalResidentMB: memory.rss / 2 ** 20,
        heapMB: memory.heapUsed / 2 ** 20,
        externalMB: memory.external / 2 ** 20,
      };
    },
  };
}

/** sha256 over `key uid resourceVersion` lines in byte order of keys, as the server's `digest` makes it. */
export function digestOf(rows) {
  const hash = createHash('sha256');
  let count = 0;
  for (const { key, uid, resourceVersion } of rows.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    hash.update(`${key} ${uid} ${resourceVersion}\n`);
    count++;
  }
  return { count, digest: hash.digest('hex') };
}

/** Prints the result as the last line and ends the process: a contender leaves nothing to wait for. */
export function report(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}
