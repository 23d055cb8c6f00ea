import type { Worker } from 'node:worker_threads';
import { errorSummary } from '../kube/error-summary.js';
import type { Clock } from '../util/clock.js';
import type { KubeflectError, WorkerError } from '../util/errors.js';
import type { StreamPort, StreamRequest } from '../wire/messages.js';
import type { StreamTask } from '../wire/stream-task.js';
import type { StreamHandle } from './stream-handle.js';
import {
  engineClosed,
  type StreamHost,
  type WorkerGauges,
  type WorkerState,
  type WorkerStats,
} from './stream-host.js';
import { type SpawnThread, type Thread, ThreadExit } from './thread.js';
import {
  Heartbeat,
  RestartBackoff,
  type RestartBackoffOptions,
  workerLost,
  workerStartFailed,
} from './worker-death.js';

export interface WorkerThreadOptions {
  readonly index: number;
  /** The module that exports `runStream` and `startThread`. */
  readonly entry: URL;
  readonly heapMb: number | undefined;
  readonly spawn: SpawnThread;
  readonly clock: Clock;
  /** Resolves in a turn of the event loop in which no other thread is created. */
  readonly turn: () => Promise<void>;
  /** How often the thread shows that its event loop turns. */
  readonly tickMs: number;
  readonly backoff: RestartBackoffOptions;
  /** Called once for each thread that could not be started or was lost. */
  readonly onLost: (error: WorkerError) => void;
  /** Receives the fingerprint of a document on which a thread died, or a stream threw. */
  readonly onDeath: (fingerprint: string) => void;
}

/** One thread from its start to its end. */
interface ThreadInstance {
  readonly thread: Thread;
  readonly heartbeat: Heartbeat;
  readonly startedAtMs: number;
  readonly started: Promise<void>;
  hasStarted: boolean;
}

/**
 * A worker: the thread that runs its streams, and the next one when that dies (worker-death.ts).
 *
 *           a stream                startThread returned
 *     idle ──────────▶ starting ─────────────────────────▶ running
 *      ▲                  │ died                              │ died
 *      │ after backoff    ▼                                   ▼
 *      ├─────────────── failed: streams fail           restarting: streams wait
 *      └──────────────────────────────────────────────────────┘
 */
export class WorkerThread implements StreamHost {
  readonly index: number;
  readonly streams: Set<StreamHandle> = new Set();
  readonly #options: WorkerThreadOptions;
  readonly #backoff: RestartBackoff;
  /** Streams that wait for the next thread. */
  readonly #waiting: { handle: StreamHandle; task: StreamTask; port: StreamPort }[] = [];
  #state: WorkerState = 'idle';
  #current: ThreadInstance | undefined;
  /** Resolves when the thread that was requested last is created, or could not be. */
  #spawning: Promise<void> | undefined;
  #restart: { cancel(): void } | undefined;
  #restarts = 0;
  #closedBytes = 0;
  #closedDropped = 0;
  #lastError: WorkerError | undefined;

  constructor(options: WorkerThreadOptions) {
    this.index = options.index;
    this.#options = options;
    this.#backoff = new RestartBackoff(options.backoff);
  }

