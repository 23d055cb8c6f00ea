import { type Clock, systemClock } from '../util/clock.js';
import type { WorkerError } from '../util/errors.js';
import type { StreamTask } from '../wire/stream-task.js';
import { CrashLedger } from './crash-ledger.js';
import { InlineHost } from './inline-host.js';
import { spawnPiscinaThread } from './piscina-thread.js';
import type { RestartBackoffOptions } from './restart-backoff.js';
import { openStreamChannel, type StreamChannel } from './stream-channel.js';
import { StreamHandle, type StreamMessage } from './stream-handle.js';
import type { WorkerGauges, WorkerStats } from './stream-host.js';
import type { SpawnThread } from './thread.js';
import { HEARTBEAT_LOOKS, WorkerThread } from './worker-thread.js';

/** Source: workers/entry.cts. */
const ENTRY = new URL('../../workers/entry.cjs', import.meta.url);

export interface WorkerPoolOptions {
  /** 0 runs everything on this thread. */
  readonly workers: number;
  /** A thread whose event loop stands still for this long is replaced. @default 30_000 */
  readonly heartbeatTimeoutMs?: number;
  /** Limit of a worker's JavaScript heap, in MiB. Buffers are not counted by it. @default Node's own */
  readonly workerHeapMb?: number | undefined;
  readonly restartBackoff?: RestartBackoffOptions;
  /** The module that threads run. @default the package's own */
  readonly entry?: URL;
  /** Told once per thread that could not be started or was lost. */
  readonly onWorkerLost?: (error: WorkerError) => void;
  readonly clock?: Clock;
  readonly threading?: Threading;
}

/** Threads and the channels to them, as they are given to the pool: a simulation has its own. */
export interface Threading {
  readonly spawn: SpawnThread;
  readonly openChannel: () => StreamChannel;
}

const systemThreading: Threading = { spawn: spawnPiscinaThread, openChannel: openStreamChannel };

/** What to stream; the rest is the pool's. */
export type StreamOrder = Omit<StreamTask, 'epoch' | 'quarantine'>;

export interface OpenOptions {
  /** Called when a message arrives, before anybody asks for it. */
  readonly onArrival?: (message: StreamMessage) => void;
}

/** What is needed of a pool to list and to watch. */
export type StreamPool = Pick<WorkerPool, 'open' | 'parallelism'>;

/** The worker threads of an engine, and which stream runs on which. Threads start with the first stream, or with `start`. */
export class WorkerPool {
  readonly #hosts: readonly (WorkerThread | InlineHost)[];
  readonly #clock: Clock;
  readonly #threading: Threading;
  readonly #lookEveryMs: number;
  /** The open streams that are lists. */
  readonly #lists = new Set<StreamHandle>();
  readonly #ledger = new CrashLedger();
  #nextEpoch = 1;
  #nextHost = 0;
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    const { workers, heartbeatTimeoutMs = 30_000, workerHeapMb, entry = ENTRY } = options;
    this.#clock = options.clock ?? systemClock;
    this.#threading = options.threading ?? systemThreading;
    this.#lookEveryMs = heartbeatTimeoutMs / HEARTBEAT_LOOKS;
    const onDeath = (fingerprint: string): void => this.#ledger.note(fingerprint);
    const thread = (index: number): WorkerThread =>
      new WorkerThread({
        index,
        entry,
        heapMb: workerHeapMb,
        spawn: this.#threading.spawn,
        clock: this.#clock,
        backoff: options.restartBackoff ?? {},
        onLost: options.onWorkerLost ?? (() => {}),
        onDeath,
      });
    this.#hosts =
      workers === 0
        ? [new InlineHost({ onDeath })]
        : Array.from({ length: workers }, (_, index) => thread(index));
  }

  /** How many streams can be worked on at the same time. */
  get parallelism(): number {
    return this.#hosts.length;
  }

  /** The threads themselves; undefined for one that is being replaced. Ending one is a way to test what happens then. */
  get threads(): readonly WorkerThread['worker'][] {
    return this.#hosts.map((host) => (host instanceof WorkerThread ? host.worker : undefined));
  }

  get stats(): readonly WorkerStats[] {
    return this.#hosts.map(({ stats }) => stats);
  }

  get gauges(): readonly WorkerGauges[] {
    return this.#hosts.map(({ gauges }) => gauges);
  }

  /** Resolves when every thread runs; rejects with the first `KUBEFLECT_WORKER_START_FAILED`. Streams need not wait for it. */
  async start(): Promise<void> {
    this.#watchHeartbeats();
    await Promise.all(this.#hosts.map((host) => host.start()));
  }

  /** Never throws: what goes wrong is what the handle's first `next` rejects with. */
  open(order: StreamOrder, options: OpenOptions = {}): StreamHandle {
    const { near, far } = this.#threading.openChannel();
    const host = this.#place(order.verb);
    const handle = new StreamHandle({
      epoch: this.#nextEpoch++,
      port: near,
      clock: this.#clock,
      worker: host.index,
      ...options,
      onClose: (closed) => {
        host.forget(closed);
        this.#lists.delete(closed);
      },
    });
    if (order.verb === 'list') this.#lists.add(handle);
    this.#watchHeartbeats();
    host.run(handle, { ...order, epoch: handle.epoch, quarantine: this.#ledger.quarantined }, far);
    return handle;
  }

  /** Ends all streams with `KUBEFLECT_ENGINE_CLOSED`; resolves when the threads are gone. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    await Promise.all(this.#hosts.map((host) => host.close()));
  }

  /**
   * The thread that can run it soonest; of those, for a list the one with the fewest lists, since lists are what keeps a thread
   * busy; of those, the one with the fewest streams; of those, the next in turn.
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

  /** Only while something could be waited for in vain, so that an idle pool does not keep the process alive. */
  #watchHeartbeats(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = this.#clock.schedule(() => {
      this.#timer = undefined;
      for (const host of this.#hosts) host.checkHeartbeat();
      if (this.#hosts.some(({ isNeeded }) => isNeeded)) this.#watchHeartbeats();
    }, this.#lookEveryMs);
  }
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, value] of a.entries()) {
    const other = b[i] ?? 0;
    if (value !== other) return value < other;
  }
  return false;
}
