import type { Worker } from 'node:worker_threads';
import type { Clock } from '../util/clock.js';
import { KubeflectError, WorkerError } from '../util/errors.js';
import {
  HEARTBEAT_HELD_KIB,
  HEARTBEAT_SLOTS,
  HEARTBEAT_TICKS,
  type StreamPort,
  type StreamRequest,
} from '../wire/messages.js';
import type { StreamTask } from '../wire/stream-task.js';
import { RestartBackoff, type RestartBackoffOptions } from './restart-backoff.js';
import type { StreamHandle } from './stream-handle.js';
import type { StreamHost, WorkerGauges, WorkerState, WorkerStats } from './stream-host.js';
import { type SpawnThread, type Thread, ThreadExit } from './thread.js';

/** Looks at the heartbeat within its timeout. Counting looks, not time: a process that was stopped for a while is not a hung thread. */
export const HEARTBEAT_LOOKS = 4;

export interface WorkerThreadOptions {
  readonly index: number;
  /** Address of the module that exports `runStream` and `startThread`. */
  readonly entry: URL;
  readonly heapMb: number | undefined;
  readonly spawn: SpawnThread;
  readonly clock: Clock;
  readonly backoff: RestartBackoffOptions;
  /** Told once per thread that could not be started or was lost. */
  readonly onLost: (error: WorkerError) => void;
  /** Told of the document on which a thread died, or a stream threw. */
  readonly onDeath: (fingerprint: string) => void;
}

/** One thread from its start to its end. Never used again afterwards. */
interface Incarnation {
  readonly thread: Thread;
  readonly heartbeat: Int32Array;
  readonly startedAtMs: number;
  readonly started: Promise<void>;
  hasStarted: boolean;
  ticks: number;
  lastTickAtMs: number;
  missedLooks: number;
}

