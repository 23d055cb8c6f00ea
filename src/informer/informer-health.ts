import { type ErrorSummary, errorSummary } from '../kube/error-summary.js';
import type { KubernetesObject } from '../kube/object.js';
import type { IndexReader } from '../store/indexer.js';
import type { Clock } from '../util/clock.js';
import type { KubeflectError } from '../util/errors.js';

export type InformerState = 'new' | 'syncing' | 'synced' | 'stopped';

/** A snapshot of an informer's condition, for a health endpoint: plain data. Ages are in milliseconds. */
export interface InformerHealth {
  readonly name: string;
  readonly state: InformerState;
  readonly objects: number;
  /** The store is complete up to this version. */
  readonly resourceVersion: string;
  /**
   * Since a list, an event or a bookmark was last applied; undefined before the first. Bookmarks keep it below about
   * a minute.
   */
  readonly lastAppliedAgeMs: number | undefined;
  /** The same without bookmarks: high in a quiet collection. */
  readonly lastEventAgeMs: number | undefined;
  /** Bookmarks alone: about a minute while the watch is alive. */
  readonly lastBookmarkAgeMs: number | undefined;
  /** Deltas that are queued and not applied yet. */
  readonly queued: number;
  /**
   * Objects whose latest state could not be read, or on which the transform failed: the store holds an older state, or
   * none.
   */
  readonly rejected: number;
  readonly handlers: readonly HandlerHealth[];
  /** The last failure of a list, a watch, a handler or an object; it may be over. */
  readonly lastError: (ErrorSummary & { readonly ageMs: number }) | undefined;
}

export interface HandlerHealth {
  readonly name: string;
  readonly hasSynced: boolean;
  readonly pending: number;
  /** True if the handler is so far behind that its notifications are merged by key. */
  readonly isMerging: boolean;
  /** How long the running asynchronous call has taken so far. */
  readonly callAgeMs: number | undefined;
}

export interface HealthSources<T extends KubernetesObject> {
  readonly name: string;
  readonly state: InformerState;
  readonly indexer: IndexReader<T>;
  readonly fifo: { readonly length: number };
  readonly freshness: FreshnessTracker;
  readonly rejected: number;
  readonly listeners: Iterable<
    Omit<HandlerHealth, 'callAgeMs'> & { readonly callStartedAt: number | undefined }
  >;
  readonly lastError: { readonly error: KubeflectError; readonly at: number } | undefined;
  readonly nowMs: number;
}

export function healthOf<T extends KubernetesObject>(sources: HealthSources<T>): InformerHealth {
  const { name, state, indexer, fifo, freshness, rejected, listeners, lastError, nowMs } = sources;
  return {
    name,
    state,
    objects: indexer.size,
    resourceVersion: indexer.lastStoreSyncResourceVersion,
    lastAppliedAgeMs: freshness.ageMs,
    lastEventAgeMs: freshness.eventAgeMs,
    lastBookmarkAgeMs: freshness.bookmarkAgeMs,
    queued: fifo.length,
    rejected,
    handlers: Array.from(listeners, ({ callStartedAt, name: handler, hasSynced, pending, isMerging }) => ({
      name: handler,
      hasSynced,
      pending,
      isMerging,
      callAgeMs: callStartedAt === undefined ? undefined : nowMs - callStartedAt,
    })),
    lastError: lastError && { ...errorSummary(lastError.error), ageMs: nowMs - lastError.at },
  };
}

/** When an informer last received something from its server. A resync does not count: it repeats what is stored. */
export class FreshnessTracker {
  readonly #clock: Clock;
  #eventAt: number | undefined;
  #bookmarkAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A batch of deltas of this type was applied. */
  observe(type: string | undefined): void {
    if (type === 'Bookmark') this.#bookmarkAt = this.#clock.now();
    else if (type !== 'SyncAll') this.#eventAt = this.#clock.now();
  }

  /** Since a list, an event or a bookmark. */
  get ageMs(): number | undefined {
    const ages = [this.eventAgeMs, this.bookmarkAgeMs].filter((age) => age !== undefined);
    return ages.length === 0 ? undefined : Math.min(...ages);
  }

  /** Since a list or an event. */
  get eventAgeMs(): number | undefined {
    return this.#ageOf(this.#eventAt);
  }

  get bookmarkAgeMs(): number | undefined {
    return this.#ageOf(this.#bookmarkAt);
  }

  #ageOf(at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.#clock.now() - at;
  }
}
