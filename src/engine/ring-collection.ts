import type { KubernetesObject } from '../kube/object.js';
import { type HashRange, mergeRanges, rangeOfShard } from '../kube/sharding/hash-range.js';
import type { RingCache, RingShards } from '../kube/sharding/ring-shards.js';
import type { EntryList, ReflectorStore } from '../store/reflector-store.js';
import { onAbort } from '../util/abort.js';
import { type Clock, sleep } from '../util/clock.js';

/** Changes of a ring come in groups: what else changes within this time is listed at once. */
const SETTLE_MS = 200;

/**
 * A list that has received nothing for so long is given up for another one, if others wait for it: it may wait for a
 * server that is back. Twice as long after each that was given up, for servers that take long to begin.
 */
const PATIENCE_MS = 3000;

const NO_OBJECTS: EntryList<never> = { [Symbol.iterator]: () => [][Symbol.iterator]() };

export interface RingCollectionOptions<T extends KubernetesObject> {
  readonly ring: RingShards;
  readonly store: ReflectorStore<T>;
  readonly clock: Clock;
  /** The clock of `RingCache.isConfirmed`. */
  readonly now: () => number;
  /** Changes when something of a list is received. */
  readonly progress: () => number;
  /** Lists and watches the collection, in the ranges of `ranges`, until the signal aborts. */
  readonly follow: (store: ReflectorStore<T>, signal: AbortSignal) => Promise<void>;
}

/** A list that is in the store. */
interface Applied {
  readonly shards: ReadonlySet<number>;
  /** When it was requested: everything that was written before is in it. */
  readonly sinceMs: number;
}

/**
 * Mirrors the shards of a ring that this process has, or is to have. When they change, the collection is listed again in
 * the new ranges, and compared with the store like any relist: objects that stay cost nothing, and the others are added or
 * deleted. The store can be read meanwhile.
 */
export class RingCollection<T extends KubernetesObject> implements RingCache {
  readonly #options: RingCollectionOptions<T>;
  /** Those that are being listed, or were. */
  #shards: readonly number[] = [];
  #listedAtMs = Number.NEGATIVE_INFINITY;
  /** A list must have been requested after this. */
  #neededAfterMs = Number.NEGATIVE_INFINITY;
  #applied: Applied | undefined;
  #restart = new AbortController();
  #progress = { count: 0, atMs: 0 };
  #patienceMs = PATIENCE_MS;

  constructor(options: RingCollectionOptions<T>) {
    this.#options = options;
  }

  /** Of the shards that are to be listed now. */
  get ranges(): readonly HashRange[] {
    return mergeRanges(this.#shards.map((shard) => rangeOfShard(shard, this.#options.ring.shards)));
  }

  /** A list is being requested. */
  onList(): void {
    this.#listedAtMs = this.#options.now();
  }

  isSynced(shard: number): boolean {
    const isSynced = this.#applied?.shards.has(shard) ?? false;
    if (!isSynced) this.#restartIfNeeded();
    return isSynced;
  }

  isConfirmed(shard: number, sinceMs: number): boolean {
    const { sinceMs: appliedMs = Number.NEGATIVE_INFINITY } = this.#applied ?? {};
    if (this.isSynced(shard) && appliedMs > sinceMs) return true;
    this.#neededAfterMs = Math.max(this.#neededAfterMs, sinceMs);
    this.#restartIfNeeded();
    return false;
  }

  onWanted(): void {
    this.#restartIfNeeded();
  }

  /**
   * A list that makes progress is completed first, whatever it lacks: if shards came faster than the collection is
   * listed, none of them would ever be complete otherwise.
   */
  #restartIfNeeded(): void {
    const isListing = this.#applied?.sinceMs !== this.#listedAtMs && this.#shards.length > 0;
    if (isListing && this.#isProgressing()) return;
    const wanted = this.#options.ring.wanted ?? [];
    const isOther = isListing || wanted.join() !== this.#shards.join();
    // One that is under way will do, if it was requested late enough.
    if (isOther || this.#listedAtMs <= this.#neededAfterMs) this.#restart.abort();
  }

  #isProgressing(): boolean {
    const nowMs = this.#options.now();
    const count = this.#options.progress();
    if (count !== this.#progress.count) this.#progress = { count, atMs: nowMs };
    if (nowMs - this.#progress.atMs < this.#patienceMs) return true;
    this.#patienceMs *= 2;
    this.#progress.atMs = nowMs;
    return false;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { ring, clock } = this.#options;
    const detach = ring.attach(this);
    ring.start();
    try {
      while (!signal.aborted) {
        await this.#wanted(signal);
        await sleep(clock, SETTLE_MS, signal);
        const restart = new AbortController();
        this.#restart = restart;
        const release = onAbort(signal, () => restart.abort());
        this.#shards = ring.wanted ?? [];
        await this.#follow(restart.signal);
        release();
      }
    } finally {
      detach();
    }
  }

  /** Resolves when it is known which shards are wanted. */
  async #wanted(signal: AbortSignal): Promise<void> {
    while (this.#options.ring.wanted === undefined && !signal.aborted) {
      this.#restart = new AbortController();
      const release = onAbort(signal, () => this.#restart.abort());
      await aborted(this.#restart.signal);
      release();
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, follow } = this.#options;
    this.#listedAtMs = Number.POSITIVE_INFINITY;
    this.#progress = { count: this.#options.progress(), atMs: this.#options.now() };
    if (this.#shards.length > 0) {
      await follow(this.#view(store, new Set(this.#shards)), signal);
      return;
    }
    this.onList();
    this.#view(store, new Set()).replace(NO_OBJECTS, '');
    await aborted(signal);
  }

  #view(store: ReflectorStore<T>, shards: ReadonlySet<number>): ReflectorStore<T> {
    return {
      add: (entry) => store.add(entry),
      update: (entry) => store.update(entry),
      delete: (entry) => store.delete(entry),
      bookmark: (version) => store.bookmark?.(version),
      resync: () => store.resync(),
      replace: (entries, version, unreadableKeys) => {
        const applied = { shards, sinceMs: this.#listedAtMs };
        const onApplied = (): void => {
          this.#applied = applied;
          this.#patienceMs = PATIENCE_MS;
          this.#restartIfNeeded();
          this.#options.ring.changed();
        };
        store.replace(withCallback(entries, onApplied), version, unreadableKeys);
      },
      get isBehind() {
        return store.isBehind ?? false;
      },
      drained: async (aborting) => store.drained?.(aborting),
    };
  }
}

function withCallback<T extends KubernetesObject>(
  entries: EntryList<T>,
  onApplied: () => void,
): EntryList<T> {
  return {
    [Symbol.iterator]: () => entries[Symbol.iterator](),
    ...(entries.isSortedByKey !== undefined && { isSortedByKey: entries.isSortedByKey }),
    onApplied,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}
