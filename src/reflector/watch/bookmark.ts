/**
 * Bookmarks: events without an object, which say up to which resource version the watch is complete. On their way:
 *
 *     workers/decode         BOOKMARK event → row with version, and whether the initial events end here
 *     applyBookmark          advances the stream's cursor, so that the next watch starts there
 *     RealFIFO.bookmark      queued behind the deltas before it
 *     ProcessLoop            advances the version of the indexer
 *
 * A streaming list ends with the bookmark that has the annotation `k8s.io/initial-events-end` (`TemporaryStore`).
 */

import type { KubernetesObject } from '../../kube/object.js';
import type { ReflectorStore } from '../../store/reflector-store.js';
import type { Clock } from '../../util/clock.js';
import type { ReflectorReport } from '../reflector-report.js';
import type { ResourceVersionCursor } from './resource-version-cursor.js';

/** False if the bookmark is older than the last version. Throws what the store throws. */
export function applyBookmark<T extends KubernetesObject>(
  resourceVersion: string,
  cursor: ResourceVersionCursor,
  store: ReflectorStore<T>,
): boolean {
  if (!cursor.bookmark(resourceVersion)) return false;
  store.bookmark?.(resourceVersion);
  return true;
}

/** client-go's interval. */
const TICK_MS = 10_000;

/**
 * While a streaming list is open, reports every ten seconds without an event that its end bookmark has not come
 * (client-go's initialEventsEndBookmarkTicker).
 */
export class InitialEventsEndTicker {
  readonly #clock: Clock;
  readonly #report: (report: ReflectorReport) => void;
  readonly #startedAtMs: number;
  #lastEventAtMs: number | undefined;
  #timer: { cancel(): void } | undefined;

  constructor(clock: Clock, report: (report: ReflectorReport) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#startedAtMs = clock.now();
    this.#arm();
  }

  observeEvent(): void {
    this.#lastEventAtMs = this.#clock.now();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#clock.schedule(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    this.#arm();
    const nowMs = this.#clock.now();
    const sinceLastEventMs = this.#lastEventAtMs === undefined ? undefined : nowMs - this.#lastEventAtMs;
    if (sinceLastEventMs !== undefined && sinceLastEventMs < TICK_MS) return;
    this.#report({
      type: 'waiting-for-initial-events-end',
      level: 'warning',
      waitedMs: nowMs - this.#startedAtMs,
      sinceLastEventMs,
    });
  }
}
