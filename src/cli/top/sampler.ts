import type { Engine, SharedInformer } from '../../index.js';
import type { OpenInformer } from '../api/open-informers.js';
import { type DelayPercentiles, EventLoopDelay } from '../event-loop-delay.js';

/** The state of an engine and its informers, as plain data. Rates are per second since the previous snapshot. */
export interface Snapshot {
  /** Since the start, in milliseconds. */
  readonly atMs: number;
  readonly informers: readonly InformerSnapshot[];
  readonly workers: readonly WorkerSnapshot[];
  readonly eventLoop: DelayPercentiles;
  readonly memory: { readonly rss: number; readonly heap: number };
}

export interface InformerSnapshot {
  readonly name: string;
  readonly state: string;
  readonly objects: number;
  /** The number of objects before the start, if the server reported it. */
  readonly total: number | undefined;
  readonly listed: number;
  readonly listedPerSecond: number;
  /** The estimated time until the first list is complete. */
  readonly leftMs: number | undefined;
  readonly events: EventCounts;
  /** How stale the cache may be; undefined before the first list. */
  readonly lagMs: number | undefined;
  readonly bytes: number;
  readonly queued: number;
  readonly relists: number;
  readonly rejected: number;
  readonly lastError: string | undefined;
}

export interface WorkerSnapshot {
  /** 0 to 1. */
  readonly load: number;
  readonly streams: number;
  readonly restarts: number;
}

interface EventCounts {
  readonly add: number;
  readonly update: number;
  readonly delete: number;
}

type InformerStats = ReturnType<Engine['stats']>['informers'][number];

/** Takes snapshots of an engine. */
export class Sampler {
  readonly #engine: Engine;
  readonly #informers: readonly InformerSampler[];
  readonly #delay = new EventLoopDelay();
  readonly #startedAtMs = performance.now();
  #previousAtMs = this.#startedAtMs;

  constructor(engine: Engine, informers: readonly OpenInformer[]) {
    this.#engine = engine;
    this.#informers = informers.map((open) => new InformerSampler(open));
  }

  sample(): Snapshot {
    const now = performance.now();
    const seconds = Math.max(0.001, (now - this.#previousAtMs) / 1000);
    this.#previousAtMs = now;
    const { workers, informers } = this.#engine.stats();
    const statsByName = new Map(informers.map((stats) => [stats.name, stats]));
    const { rss, heapUsed } = process.memoryUsage();
    return {
      atMs: now - this.#startedAtMs,
      informers: this.#informers.map((informer) => informer.sample(statsByName, seconds)),
      workers: workers.map(({ utilization, streams, restarts }) => ({
        load: utilization,
        streams,
        restarts,
      })),
      eventLoop: this.#delay.sample(),
      memory: { rss, heap: heapUsed },
    };
  }

  stop(): void {
    this.#delay.stop();
  }
}

class InformerSampler {
  readonly #informer: SharedInformer;
  readonly #total: number | undefined;
  /** Without the initial list, whose progress is shown instead. */
  readonly #counts = { add: 0, update: 0, delete: 0 };
  #previous = { ...this.#counts, listed: 0 };

  constructor({ informer, total }: OpenInformer) {
    this.#informer = informer;
    this.#total = total;
    const counts = this.#counts;
    informer.addEventHandler({
      onAdd(_, { isInInitialList }) {
        if (!isInInitialList) counts.add++;
      },
      onUpdate: () => void counts.update++,
      onDelete: () => void counts.delete++,
    });
  }

  sample(statsByName: ReadonlyMap<string, InformerStats>, seconds: number): InformerSnapshot {
    const { name, state, objects, queued, rejected, lastError } = this.#informer.health();
    const stats = statsByName.get(name);
    const listed = stats?.listed ?? 0;
    const previous = this.#previous;
    const current = { ...this.#counts, listed };
    this.#previous = current;
    const rate = (counter: keyof typeof current): number => (current[counter] - previous[counter]) / seconds;
    const listedPerSecond = rate('listed');
    const total = this.#total;
    const hasEstimate = total !== undefined && state === 'syncing' && listedPerSecond > 0;
    return {
      name,
      state,
      objects,
      total,
      listed,
      listedPerSecond,
      leftMs: hasEstimate ? Math.max(0, ((total - listed) / listedPerSecond) * 1000) : undefined,
      events: { add: rate('add'), update: rate('update'), delete: rate('delete') },
      lagMs: stats?.lagMs,
      bytes: stats?.bytes ?? 0,
      queued,
      relists: stats?.relists ?? 0,
      rejected,
      lastError: lastError && `${lastError.code}: ${lastError.message}`,
    };
  }
}
