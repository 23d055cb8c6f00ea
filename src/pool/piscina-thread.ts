import type { EventLoopUtilization } from 'node:perf_hooks';
import type { MessagePort, Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { StreamRequest } from '../wire/messages.js';
import { type SpawnThread, type Thread, ThreadExit } from './thread.js';

/** More streams than any program opens on one thread: none may wait in piscina's queue. */
const STREAMS_PER_THREAD = 1_000_000;

/** Of V8's 48: a worker's objects are short-lived, and an idle thread keeps what its young generation grew to. */
const YOUNG_GENERATION_MB = 12;

/** A piscina with one thread: docs/decisions/pool.md says why. */
export const spawnPiscinaThread: SpawnThread = (options) => {
  const { piscina, worker } = spawnPiscina(options);
  return new PiscinaThread(piscina, worker);
};

export interface PiscinaWithThread {
  readonly piscina: Piscina;
  readonly worker: Worker;
}

/** Destroyed when its thread has ended; never starts another one. */
export function spawnPiscina({ entry, heapMb }: Parameters<SpawnThread>[0]): PiscinaWithThread {
  const piscina = new Piscina({
    filename: entry.href,
    name: 'runStream',
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    // The other modes block the thread's event loop, and with it its sockets.
    atomics: 'disabled',
    concurrentTasksPerWorker: STREAMS_PER_THREAD,
    recordTiming: false,
    execArgv: workerExecArgv(process.execArgv),
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      ...(heapMb === undefined ? {} : { maxOldGenerationSizeMb: heapMb }),
    },
  });
  // Without a listener an error would end the process. The errors are those of the thread, which `onGone` reports.
  piscina.on('error', () => {});
  // Emitted before piscina would replace the thread. WorkerThread does that, with backoff and a new heartbeat.
  piscina.once('workerDestroy', () => void piscina.destroy());
  const [worker] = piscina.threads;
  if (worker === undefined) throw new Error('piscina has no thread: this is a bug in piscina-thread.ts');
  return { piscina, worker };
}

class PiscinaThread implements Thread {
  readonly worker: Worker;
  readonly #piscina: Piscina;
  #utilization: EventLoopUtilization;

  constructor(piscina: Piscina, worker: Worker) {
    this.worker = worker;
    this.#piscina = piscina;
    this.#utilization = worker.performance.eventLoopUtilization();
  }

  utilization(): number {
    const total = this.worker.performance.eventLoopUtilization();
    const { utilization } = this.worker.performance.eventLoopUtilization(total, this.#utilization);
    this.#utilization = total;
    // For intervals that are too short to measure, Node returns any number, or NaN.
    return Number.isFinite(utilization) ? Math.min(1, Math.max(0, utilization)) : 0;
  }

  start(heartbeat: Int32Array): Promise<void> {
    return this.#piscina.run(heartbeat, { name: 'startThread' });
  }

  run(request: StreamRequest): Promise<void> {
    return this.#piscina.run(request, { transferList: [request.port as MessagePort] });
  }

  onGone(listener: (cause: unknown) => void): void {
    this.worker.once('error', listener);
    this.worker.once('exit', (code) => listener(new ThreadExit(code)));
  }

  async end(): Promise<void> {
    const destroyed = this.#piscina.destroy();
    void this.worker.terminate();
    await destroyed;
  }
}

/**
 * Flags that make modules loadable, so that a hooks module can be TypeScript if the program is. Others (`--eval`,
 * `--input-type`, …) are meant for the main thread only.
 */
const INHERITED_FLAGS: ReadonlySet<string> = new Set([
  '--import',
  '--require',
  '-r',
  '--loader',
  '--experimental-loader',
  '--conditions',
  '-C',
]);

/** The flags of the process that a worker thread inherits. */
export function workerExecArgv(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((flag, i) => {
    const [name = '', value] = flag.split('=', 2);
    if (!INHERITED_FLAGS.has(name)) return [];
    const next = execArgv[i + 1];
    if (value !== undefined) return [flag];
    return next === undefined ? [] : [flag, next];
  });
}
