import type { KubeflectError } from '../util/errors.js';
import type { StreamPort } from '../wire/messages.js';
import type { StreamTask } from '../wire/stream-task.js';
import type { StreamHandle } from './stream-handle.js';

/** Where streams run: a worker thread, or, without threads, this one. */
export interface StreamHost {
  readonly index: number;
  /** Streams that are open here. */
  readonly streams: ReadonlySet<StreamHandle>;
  readonly stats: WorkerStats;
  /** The part of them that can be looked at without anybody noticing. */
  readonly gauges: WorkerGauges;
  /** How soon a stream given to it now would run: 0 now, 1 after a restart, 2 not at all. */
  readonly readiness: 0 | 1 | 2;
  /** True while somebody waits for what it does. */
  readonly isNeeded: boolean;
  /** Resolves when it can run streams; rejects with `KUBEFLECT_WORKER_START_FAILED`. */
  start(): Promise<void>;
  /** Runs the stream whose end of the port is given; tells the handle if it cannot, or could not to the end. */
  run(handle: StreamHandle, task: StreamTask, port: StreamPort): void;
  /** To be called once for every handle that was given to `run`, when it closes. */
  forget(handle: StreamHandle): void;
  /** To be called regularly; ends a thread that stands still. */
  checkHeartbeat(): void;
  close(): Promise<void>;
}

export type WorkerState = 'idle' | 'starting' | 'running' | 'restarting' | 'failed' | 'closed';

export type WorkerGauges = Pick<WorkerStats, 'streams' | 'restarts' | 'heldBytes'>;

export interface WorkerStats {
  readonly worker: number;
  readonly state: WorkerState;
  readonly streams: number;
  /** Share of time in which its event loop was busy since the last look: 0 to 1. */
  readonly utilization: number;
  /** How often it was replaced. */
  readonly restarts: number;
  /** Bytes of batches received from it. */
  readonly receivedBytes: number;
  /** Late or repeated batches that were dropped. */
  readonly droppedBatches: number;
  /** Bytes of buffers that it holds, by its own account. */
  readonly heldBytes: number;
  /** Since its event loop last turned, as far as was noticed; undefined without threads. */
  readonly heartbeatAgeMs: number | undefined;
  readonly lastError: KubeflectError | undefined;
}
