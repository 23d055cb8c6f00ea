import type { InformerHealth } from '../informer/informer-health.js';
import type { SharedInformer } from '../informer/shared-informer.js';
import type { KubernetesObject } from '../kube/object.js';
import type { WorkerPool } from '../pool/worker-pool.js';
import type { Labels, Metrics } from '../util/metrics.js';
import type { InformerSource } from './informer-source.js';

type Source = Pick<
  InformerSource<KubernetesObject>,
  'isWatching' | 'lists' | 'events' | 'dropped' | 'shardStats'
>;

/** `InformerStats.lagMs`. */
export function lagOf(
  { lastAppliedAgeMs, queued }: Pick<InformerHealth, 'lastAppliedAgeMs' | 'queued'>,
  { isWatching }: Pick<Source, 'isWatching'>,
): number | undefined {
  return isWatching && queued === 0 && lastAppliedAgeMs !== undefined ? 0 : lastAppliedAgeMs;
}

/**
 * The metrics of an informer that the engine measures. They are removed with the informer's own, whose labels they
 * have.
 */
export function informerGauges(
  metrics: Metrics,
  informer: Pick<SharedInformer<KubernetesObject>, 'health' | 'metricLabels'>,
  source: Source,
): void {
  const labels: Labels = informer.metricLabels;
  metrics
    .gauge('kubeflect_informer_watching', '1 while the server has accepted the watch, else 0.')
    .labels(labels)
    .read(() => Number(source.isWatching));
  metrics
    .gauge(
      'kubeflect_informer_lag_seconds',
      'Upper bound of the age of the cached state; NaN before the first list.',
    )
    .labels(labels)
    .read(() => (lagOf(informer.health(), source) ?? Number.NaN) / 1000);
  metrics
    .counter('kubeflect_informer_lists_total', 'How often the complete collection was requested.')
    .labels(labels)
    .read(() => source.lists);
  metrics
    .counter('kubeflect_informer_events_total', 'Watch events received, bookmarks included.')
    .labels(labels)
    .read(() => source.events);
  if (source.shardStats === undefined) return;
  metrics
    .counter(
      'kubeflect_informer_dropped_objects_total',
      'Objects of other shards that the API server sent; 0 if it applies shardSelector.',
    )
    .labels(labels)
    .read(() => source.dropped);
}

export function workerGauges(metrics: Metrics, pool: WorkerPool): void {
  for (let worker = 0; worker < pool.parallelism; worker++) {
    const labels: Labels = { worker: String(worker) };
    metrics
      .counter('kubeflect_worker_restarts_total', 'How often a worker thread was replaced.')
      .labels(labels)
      .read(() => pool.gauges[worker]?.restarts ?? 0);
    metrics
      .gauge('kubeflect_worker_streams', 'Streams that are open on a worker thread.')
      .labels(labels)
      .read(() => pool.gauges[worker]?.streams ?? 0);
    metrics
      .gauge('kubeflect_worker_held_bytes', 'Bytes of buffers that a worker thread holds.')
      .labels(labels)
      .read(() => pool.gauges[worker]?.heldBytes ?? 0);
  }
}
