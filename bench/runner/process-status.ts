/** What Linux's /proc says about another process. Elsewhere everything is NaN. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessSample {
  /** Of all its threads, to the nanosecond. */
  readonly cpuMs: number;
  /** How often one of its threads began to wait: each time it had been woken up. */
  readonly wakeUps: number;
  readonly residentMB: number;
}

/** Threads that have ended do not count. */
export function sampleOf(processId: number): ProcessSample {
  try {
    const tasks = readdirSync(`/proc/${processId}/task`).map((task) => `/proc/${processId}/task/${task}`);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    return {
      cpuMs: sum(tasks.map((task) => Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0]))) / 1e6,
      wakeUps: sum(tasks.map((task) => fieldOf(`${task}/status`, 'voluntary_ctxt_switches'))),
      residentMB: fieldOf(`/proc/${processId}/status`, 'VmRSS') / 1024,
    };
  } catch {
    return { cpuMs: Number.NaN, wakeUps: Number.NaN, residentMB: Number.NaN };
  }
}

function fieldOf(file: string, field: string): number {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${field}:`));
  return Number(line?.split(/\s+/)[1]);
}
