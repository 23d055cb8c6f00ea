import { readFileSync } from 'node:fs';

/**
 * CPU time of the main thread since the process began, from Linux's scheduler; NaN elsewhere. What the whole process used beyond it belongs
 * to the workers and to the helper threads of V8 and libuv: the system does not tell those apart.
 */
export function mainThreadCpuMs() {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return Number.NaN;
  }
}
