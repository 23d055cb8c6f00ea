import type { Worker } from 'node:worker_threads';
import type { StreamRequest } from '../wire/messages.js';

/** One thread from its start to its end. Never used again afterwards. */
export interface Thread {
  /** For profilers; undefined for what is no thread of Node's. */
  readonly worker: Worker | undefined;
  /** Share of time in which its event loop was busy since the last look: 0 to 1. */
  utilization(): number;
  /** Resolves when the heart beats. */
  start(heartbeat: Int32Array): Promise<void>;
  /** Resolves when the stream is over, rejects if it threw. The port goes over to the thread. */
  run(request: StreamRequest): Promise<void>;
  /** Tells once, or more often, that it is gone, and why: `ThreadExit` if there was no error. */
  onGone(listener: (cause: unknown) => void): void;
  /** Resolves when it is gone. Idempotent. */
  end(): Promise<void>;
}

/** May throw: Node's permission model, or flags that a thread cannot have. */
export type SpawnThread = (options: {
  /** Address of the module that exports `runStream` and `startThread`. */
  readonly entry: URL;
  readonly heapMb: number | undefined;
}) => Thread;

/** A thread that ended without an error: by `terminate`, or by `process.exit` in it. */
export class ThreadExit extends Error {
  constructor(code: number) {
    super(`the thread ended with exit code ${code}`);
  }
}
