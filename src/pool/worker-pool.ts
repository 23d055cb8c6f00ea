import { type Clock, systemClock } from '../util/clock.js';
import type { WorkerError } from '../util/errors.js';
import { sliceSchedulerOf } from '../util/slice-scheduler.js';
import type { StreamTask } from '../wire/stream-task.js';
import { InlineHost } from './inline-host.js';
import { spawnPiscinaThread } from './piscina-thread.js';
import type { SpawnSnapshotThread } from './snapshot-thread.js';
import { openStreamChannel, type StreamChannel, StreamHandle, type StreamMessage } from './stream-handle.js';
import type { WorkerGauges, WorkerStats } from './stream-host.js';
import type { SpawnThread } from './thread.js';
import { CrashLedger, heartbeatIntervals, type RestartBackoffOptions } from './worker-death.js';
import { WorkerThread } from './worker-thread.js';

/** Source: workers/entry.cts. */
export const WORKER_ENTRY: URL = new URL('../../workers/entry.cjs', import.meta.url);

export interface WorkerPoolOptions {
  /** 0 runs everything on this thread. */
  readonly workers: number;
  /** A thread whose event loop is blocked for this long is replaced. @default 30_000 */
  readonly heartbeatTimeoutMs?: number;
  /** Maximum JavaScript heap of a worker in MiB. Buffers do not count. @default Node's own limit */
  readonly workerHeapMb?: number | undefined;
  readonly restartBackoff?: RestartBackoffOptions;
  /** The module that threads run. @default the package's own */
  readonly entry?: URL;
  /** Called once for each thread that could not be started or was lost. */
  readonly onWorkerLost?: (error: WorkerError) => void;
  readonly clock?: Clock;
  readonly threading?: Threading;
}

/** Threads and the channels to them, injected: a simulation has its own. */
export interface Threading {
  readonly spawn: SpawnThread;
  readonly openChannel: () => StreamChannel;
  /** @default the package's own */
  readonly spawnSnapshotThread?: SpawnSnapshotThread;
}

const systemThreading: Threading = { spawn: spawnPiscinaThread, openChannel: openStreamChannel };

/** A task without what the pool adds to it. */
export type StreamSpec = Omit<StreamTask, 'epoch' | 'quarantine'>;

export interface OpenOptions {
  /** Called when a message arrives, before it is read. */
  readonly onArrival?: (message: StreamMessage) => void;
}

/** The part of a pool that lists and watches need. */
export type StreamPool = Pick<WorkerPool, 'open' | 'parallelism'>;

/**
 * The worker threads of an engine, and which stream runs on which. Threads start with the first stream, or with
 * `start`.
 */
export class WorkerPool {
  readonly #hosts: readonly (WorkerThread | InlineHost)[];
  readonly #clock: Clock;
  readonly #threading: Threading;
  readonly #heartbeatCheckMs: number;
  /** Open streams that are lists. */
  readonly #lists = new Set<StreamHandle>();
  readonly #ledger = new CrashLedger();
  #nextEpoch = 1;
  #nextHost = 0;
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    const { workers, heartbeatTimeoutMs = 30_000, workerHeapMb, entry = WORKER_ENTRY } = options;
    this.#clock = options.clock ?? systemClock;
    this.#threading = options.threading ?? systemThreading;
    const { tickMs, checkMs } = heartbeatIntervals(heartbeatTimeoutMs);
    this.#heartbeatCheckMs = checkMs;
    const onDeath = (fingerprint: string): void => this.#ledger.note(fingerprint);
    const slices = sliceSchedulerOf(this.#clock);
    const thread = (index: number): WorkerThread =>
      new WorkerThread({
        index,
        entry,
        heapMb: workerHeapMb,
        spawn: this.#threading.spawn,
        clock: this.#clock,
        turn: () => slices.turn(),
        tickMs,
        backoff: options.restartBackoff ?? {},
        onLost: options.onWorkerLost ?? (() => {}),
        onDeath,
      });
    this.#hosts =
      workers === 0
        ? [new InlineHost({ onDeath })]
        : Array.from({ length: workers }, (_, index) => thread(index));
  }

  /** How many streams can be processed at the same time. */
  get parallelism(): number {
    return this.#hosts.length;
  }

  /** The threads, undefined for one that is being replaced. For profilers, and for tests that terminate one. */
  get threads(): readonly WorkerThread['worker'][] {
    return this.#hosts.map((host) => (host instanceof WorkerThread ? host.worker : undefined));
  }

  get stats(): readonly WorkerStats[] {
    return this.#hosts.map(({ stats }) => stats);
  }

  get gauges(): readonly WorkerGauges[] {
    return this.#hosts.map(({ gauges }) => gauges);
  }

  /**
   * Resolves when every thread runs; rejects with the first `KUBEFLECT_WORKER_START_FAILED`. Streams need not wait
   * for it.
   */
  async start(): Promise<void> {
    this.#watchHeartbeats();
    await Promise.all(this.#hosts.map((host) => host.start()));
  }

  /** Never throws: the handle's first `next` rejects instead. */
  open(spec: StreamSpec, options: OpenOptions = {}): StreamHandle {
    const { local, remote } = this.#threading.openChannel();
    const host = this.#place(spec.verb);
    const handle = new StreamHandle({
      epoch: this.#nextEpoch++,
      port: local,
      clock: this.#clock,
      worker: host.index,
      ...options,
      onClose: (closed) => {
        host.forget(closed);
        this.#lists.delete(closed);
      },
    });
    if (spec.verb === 'list') this.#lists.add(handle);
    this.#watchHeartbeats();
    host.run(handle, { ...spec, epoch: handle.epoch, quarantine: this.#ledger.quarantined }, remote);
    return handle;
  }

  /** Ends all streams with `KUBEFLECT_ENGINE_CLOSED`; resolves when the threads have ended. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    await Promise.all(this.#hosts.map((host) => host.close()));
  }

  /**
   * The host that can run the stream soonest; of several, for a list the one with the fewest lists, which are what
   * keeps a thread busy; then the one with the fewest streams; then the next in turn.
   */
  #place(verb: StreamTask['verb']): WorkerThread | InlineHost {
    const listsOf = (host: WorkerThread | InlineHost): number =>
      verb === 'watch' ? 0 : [...host.streams].filter((handle) => this.#lists.has(handle)).length;
    const start = this.#nextHost++;
    let best: { host: WorkerThread | InlineHost; rank: number[] } | undefined;
    for (let i = 0; i < this.#hosts.length; i++) {
      const host = this.#hosts[(start + i) % this.#hosts.length];
      if (host === undefined) continue;
      const rank = [host.readiness, listsOf(host), host.streams.size];
      if (best === undefined || isLess(rank, best.rank)) best = { host, rank };
    }
    if (best === undefined) throw new Error('a pool without hosts: this is a bug in worker-pool.ts');
    return best.host;
  }

  /** Only while something waits for a thread, so that an idle pool does not keep the process alive. */
  #watchHeartbeats(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = this.#clock.schedule(() => {
      this.#timer = undefined;
      for (const host of this.#hosts) host.checkHeartbeat();
      if (this.#hosts.some(({ isNeeded }) => isNeeded)) this.#watchHeartbeats();
    }, this.#heartbeatCheckMs);
  }
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    if (value !== other) return value < other;
  }
  return false;
}
