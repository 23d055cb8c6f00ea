import type { EventLoopUtilization } from 'node:perf_hooks';
import type { MessagePort, Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { StreamRequest } from '../wire/messages.js';
import { type SpawnThread, type Thread, ThreadExit } from './thread.js';
import { workerExecArgv } from './worker-exec-argv.js';

/** More streams than anybody opens on one thread: nothing may wait in piscina's queue. */
const STREAMS_PER_THREAD = 1_000_000;

/** A piscina of one thread: docs/decisions/pool.md. */
export const spawnPiscinaThread: SpawnThread = ({ entry, heapMb }) => {
  const piscina = new Piscina({
    filename: entry.href,
    name: 'runStream',
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    // The others put the thread's event loop to sleep, and its sockets with it.
    atomics: 'disabled',
    concurrentTasksPerWorker: STREAMS_PER_THREAD,
    recordTiming: false,
    execArgv: workerExecArgv(process.execArgv),
    ...(heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
  });
  // Without a listener an error would end the process; the thread's own events tell us all of them.
  piscina.on('error', () => {});
  // Comes before piscina replaces the thread, which is our business: with a back-off, and with a new heartbeat.
  piscina.once('workerDestroy', () => void piscina.destroy());
  const [worker] = piscina.threads;
  if (worker === undefined) throw new Error('piscina has no thread: this is a bug in piscina-thread.ts');
  return new PiscinaThread(piscina, worker);
};

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
    // Of a moment that is too short to measure Node gives anything, less than nothing included.
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
