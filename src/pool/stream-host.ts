import type { ErrorSummary } from '../kube/error-summary.js';
import { KubeflectError } from '../util/errors.js';
import type { StreamPort } from '../wire/messages.js';
import type { StreamTask } from '../wire/stream-task.js';
import type { StreamHandle } from './stream-handle.js';

/** Runs streams: on a worker thread, or, without threads, on this one. */
export interface StreamHost {
  readonly index: number;
  /** Streams that are open here. */
  readonly streams: ReadonlySet<StreamHandle>;
  readonly stats: WorkerStats;
  /** The stats that can be read without side effects: reading `utilization` resets it. */
  readonly gauges: WorkerGauges;
  /** When a new stream would run: 0 now, 1 after a restart, 2 not at all. */
  readonly readiness: 0 | 1 | 2;
  /** True while streams, or a start, wait for it. */
  readonly isNeeded: boolean;
  /** Resolves when it can run streams; rejects with `KUBEFLECT_WORKER_START_FAILED`. */
  start(): Promise<void>;
  /** Runs a stream, whose remote port is passed in. The handle fails if the stream cannot run, or ends early. */
  run(handle: StreamHandle, task: StreamTask, port: StreamPort): void;
  /** Must be called when a handle that was passed to `run` closes. */
  forget(handle: StreamHandle): void;
  /** Must be called regularly; ends a thread whose event loop is blocked. */
  checkHeartbeat(): void;
  close(): Promise<void>;
}

export type WorkerState = 'idle' | 'starting' | 'running' | 'restarting' | 'failed' | 'closed';

export type WorkerGauges = Pick<WorkerStats, 'streams' | 'restarts' | 'heldBytes'>;

export interface WorkerStats {
  readonly worker: number;
  readonly state: WorkerState;
  readonly streams: number;
  /** Share of the time since the last call of `stats` in which its event loop was busy: 0 to 1. */
  readonly utilization: number;
  /** How often the thread was replaced. */
  readonly restarts: number;
  /** Bytes of batches received from it. */
  readonly receivedBytes: number;
  /** Late or repeated batches that were dropped. */
  readonly droppedBatches: number;
  /** Bytes of buffers that it holds, by its own account. */
  readonly heldBytes: number;
  /** Since its event loop was last seen to turn; undefined without threads. */
  readonly heartbeatAgeMs: number | undefined;
  readonly lastError: ErrorSummary | undefined;
}

export function engineClosed(): KubeflectError {
  return new KubeflectError('KUBEFLECT_ENGINE_CLOSED', 'the engine is closed; make a new one');
}
