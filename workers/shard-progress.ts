import type { Clock } from '../src/util/clock.js';
import type { ShardFilter } from './decode/shard-filter.js';

/** What is dropped wakes the main thread at most this often. */
const INTERVAL_MS = 1000;

export interface ShardProgressOptions {
  readonly filter: ShardFilter;
  readonly clock: Clock;
  /** So many objects were dropped since the last call. */
  readonly onDropped: (objects: number) => void;
  /** The last object of the stream was dropped; it had this version. */
  readonly onVersion: (resourceVersion: string) => void;
}

/** Reports what a `ShardFilter` has dropped: the count, and the version, which advances for dropped objects too. */
export class ShardProgress {
  readonly #options: ShardProgressOptions;
  #timer: { cancel(): void } | undefined;
  #reported = 0;
  #version: string | undefined;

  constructor(options: ShardProgressOptions) {
    this.#options = options;
  }

  /** To be called when something was read. Reports now, or when the interval is over. */
  read(): void {
    if (this.#timer !== undefined || !this.#hasNews) return;
    this.report();
    this.#timer = this.#options.clock.schedule(() => {
      this.#timer = undefined;
      this.read();
    }, INTERVAL_MS);
  }

  report(): void {
    const { filter, onDropped, onVersion } = this.#options;
    const objects = filter.dropped - this.#reported;
    this.#reported = filter.dropped;
    if (objects > 0) onDropped(objects);
    const isNew = filter.version !== undefined && filter.version !== this.#version;
    this.#version = filter.version;
    if (isNew && filter.version !== undefined) onVersion(filter.version);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  get #hasNews(): boolean {
    return this.#options.filter.dropped > this.#reported;
  }
}
