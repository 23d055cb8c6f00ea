import type { KubernetesObject } from '../kube/object.js';

/**
 * The fields that client-node's models of the built-in kinds declare as dates. No other field of these kinds has one
 * of these names.
 */
const DATE_FIELDS: ReadonlySet<string> = new Set([
  'acquireTime',
  'allocationTimestamp',
  'beginRefreshAt',
  'completionTime',
  'creationTimestamp',
  'deletionTimestamp',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
  'disruptedPods',
  'eventTime',
  'expirationTimestamp',
  'finishedAt',
  'firstTimestamp',
  'lastHeartbeatTime',
  'lastObservedTime',
  'lastPhaseTransitionTime',
  'lastProbeTime',
  'lastScaleTime',
  'lastScheduleTime',
  'lastSuccessfulTime',
  'lastTimestamp',
  'lastTransitionTime',
  'lastUpdateTime',
  'notAfter',
  'notBefore',
  'pingTime',
  'renewTime',
  'startTime',
  'startedAt',
  'time',
  'timeAdded',
]);

/** Maps with arbitrary keys, which may have the name of a date field. */
const MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'attributes',
  'binaryData',
  'data',
  'fieldsV1',
  'labels',
  'matchLabels',
  'nodeSelector',
  'parameters',
  'selector',
  'stringData',
  'volumeAttributes',
]);

/** Kubernetes' own API groups: core, `apps`, `batch`, … and `*.k8s.io`. */
const BUILT_IN = /^([^./]+\/)?[^./]+$|^[^/]+\.k8s\.io\//;

/**
 * A copy of the object with `Date`s where client-node's types have them. Parts without dates are shared. Custom
 * resources get them in `metadata` only, because the meaning of their other fields is unknown.
 */
export function withDates<T extends KubernetesObject>(object: T): T {
  if (BUILT_IN.test(object.apiVersion ?? '')) return converted(object, false) as T;
  return { ...object, metadata: converted(object.metadata, false) };
}

function converted(value: unknown, isDate: boolean): unknown {
  if (typeof value === 'string') return isDate ? dateOf(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => converted(item, false));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const before = Object.entries(value);
  const after = before.map(([name, child]) => [
    name,
    MAPS.has(name) ? child : converted(child, isDate || DATE_FIELDS.has(name)),
  ]);
  return after.some(([, child], i) => child !== before[i]?.[1]) ? Object.fromEntries(after) : value;
}

function dateOf(timestamp: string): Date | string {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? timestamp : date;
}
