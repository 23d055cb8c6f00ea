import type { StreamPort } from '../wire/messages.js';
import type { StreamTask } from '../wire/stream-task.js';
import type { StreamHandle } from './stream-handle.js';
import { engineClosed, type StreamHost, type WorkerGauges, type WorkerStats } from './stream-host.js';

/**
 * `workers: 0` runs the worker's code on this thread, over the same ports: for debuggers, and for bundlers that
 * cannot ship a worker file.
 */
export class InlineHost implements StreamHost {
  readonly index = 0;
  readonly streams: Set<StreamHandle> = new Set();
  readonly readiness = 0;
  readonly #onDeath: (fingerprint: string) => void;
  /** The worker's code, loaded with the first stream. */
  #worker: Promise<typeof import('../../workers/main.js')> | undefined;
  #closedBytes = 0;
  #closedDropped = 0;
  #isClosed = false;

  /** `onDeath` receives the fingerprint of a document on which a stream threw. */
  constructor(options: { readonly onDeath: (fingerprint: string) => void }) {
    this.#onDeath = options.onDeath;
  }

  get stats(): WorkerStats {
    const streams = [...this.streams];
    return {
      worker: this.index,
      state: this.#isClosed ? 'closed' : 'running',
      streams: streams.length,
      utilization: 0,
      restarts: 0,
      receivedBytes: streams.reduce((sum, { receivedBytes }) => sum + receivedBytes, this.#closedBytes),
      droppedBatches: streams.reduce((sum, { dropped }) => sum + dropped, this.#closedDropped),
      heldBytes: 0,
      heartbeatAgeMs: undefined,
      lastError: undefined,
    };
  }

  get gauges(): WorkerGauges {
    return { streams: this.streams.size, restarts: 0, heldBytes: 0 };
  }

  get isNeeded(): boolean {
    return this.streams.size > 0;
  }

  async start(): Promise<void> {}

  run(handle: StreamHandle, task: StreamTask, port: StreamPort): void {
    if (this.#isClosed) {
      handle.fail(engineClosed());
      return;
    }
    this.streams.add(handle);
    const request = { task, port, marker: handle.marker };
    this.#worker ??= import('../../workers/bundle/main.js');
    this.#worker
      .then(({ runStream }) => runStream(request))
      .then(
        () => handle.lose('ended a stream without an end message'),
        (cause: unknown) => {
          const { fingerprint } = handle;
          if (fingerprint !== undefined && !handle.isClosed) this.#onDeath(fingerprint);
          handle.lose('threw while a stream was open', cause);
        },
      );
  }

  forget(handle: StreamHandle): void {
    if (!this.streams.delete(handle)) return;
    this.#closedBytes += handle.receivedBytes;
    this.#closedDropped += handle.dropped;
  }

  checkHeartbeat(): void {}

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const handle of [...this.streams]) handle.fail(engineClosed());
    (await this.#worker)?.closeIdleConnections();
  }
}
