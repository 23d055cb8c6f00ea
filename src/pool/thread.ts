import type { Worker } from 'node:worker_threads';
import type { StreamRequest } from '../wire/messages.js';

/** One thread from its start to its end; never restarted. */
export interface Thread {
  /** For profilers; undefined in a simulation. */
  readonly worker: Worker | undefined;
  /** Share of the time since the last call in which its event loop was busy: 0 to 1. */
  utilization(): number;
  /** Resolves when the thread's code is loaded and the heartbeat ticks. */
  start(heartbeat: Int32Array): Promise<void>;
  /** Resolves when the stream has ended, rejects if it threw. The port is transferred. */
  run(request: StreamRequest): Promise<void>;
  /** The listener is called, once or more, when the thread has ended, with its error, or `ThreadExit` without one. */
  onGone(listener: (cause: unknown) => void): void;
  /** Resolves when the thread has ended. Idempotent. */
  end(): Promise<void>;
}

/** May throw: because of Node's permission model, or of flags that a thread cannot have. */
export type SpawnThread = (options: {
  /** The module that exports `runStream` and `startThread`. */
  readonly entry: URL;
  readonly heapMb: number | undefined;
}) => Thread;

/** A thread that ended without an error: by `terminate`, or by `process.exit` in it. */
export class ThreadExit extends Error {
  constructor(code: number) {
    super(`the thread ended with exit code ${code}`);
  }
}
