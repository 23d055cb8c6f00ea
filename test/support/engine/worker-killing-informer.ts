import { type KubeflectError, Metrics } from 'kubeflect';
import { SharedInformer } from 'kubeflect/cache';
import { Credentials } from '#dist/src/auth/credentials.js';
import { BatchToEntries } from '#dist/src/engine/batch-to-entries.js';
import { ServerEncodings } from '#dist/src/engine/encoding-choice.js';
import { resolveEngineOptions } from '#dist/src/engine/engine-options.js';
import { resolveInformerOptions } from '#dist/src/engine/informer-options.js';
import { InformerSource } from '#dist/src/engine/informer-source.js';
import { WatchListSupport } from '#dist/src/engine/watch-list-support.js';
import type { StreamHandle } from '#dist/src/pool/stream-handle.js';
import {
  type OpenOptions,
  type StreamPool,
  type StreamSpec,
  WorkerPool,
} from '#dist/src/pool/worker-pool.js';
import { SlabCache } from '#dist/src/store/slab/slab-cache.js';
import { systemClock } from '#dist/src/util/clock.js';
import { RestClientMetrics } from '#dist/src/util/rest-client-metrics.js';
import { SliceScheduler } from '#dist/src/util/slice-scheduler.js';
import { ObjectReaders } from '#dist/src/wire/object-readers.js';
import { CONFIG_MAPS, Fold } from './engine-fixture.js';

/** A pool of one thread that is terminated once, when the n-th message of all its streams arrives. */
class WorkerKillingPool implements StreamPool {
  readonly pool: WorkerPool;
  readonly #lastMessage: number;
  readonly #open = new Map<StreamHandle, StreamSpec>();
  /** The messages: `list batch`, `watch open`, … */
  readonly arrived: string[] = [];
  /** The streams that were open when the thread was terminated; undefined before. */
  lost: StreamSpec[] | undefined;

  constructor(pool: WorkerPool, lastMessage: number) {
    this.pool = pool;
    this.#lastMessage = lastMessage;
  }

  get parallelism(): number {
    return this.pool.parallelism;
  }

  open(spec: StreamSpec, options: OpenOptions = {}): StreamHandle {
    const handle: StreamHandle = this.pool.open(spec, {
      onArrival: (message) => {
        if (this.arrived.push(`${spec.verb} ${message.type}`) === this.#lastMessage) {
          this.lost = [...this.#open].filter(([stream]) => !stream.isClosed).map(([, lost]) => lost);
          void this.pool.threads[handle.worker]?.terminate();
        }
        options.onArrival?.(message);
      },
    });
    this.#open.set(handle, spec);
    return handle;
  }
}

export interface WorkerKillingInformerOptions {
  readonly server: string;
  /** Distinguishes its requests from those of other informers. */
  readonly labelSelector: string;
  readonly pageSize: number;
  /** The thread is terminated after this many messages. */
  readonly lastMessage: number;
  readonly onError: (error: KubeflectError) => void;
}

/** The parts of an engine around one informer of ConfigMaps, whose only thread dies at a given message, with three handlers. */
export class WorkerKillingInformer {
  readonly informer: SharedInformer;
  /** Of a handler, of a slow handler, and of a loop over `events()`. */
  readonly folds: readonly Fold[] = [new Fold(), new Fold(), new Fold()];
  readonly #pool: WorkerKillingPool;
  #looping: Promise<void> | undefined;

  constructor(options: WorkerKillingInformerOptions) {
    const connection = { server: options.server };
    const { limits, restartBackoff } = resolveEngineOptions({
      connection,
      // The minimum: an object of more than a KiB is a message.
      advanced: { limits: { batchBytes: 1024 }, restartBackoff: { initialMs: 5 } },
    });
    this.#pool = new WorkerKillingPool(new WorkerPool({ workers: 1, restartBackoff }), options.lastMessage);
    const cache = new SlabCache({ scheduler: new SliceScheduler() });
    const { labelSelector, pageSize } = options;
    const source = new InformerSource({
      name: 'configmaps',
      informer: resolveInformerOptions({
        ...CONFIG_MAPS,
        labelSelector,
        pageSize,
        list: 'paged',
        advanced: { reflector: { minReconnectIntervalMs: 5 } },
      }),
      pool: this.#pool,
      credentials: new Credentials({ source: () => connection, onProblem: options.onError }),
      limits,
      batches: new BatchToEntries(cache, new ObjectReaders()),
      serverEncodings: new ServerEncodings(),
      watchListSupport: new WatchListSupport(systemClock),
      requests: new RestClientMetrics(new Metrics()),
      clock: undefined,
      random: undefined,
    });
    this.informer = new SharedInformer({
      run: (context, signal) => source.run(context, signal),
      onError: options.onError,
    });
  }

  get arrived(): readonly string[] {
    return this.#pool.arrived;
  }

  get lost(): readonly StreamSpec[] | undefined {
    return this.#pool.lost;
  }

  async start(): Promise<void> {
    const [quick, slow, looped] = this.folds;
    this.informer.addEventHandler(quick ?? {});
    this.informer.addEventHandler(slow?.taking(() => new Promise((resolve) => setImmediate(resolve))) ?? {});
    this.#looping = looped?.follow(this.informer.events());
    this.informer.start();
    await this.informer.synced;
  }

  /** True if everybody knows exactly what the informer holds. */
  get isTold(): boolean {
    return this.folds.every((fold) => fold.equals(this.informer));
  }

  async close(): Promise<void> {
    await this.informer.stop();
    await this.#looping;
    await this.#pool.pool.close();
  }
}
