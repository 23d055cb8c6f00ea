/**
 * What every contender of `sync` reports, measured in its own fresh process.
 *
 * The stall is the longest time in which the event loop could not run a timer: a one-millisecond interval notes the
 * gaps between its turns, and the gap that is open when it is asked counts too.
 */
import { createHash } from 'node:crypto';

const GAP_MS = 1;

export function startMeasuring() {
  const beganMs = performance.now();
  const beganCpu = process.cpuUsage();
  let lastMs = beganMs;
  let longestMs = 0;
  const gaps = [];
  const note = () => {
    const now = performance.now();
    const gap = now - lastMs - GAP_MS;
    longestMs = Math.max(longestMs, gap);
    gaps.push(gap);
    lastMs = now;
  };
  const timer = setInterval(note, GAP_MS);
  return {
    /** Call it at the moment of being synced. */
    stop() {
      note();
      clearInterval(timer);
      const cpu = process.cpuUsage(beganCpu);
      gaps.sort((a, b) => a - b);
      return {
        syncedMs: performance.now() - beganMs,
        stallMs: longestMs,
        delayP50Ms: gaps[Math.floor(gaps.length / 2)] ?? 0,
        delayP99Ms: gaps[Math.floor(gaps.length * 0.99)] ?? 0,
        cpuMs: (cpu.user + cpu.system) / 1000,
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
  const usage = process.resourceUsage();
  const memory = process.memoryUsage();
  const line = JSON.stringify({
    ...result,
    peakResidentMB: usage.maxRSS / 1024,
    finalResidentMB: memory.rss / 2 ** 20,
    heapMB: memory.heapUsed / 2 ** 20,
    externalMB: memory.external / 2 ** 20,
  });
  process.stdout.write(`${line}\n`, () => process.exit(0));
}
