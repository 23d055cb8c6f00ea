import { Worker } from 'node:worker_threads';
import type { SnapshotRequest, SnapshotResponse } from '../snapshot/messages.js';

/** Source: workers/snapshot/main.ts. */
const ENTRY = new URL('../../workers/snapshot/bundle/main.js', import.meta.url);
/** A write or a read that is under way when the engine closes may take as long before the thread is terminated. */
const END_MS = 10_000;

/** The thread that writes and reads snapshots, injected: a simulation has its own. */
export interface SnapshotThread {
  post(request: SnapshotRequest): void;
  /** The process does not end while something is pending. */
  setPending(isPending: boolean): void;
  /** Resolves when the thread has ended. No request may follow. */
  end(): Promise<void>;
}

export type SpawnSnapshotThread = (options: {
  readonly entry: URL | undefined;
  readonly onResponse: (response: SnapshotResponse) => void;
  /** Called once, when the thread has ended, whatever the reason. */
  readonly onGone: () => void;
}) => SnapshotThread;

export const spawnSnapshotThread: SpawnSnapshotThread = ({ entry = ENTRY, onResponse, onGone }) => {
  const worker = new Worker(entry, { name: 'kubeflect-snapshots', execArgv: [] });
  worker.unref();
  worker.on('message', onResponse);
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      onGone();
      resolve();
    });
  });
  // The end follows.
  worker.on('error', () => {});
  return {
    post: (request) => worker.postMessage(request),
    setPending: (isPending) => (isPending ? worker.ref() : worker.unref()),
    end: async () => {
      worker.ref();
      worker.postMessage({ type: 'close' } satisfies SnapshotRequest);
      const timer = setTimeout(() => void worker.terminate(), END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
};
