/** The status of a new pod. */

import { milliValue } from '../formats/quantity.js';
import { itemsAt, type Json, objectAt } from './json-fields.js';

/** `time` is the current time in RFC 3339. */
export function newPodStatus(pod: Json, time: string): Json {
  const spec = objectAt(pod, 'spec');
  const gated = {
    type: 'PodScheduled',
    status: 'False',
    lastTransitionTime: time,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return {
    phase: 'Pending',
    ...(itemsAt(spec, 'schedulingGates').length === 0 ? {} : { conditions: [gated] }),
    qosClass: qosClass(spec),
  };
}

/**
 * Guaranteed when every container has equal requests and limits for CPU and memory; best effort when none has
 * any.
 */
function qosClass(spec: Json): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')];
  const owners = isRecordWithResources(spec) ? [spec] : containers;
  const amounts = owners.map((owner) => {
    const resources = objectAt(owner, 'resources');
    return {
      requests: amountsOf(objectAt(resources, 'requests')),
      limits: amountsOf(objectAt(resources, 'limits')),
    };
  });
  if (amounts.every(({ requests, limits }) => requests.size === 0 && limits.size === 0)) return 'BestEffort';
  const isGuaranteed = amounts.every(
    ({ requests, limits }) =>
      limits.size === 2 && [...limits].every(([name, limit]) => (requests.get(name) ?? limit) === limit),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function isRecordWithResources(spec: Json): boolean {
  return Object.keys(objectAt(spec, 'resources')).length > 0;
}

function amountsOf(list: Json): ReadonlyMap<string, number> {
  const amounts = ['cpu', 'memory'].map((name) => [name, milliValue(list[name]) ?? 0] as const);
  return new Map(amounts.filter(([, amount]) => amount > 0));
}
