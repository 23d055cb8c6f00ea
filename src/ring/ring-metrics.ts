import type { Metrics, Value } from '../util/metrics.js';
import type { RingEvent } from './ring-member.js';
import { isFree, type RingView } from './ring-view.js';

interface RingState {
  readonly shards: number;
  readonly owned: () => number;
  readonly view: () => RingView | undefined;
}

/** The metrics of a ring, as this process sees it. Returns the counter of each type of event. */
export function ringMetrics(
  metrics: Metrics,
  name: string,
  { shards, owned, view }: RingState,
): (type: RingEvent['type']) => Value {
  const labels = { name };
  metrics.gauge('kubeflect_ring_owned_shards', 'Shards that this process owns.').labels(labels).read(owned);
  metrics
    .gauge('kubeflect_ring_members', 'Members of the ring that hold their Leases.')
    .labels(labels)
    .read(() => [...(view()?.members.values() ?? [])].filter(({ id, holder }) => id === holder).length);
  metrics
    .gauge('kubeflect_ring_free_shards', 'Shards that no member owns; NaN before the Leases were read.')
    .labels(labels)
    .read(() => {
      const ring = view();
      if (ring === undefined) return Number.NaN;
      return Array.from({ length: shards }, (_, shard) => shard).filter((shard) => isFree(ring, shard))
        .length;
    });
  const events = metrics.counter(
    'kubeflect_ring_events_total',
    'Shards that this process has acquired, has begun to drain, and has lost.',
  );
  return (type) => events.labels({ ...labels, type });
}