/**
 * A thread that runs streams, and the one that comes after it when it dies.
 *
 *           a stream                startThread answered
 *     idle ──────────▶ starting ─────────────────────────▶ running
 *      ▲                  │ died                              │ died
 *      │ after a back-off ▼                                   ▼
 *      ├─────────────── failed: streams are refused    restarting: streams wait
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
  #now: Incarnation | undefined;
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
    return this.#now?.thread.worker;
  }

  get stats(): WorkerStats {
    const streams = [...this.streams];
    const now = this.#now;
    return {
      worker: this.index,
      state: this.#state,
      ...this.gauges,
      utilization: now?.thread.utilization() ?? 0,
      receivedBytes: streams.reduce((sum, { receivedBytes }) => sum + receivedBytes, this.#closedBytes),
      droppedBatches: streams.reduce((sum, { dropped }) => sum + dropped, this.#closedDropped),
      heartbeatAgeMs: now && this.#heartbeatAgeMs(now),
      lastError: this.#lastError,
    };
  }

  get gauges(): WorkerGauges {
    const held = this.#now === undefined ? 0 : Atomics.load(this.#now.heartbeat, HEARTBEAT_HELD_KIB);
    return { streams: this.streams.size, restarts: this.#restarts, heldBytes: held * 1024 };
  }

  async start(): Promise<void> {
    if (this.#state === 'idle') this.#spawn();
    if (this.#refusal !== undefined) throw this.#refusal;
    await this.#now?.started;
  }

  run(handle: StreamHandle, task: StreamTask, port: StreamPort): void {
    if (this.#state === 'idle') this.#spawn();
    if (this.#refusal !== undefined) {
      handle.fail(this.#refusal);
      return;
    }
    this.streams.add(handle);
    if (this.#now === undefined) this.#waiting.push({ handle, task, port });
    else this.#post(this.#now, handle, task, port);
  }

  /** To be called by every handle of this thread when it closes. */
  forget(handle: StreamHandle): void {
    if (!this.streams.delete(handle)) return;
    this.#closedBytes += handle.receivedBytes;
    this.#closedDropped += handle.dropped;
  }

  checkHeartbeat(): void {
    const now = this.#now;
    if (now === undefined) return;
    const ticks = Atomics.load(now.heartbeat, HEARTBEAT_TICKS);
    if (ticks !== now.ticks) {
      now.ticks = ticks;
      now.lastTickAtMs = this.#options.clock.now();
      now.missedLooks = 0;
      return;
    }
    now.missedLooks++;
    if (now.missedLooks < HEARTBEAT_LOOKS) return;
    const ageMs = Math.round(this.#heartbeatAgeMs(now));
    this.#lose(now, new Error(`its event loop has stood still for ${ageMs} ms; it was ended`));
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#restart?.cancel();
    this.#restart = undefined;
    this.#waiting.length = 0;
    for (const handle of [...this.streams]) handle.fail(closed());
    const now = this.#now;
    this.#now = undefined;
    await now?.thread.end();
  }

  /** Why no stream is taken now. */
  get #refusal(): KubeflectError | undefined {
    if (this.#state === 'closed') return closed();
    return this.#state === 'failed' ? this.#lastError : undefined;
  }

  #spawn(): void {
    this.#state = 'starting';
    try {
      const { entry, heapMb, spawn } = this.#options;
      this.#adopt(spawn({ entry, heapMb }));
    } catch (cause) {
      // Node's permission model, or flags that a thread cannot have.
      this.#end(this.#startFailed(cause), 0);
    }
  }

  #adopt(thread: Thread): void {
    const { clock } = this.#options;
    const heartbeat = new Int32Array(new SharedArrayBuffer(HEARTBEAT_SLOTS * Int32Array.BYTES_PER_ELEMENT));
    const started = thread.start(heartbeat);
    const now: Incarnation = {
      thread,
      heartbeat,
      startedAtMs: clock.now(),
      started: started.then(
        () => this.#started(now),
        (error: unknown) => this.#throwStartFailed(now, error),
      ),
      hasStarted: false,
      ticks: 0,
      lastTickAtMs: clock.now(),
      missedLooks: 0,
    };
    // Whoever waits for the start is told; if nobody does, `onLost` and the streams are.
    now.started.catch(() => {});
    thread.onGone((cause) => this.#lose(now, cause));
    this.#now = now;
    for (const { handle, task, port } of this.#waiting.splice(0)) {
      if (!handle.isClosed) this.#post(now, handle, task, port);
    }
  }

  #started(now: Incarnation): void {
    now.hasStarted = true;
    if (this.#now === now) this.#state = 'running';
  }

  #throwStartFailed(now: Incarnation, cause: unknown): never {
    // If the thread is not gone, `startThread` itself threw: it lives, but is of no use.
    this.#lose(now, cause);
    throw this.#lastError ?? closed();
  }

  #post(now: Incarnation, handle: StreamHandle, task: StreamTask, port: StreamPort): void {
    const request: StreamRequest = { task, port, marker: handle.marker };
    now.thread.run(request).then(
      () => handle.lose('ended a stream without a word'),
      // If the whole thread is lost its streams have been told already.
      (cause: unknown) => {
        if (!handle.isClosed) this.#noteDeath(handle);
        handle.lose('threw in the middle of a stream', cause);
      },
    );
  }

  /** Idempotent for one incarnation. */
  #lose(now: Incarnation, cause: unknown): void {
    if (this.#now !== now) return;
    this.#now = undefined;
    // The answer of `startThread` may still be on its way.
    const hasStarted = now.hasStarted || Atomics.load(now.heartbeat, HEARTBEAT_TICKS) > 0;
    const ranMs = hasStarted ? Math.max(1, this.#options.clock.now() - now.startedAtMs) : 0;
    // One that was ended from outside before it had started might well have.
    const couldStart = hasStarted || cause instanceof ThreadExit;
    void now.thread.end();
    this.#end(couldStart ? this.#lost(cause) : this.#startFailed(cause), ranMs);
  }

  /** There is no thread any more, or none yet. Another one is started after a back-off, if it is needed then. */
  #end(error: WorkerError, ranMs: number): void {
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
    else this.#restart = this.#options.clock.schedule(() => this.#rested(), delayMs);
    this.#options.onLost(error);
  }

  #noteDeath({ fingerprint }: StreamHandle): void {
    if (fingerprint !== undefined) this.#options.onDeath(fingerprint);
  }

  /** A thread that nobody needs is not started. */
  #rested(): void {
    this.#restart = undefined;
    this.#state = 'idle';
    if (this.#waiting.some(({ handle }) => !handle.isClosed)) this.#spawn();
    else this.#waiting.length = 0;
  }

  #lost(cause: unknown): WorkerError {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `worker ${this.index} is lost: ${why}; its ${this.streams.size} streams go on elsewhere`;
    return new WorkerError('KUBEFLECT_WORKER_LOST', message, { worker: this.index, cause });
  }

  #startFailed(cause: unknown): WorkerError {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `worker ${this.index} could not be started: ${why}; check that ${this.#options.entry.href} exists, or set workers: 0`;
    return new WorkerError('KUBEFLECT_WORKER_START_FAILED', message, { worker: this.index, cause });
  }

  #heartbeatAgeMs(now: Incarnation): number {
    const isNew = Atomics.load(now.heartbeat, HEARTBEAT_TICKS) !== now.ticks;
    return isNew ? 0 : this.#options.clock.now() - now.lastTickAtMs;
  }
}

function closed(): KubeflectError {
  return new KubeflectError('KUBEFLECT_ENGINE_CLOSED', 'the engine is closed; make a new one');
}
