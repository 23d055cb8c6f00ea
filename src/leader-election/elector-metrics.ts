import type { LeaseCounter } from '../lease/leadership-memory.js';
import type { Metrics } from '../util/metrics.js';

/** client-go's metrics of leader election, with its label, and a few more. */
export function electorMetrics(
  metrics: Metrics,
  name: string,
  state: { readonly isLeader: () => boolean; readonly counted: (counter: LeaseCounter) => number },
): { started(): void } {
  metrics
    .gauge('leader_election_master_status', 'Whether this process is the leader: 1 or 0.')
    .labels({ name })
    .read(() => (state.isLeader() ? 1 : 0));
  metrics
    .counter('leader_election_slowpath_total', 'Renewals that had to read the Lease first.')
    .labels({ name })
    .read(() => state.counted('slowPaths'));
  metrics
    .counter('kubeflect_lease_writes_total', 'Accepted writes of the Lease: renewals, mostly.')
    .labels({ name })
    .read(() => state.counted('writes'));
  metrics
    .counter('kubeflect_lease_failures_total', 'Requests for the Lease that failed, conflicts excepted.')
    .labels({ name })
    .read(() => state.counted('failures'));
  const terms = metrics
    .counter('kubeflect_leader_election_terms_total', 'Terms that have begun.')
    .labels({ name });
  return { started: () => terms.increment() };
}