  get readiness(): 0 | 1 | 2 {
    if (this.#state === 'running' || this.#state === 'starting' || this.#state === 'idle') return 0;
    return this.#state === 'restarting' ? 1 : 2;
  }

  get isNeeded(): boolean {
    return this.streams.size > 0 || this.#state === 'starting';
  }

  /** Undefined between two threads. */
  get worker(): Worker | undefined {
    return this.#current?.thread.worker;
  }

  get stats(): WorkerStats {
    const streams = [...this.streams];
    return {
      worker: this.index,
      state: this.#state,
      ...this.gauges,
      utilization: this.#current?.thread.utilization() ?? 0,
      receivedBytes: streams.reduce((sum, { receivedBytes }) => sum + receivedBytes, this.#closedBytes),
      droppedBatches: streams.reduce((sum, { dropped }) => sum + dropped, this.#closedDropped),
      heartbeatAgeMs: this.#current?.heartbeat.ageMs,
      lastError: this.#lastError && errorSummary(this.#lastError),
    };
  }

  get gauges(): WorkerGauges {
    const heldBytes = this.#current?.heartbeat.heldBytes ?? 0;
    return { streams: this.streams.size, restarts: this.#restarts, heldBytes };
  }

  async start(): Promise<void> {
    if (this.#state === 'idle') this.#spawnLater();
    await this.#spawning;
    if (this.#unavailable !== undefined) throw this.#unavailable;
    await this.#current?.started;
  }

  run(handle: StreamHandle, task: StreamTask, port: StreamPort): void {
    if (this.#state === 'idle') this.#spawnLater();
    if (this.#unavailable !== undefined) {
      handle.fail(this.#unavailable);
      return;
    }
    this.streams.add(handle);
    if (this.#current === undefined) this.#waiting.push({ handle, task, port });
    else this.#post(this.#current, handle, task, port);
  }

  forget(handle: StreamHandle): void {
    if (!this.streams.delete(handle)) return;
    this.#closedBytes += handle.receivedBytes;
    this.#closedDropped += handle.dropped;
  }

  checkHeartbeat(): void {
    const instance = this.#current;
    if (instance === undefined || instance.heartbeat.check()) return;
    const ageMs = Math.round(instance.heartbeat.ageMs);
    this.#lose(instance, new Error(`its event loop was blocked for ${ageMs} ms; the thread was ended`));
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#restart?.cancel();
    this.#restart = undefined;
    this.#waiting.length = 0;
    for (const handle of [...this.streams]) handle.fail(engineClosed());
    const instance = this.#current;
    this.#current = undefined;
    await instance?.thread.end();
  }

  /** Why no stream can run now. */
  get #unavailable(): KubeflectError | undefined {
    if (this.#state === 'closed') return engineClosed();
    return this.#state === 'failed' ? this.#lastError : undefined;
  }

  /** Creating a thread blocks its creator for 5 to 10 ms: in a turn of the event loop of its own. */
  #spawnLater(): void {
    const { turn } = this.#options;
    this.#state = 'starting';
    // The first turn may be the second half of this one: callbacks of setImmediate run after those of I/O.
    this.#spawning = turn()
      .then(turn)
      .then(() => {
        if (this.#state === 'starting') this.#spawn();
      });
  }

  #spawn(): void {
    this.#state = 'starting';
    try {
      const { entry, heapMb, spawn } = this.#options;
      this.#adopt(spawn({ entry, heapMb }));
    } catch (cause) {
      this.#handleDeath(workerStartFailed(this.index, this.#options.entry, cause), 0);
    }
  }

  #adopt(thread: Thread): void {
    const { clock, tickMs } = this.#options;
    const heartbeat = new Heartbeat(clock, tickMs);
    const started = thread.start(heartbeat.memory);
    const instance: ThreadInstance = {
      thread,
      heartbeat,
      startedAtMs: clock.now(),
      started: started.then(
        () => this.#onStarted(instance),
        (error: unknown) => this.#throwStartFailed(instance, error),
      ),
      hasStarted: false,
    };
    // Not an unhandled rejection if `start` was not called: `onLost` and the streams receive the error, too.
    instance.started.catch(() => {});
    thread.onGone((cause) => this.#lose(instance, cause));
    this.#current = instance;
    for (const { handle, task, port } of this.#waiting.splice(0)) {
      if (!handle.isClosed) this.#post(instance, handle, task, port);
    }
  }

  #onStarted(instance: ThreadInstance): void {
    instance.hasStarted = true;
    if (this.#current === instance) this.#state = 'running';
  }

  #throwStartFailed(instance: ThreadInstance, cause: unknown): never {
    // If the thread is still alive, `startThread` itself threw, and the thread cannot be used.
    this.#lose(instance, cause);
    throw this.#lastError ?? engineClosed();
  }

  #post(instance: ThreadInstance, handle: StreamHandle, task: StreamTask, port: StreamPort): void {
    const request: StreamRequest = { task, port, marker: handle.marker };
    instance.thread.run(request).then(
      () => handle.lose('ended a stream without an end message'),
      // If the thread was lost, its streams are closed already.
      (cause: unknown) => {
        if (!handle.isClosed) this.#noteDeath(handle);
        handle.lose('threw while a stream was open', cause);
      },
    );
  }

  /** Idempotent for one instance. */
  #lose(instance: ThreadInstance, cause: unknown): void {
    if (this.#current !== instance) return;
    this.#current = undefined;
    // The result of `startThread` may still be in flight.
    const hasStarted = instance.hasStarted || instance.heartbeat.hasTicked;
    const ranMs = hasStarted ? Math.max(1, this.#options.clock.now() - instance.startedAtMs) : 0;
    // A thread that was terminated before it had started might have started.
    const couldStart = hasStarted || cause instanceof ThreadExit;
    void instance.thread.end();
    const error = couldStart
      ? workerLost(this.index, this.streams.size, cause)
      : workerStartFailed(this.index, this.#options.entry, cause);
    this.#handleDeath(error, ranMs);
  }

  /** Fails the streams, and starts another thread with backoff if it is needed then. */
  #handleDeath(error: WorkerError, ranMs: number): void {
    const isFailed = error.code === 'KUBEFLECT_WORKER_START_FAILED';
    this.#lastError = error;
    this.#state = isFailed ? 'failed' : 'restarting';
    const delayMs = this.#backoff.next(ranMs);
    for (const handle of [...this.streams]) {
      this.#noteDeath(handle);
      handle.fail(error);
    }
    this.#restarts++;
    if (delayMs === 0 && !isFailed) this.#state = 'idle';
    else this.#restart = this.#options.clock.schedule(() => this.#onBackoffEnd(), delayMs);
    this.#options.onLost(error);
  }

  #noteDeath({ fingerprint }: StreamHandle): void {
    if (fingerprint !== undefined) this.#options.onDeath(fingerprint);
  }

  /** A thread is started only if streams wait for it. */
  #onBackoffEnd(): void {
    this.#restart = undefined;
    this.#state = 'idle';
    if (this.#waiting.some(({ handle }) => !handle.isClosed)) this.#spawn();
    else this.#waiting.length = 0;
  }
}
