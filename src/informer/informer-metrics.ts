import type { KubernetesObject } from '../kube/object.js';
import type { Skipped } from '../store/apply-delta.js';
import type { IndexReader } from '../store/indexer.js';
import type { RealFIFO } from '../store/queue/real-fifo.js';
import type { KubeflectError } from '../util/errors.js';
import type { Distribution, Labels, Metrics } from '../util/metrics.js';
import type { FreshnessTracker } from './informer-health.js';

/**
 * What became of a reported write: `current`, the cache showed it already; `seen` later; `expired`, not in time;
 * `outside`, of a namespace or a shard that the informer does not have.
 */
export type OwnWriteResult = 'current' | 'seen' | 'expired' | 'outside';

/** The metrics of one informer: client-go's three under their names, the others with the prefix `kubeflect_`. */
export class InformerMetrics<T extends KubernetesObject> {
  readonly #metrics: Metrics;
  readonly #labels: Labels;
  readonly #latency: Distribution;
  readonly #ownWriteDelay: Distribution;
  /** After that, another informer may use the same labels. */
  #isRemoved = false;

  constructor(
    metrics: Metrics,
    labels: Labels,
    fifo: RealFIFO<T>,
    reader: IndexReader<T>,
    freshness: FreshnessTracker,
  ) {
    this.#metrics = metrics;
    this.#labels = labels;
    metrics
      .gauge('informer_queued_items', 'Number of items currently queued in the FIFO.')
      .labels(labels)
      .read(() => fifo.length);
    metrics
      .gauge('informer_store_resource_version', 'Resource version of the store, its last 15 digits.')
      .labels(labels)
      .read(() => Number(reader.lastStoreSyncResourceVersion.slice(-15)) || 0);
    metrics
      .gauge('kubeflect_informer_objects', 'Objects in the store.')
      .labels(labels)
      .read(() => reader.size);
    const age = (name: string, help: string, ageMs: () => number | undefined): void =>
      metrics
        .gauge(name, help)
        .labels(labels)
        .read(() => (ageMs() ?? Number.NaN) / 1000);
    age(
      'kubeflect_informer_last_event_age_seconds',
      'Time since a list or an event was applied; NaN before the first.',
      () => freshness.eventAgeMs,
    );
    age(
      'kubeflect_informer_last_bookmark_age_seconds',
      'Time since a bookmark was applied; NaN before the first.',
      () => freshness.bookmarkAgeMs,
    );
    this.#latency = metrics
      .histogram('informer_processing_latency_seconds', 'Time taken to process a batch after it was popped.')
      .labels(labels);
    this.#ownWriteDelay = metrics
      .histogram(
        'kubeflect_informer_own_write_delay_seconds',
        "Time from the report of the program's own write until the cache showed it.",
      )
      .labels(labels);
  }

  batch(tookMs: number): void {
    this.#latency.observe(tookMs / 1000);
  }

  skipped(reason: Skipped): void {
    if (this.#isRemoved) return;
    this.#metrics
      .counter('kubeflect_informer_skipped_total', 'Deltas that did not change the store, by reason.')
      .labels({ ...this.#labels, reason })
      .increment();
  }

  unseenWrites(unseen: () => number, assumed: () => number): void {
    this.#metrics
      .gauge('kubeflect_informer_assumed_objects', 'Own writes that are shown before the cache holds them.')
      .labels(this.#labels)
      .read(assumed);
    this.#metrics
      .gauge('kubeflect_informer_unseen_writes', 'Objects with own writes that the cache does not show yet.')
      .labels(this.#labels)
      .read(unseen);
  }

  ownWrite(result: OwnWriteResult, delayMs?: number): void {
    if (this.#isRemoved) return;
    if (delayMs !== undefined) this.#ownWriteDelay.observe(delayMs / 1000);
    this.#metrics
      .counter(
        'kubeflect_informer_own_writes_total',
        "The program's own writes that were reported, by result.",
      )
      .labels({ ...this.#labels, result })
      .increment();
  }

  error(error: KubeflectError): void {
    if (this.#isRemoved) return;
    this.#metrics
      .counter('kubeflect_informer_errors_total', 'Errors reported, by code.')
      .labels({ ...this.#labels, code: error.code })
      .increment();
  }

  handler(handlerName: string, pending: () => number): void {
    this.#metrics
      .gauge('kubeflect_handler_pending', 'Notifications queued for a handler.')
      .labels({ ...this.#labels, handler: handlerName })
      .read(pending);
  }

  removeHandler(handlerName: string): void {
    if (this.#isRemoved) return;
    this.#metrics.remove({ ...this.#labels, handler: handlerName });
  }

  /** Removes all series of the informer; nothing is counted afterwards. */
  remove(): void {
    this.#isRemoved = true;
    this.#metrics.remove(this.#labels);
  }
}
