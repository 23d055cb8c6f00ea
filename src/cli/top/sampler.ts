import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Engine, SharedInformer } from '../../index.js';
import type { OpenedInformer } from '../api/open.js';
import type { InformerSnapshot, Snapshot } from './snapshot.js';

/** How finely the delay of the event loop is measured. */
const RESOLUTION_MS = 1;

type Counts = Record<'add' | 'update' | 'delete', number>;

interface Watched {
  readonly mirror: SharedInformer;
  readonly total: number | undefined;
  readonly counts: Counts;
  /** At the last snapshot. */
  before: Counts & { readonly listed: number };
}

/** Looks at an engine now and then. */
export class Sampler {
  readonly #engine: Engine;
  readonly #watched: readonly Watched[];
  readonly #delay: IntervalHistogram;
  readonly #startedAtMs = performance.now();
  #beforeMs = this.#startedAtMs;

  constructor(engine: Engine, informers: readonly OpenedInformer[]) {
    this.#engine = engine;
    this.#watched = informers.map(({ mirror, total }) => ({
      mirror,
      total,
      counts: countEvents(mirror),
      before: { add: 0, update: 0, delete: 0, listed: 0 },
    }));
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
  }

  sample(): Snapshot {
    const now = performance.now();
    const seconds = Math.max(0.001, (now - this.#beforeMs) / 1000);
    this.#beforeMs = now;
    const { workers, informers } = this.#engine.stats();
    const listedOf = new Map(informers.map((informer) => [informer.name, informer]));
    const { rss, heapUsed } = process.memoryUsage();
    const snapshot = {
      atMs: now - this.#startedAtMs,
      informers: this.#watched.map((watched) =>
        informerSnapshot(watched, listedOf.get(watched.mirror.name), seconds),
      ),
      workers: workers.map(({ utilization, streams, restarts }) => ({
        load: utilization,
        streams,
        restarts,
      })),
      eventLoop: {
        p50: this.#delayMs(this.#delay.percentile(50)),
        p99: this.#delayMs(this.#delay.percentile(99)),
        max: this.#delayMs(this.#delay.max),
      },
      memory: { rss, heap: heapUsed },
    };
    this.#delay.reset();
    return snapshot;
  }

  stop(): void {
    this.#delay.disable();
  }

  /** The histogram holds the time between two turns, which is the resolution if nothing is in the way. */
  #delayMs(nanoseconds: number): number {
    return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  }
}

type Stats = ReturnType<Engine['stats']>['informers'][number];

function informerSnapshot(watched: Watched, stats: Stats | undefined, seconds: number): InformerSnapshot {
  const { mirror, total, counts, before } = watched;
  const { name, state, objects, queued, rejected, lastError } = mirror.health();
  const listed = stats?.listed ?? 0;
  const rate = (type: keyof Watched['before']): number =>
    ({ ...counts, listed })[type] / seconds - before[type] / seconds;
  const listedPerSecond = rate('listed');
  const left =
    total === undefined || state !== 'syncing' || listedPerSecond <= 0
      ? undefined
      : (total - listed) / listedPerSecond;
  const snapshot = {
    name,
    state,
    objects,
    total,
    listed,
    listedPerSecond,
    leftMs: left === undefined ? undefined : Math.max(0, left * 1000),
    events: { add: rate('add'), update: rate('update'), delete: rate('delete') },
    lagMs: stats?.lagMs,
    bytes: stats?.bytes ?? 0,
    queued,
    relists: stats?.relists ?? 0,
    rejected,
    lastError: lastError && `${lastError.error.code}: ${lastError.error.message}`,
  };
  watched.before = { ...counts, listed };
  return snapshot;
}

/** News only: the first list is told by its progress. */
function countEvents(mirror: SharedInformer): Counts {
  const counts = { add: 0, update: 0, delete: 0 };
  mirror.addEventHandler({
    onAdd(_, { isInInitialList }) {
      if (!isInInitialList) counts.add++;
    },
    onUpdate: () => void counts.update++,
    onDelete: () => void counts.delete++,
  });
  return counts;
}
