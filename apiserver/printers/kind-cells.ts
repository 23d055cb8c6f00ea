/** The table cells of built-in kinds other than pods, after kube-apiserver's printers (Apache-2.0). */

import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { formatSelector } from '../selectors/label-selector.js';
import { ageSince, humanDuration } from './human-duration.js';
import { podCells } from './pod-cells.js';

type CellsOf = (object: Json, nowMs: number) => unknown[];

const MAX_LISTED = 3;
const ROLE_PREFIX = 'node-role.kubernetes.io/';
const JOB_STATES: readonly [condition: string, word: string][] = [
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
];

/** By the name of the Go struct; each has as many cells as its kind has columns. */
export const KIND_CELLS: Readonly<Record<string, CellsOf>> = {
  Pod: podCells,
  Node: nodeCells,
  Namespace: (namespace, now) => [
    nameOf(namespace),
    objectAt(namespace, 'status')['phase'] ?? '',
    ageOf(namespace, now),
  ],
  Service: serviceCells,
  ServiceAccount: (account, now) => [nameOf(account), ageOf(account, now)],
  ConfigMap: (configMap, now) => [
    nameOf(configMap),
    countOf(configMap, 'data') + countOf(configMap, 'binaryData'),
    ageOf(configMap, now),
  ],
  Secret: (secret, now) => [
    nameOf(secret),
    secret['type'] ?? '',
    countOf(secret, 'data'),
    ageOf(secret, now),
  ],
  Event: eventCells,
  'events.Event': (event, now) =>
    eventCells(
      {
        ...event,
        involvedObject: event['regarding'],
        message: event['note'],
        source: event['deprecatedSource'],
        reportingComponent: event['reportingController'],
        firstTimestamp: event['deprecatedFirstTimestamp'],
        lastTimestamp: event['deprecatedLastTimestamp'],
        count: event['deprecatedCount'],
      },
      now,
    ),
  Endpoints: (endpoints, now) => [nameOf(endpoints), endpointAddresses(endpoints), ageOf(endpoints, now)],
  'apps.Deployment': deploymentCells,
  'apps.ReplicaSet': replicaSetCells,
  'batch.Job': jobCells,
  'autoscaling.Scale': (scale, now) => [
    nameOf(scale),
    numberAt(objectAt(scale, 'spec'), 'replicas'),
    numberAt(objectAt(scale, 'status'), 'replicas'),
    ageOf(scale, now),
  ],
  'coordination.Lease': (lease, now) => [
    nameOf(lease),
    objectAt(lease, 'spec')['holderIdentity'] ?? '',
    ageOf(lease, now),
  ],
  'discovery.EndpointSlice': endpointSliceCells,
  'apiextensions.CustomResourceDefinition': (definition) => [
    nameOf(definition),
    objectAt(definition, 'metadata')['creationTimestamp'] ?? null,
  ],
};

function nodeCells(node: Json, now: number): unknown[] {
  const status = objectAt(node, 'status');
  const info = objectAt(status, 'nodeInfo');
  const ready = itemsAt(status, 'conditions').find(({ type }) => type === 'Ready');
  const readiness = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  const isCordoned = objectAt(node, 'spec')['unschedulable'] === true;
  const address = (type: string): unknown =>
    itemsAt(status, 'addresses').find((one) => one['type'] === type)?.['address'] ?? '<none>';
  const architecture = info['architecture'] ? ` (${info['architecture']})` : '';
  return [
    nameOf(node),
    isCordoned ? `${readiness},SchedulingDisabled` : readiness,
    rolesOf(objectAt(objectAt(node, 'metadata'), 'labels')).join(',') || '<none>',
    ageOf(node, now),
    info['kubeletVersion'] ?? '',
    address('InternalIP'),
    address('ExternalIP'),
    info['osImage'] || '<unknown>',
    `${info['kernelVersion'] || '<unknown>'}${architecture}`,
    info['containerRuntimeVersion'] || '<unknown>',
  ];
}

function rolesOf(labels: Json): string[] {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === 'kubernetes.io/role' ? [String(value)] : [];
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort();
}

function serviceCells(service: Json, now: number): unknown[] {
  const spec = objectAt(service, 'spec');
  const ports = itemsAt(spec, 'ports').map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return [
    nameOf(service),
    spec['type'] ?? '',
    spec['clusterIP'] || '<none>',
    externalAddress(service, spec),
    ports.join(',') || '<none>',
    ageOf(service, now),
    formatLabels(objectAt(spec, 'selector')),
  ];
}

function externalAddress(service: Json, spec: Json): string {
  const externalIPs = Array.isArray(spec['externalIPs']) ? spec['externalIPs'].map(String) : [];
  switch (spec['type']) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>';
    case 'LoadBalancer': {
      const ingress = itemsAt(objectAt(objectAt(service, 'status'), 'loadBalancer'), 'ingress');
      const addresses = new Set(ingress.map(({ ip, hostname }) => String(ip || hostname || '')));
      const named = [...addresses].filter((address) => address !== '').sort();
      return [...named, ...externalIPs].join(',') || '<pending>';
    }
    case 'ExternalName':
      return String(spec['externalName'] ?? '');
    default:
      return '<unknown>';
  }
}

function deploymentCells(deployment: Json, now: number): unknown[] {
  const spec = objectAt(deployment, 'spec');
  const status = objectAt(deployment, 'status');
  return [
    nameOf(deployment),
    `${numberAt(status, 'readyReplicas')}/${numberAt(spec, 'replicas')}`,
    numberAt(status, 'updatedReplicas'),
    numberAt(status, 'availableReplicas'),
    ageOf(deployment, now),
    ...templateCells(spec),
  ];
}

function replicaSetCells(replicaSet: Json, now: number): unknown[] {
  const spec = objectAt(replicaSet, 'spec');
  const status = objectAt(replicaSet, 'status');
  return [
    nameOf(replicaSet),
    numberAt(spec, 'replicas'),
    numberAt(status, 'replicas'),
    numberAt(status, 'readyReplicas'),
    ageOf(replicaSet, now),
    ...templateCells(spec),
  ];
}

function jobCells(job: Json, now: number): unknown[] {
  const spec = objectAt(job, 'spec');
  const status = objectAt(job, 'status');
  const succeeded = numberAt(status, 'succeeded');
  const parallelism = numberAt(spec, 'parallelism');
  const open = parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
  const start = typeof status['startTime'] === 'string' ? Date.parse(status['startTime']) : undefined;
  const end = typeof status['completionTime'] === 'string' ? Date.parse(status['completionTime']) : now;
  return [
    nameOf(job),
    jobState(job, itemsAt(status, 'conditions')),
    typeof spec['completions'] === 'number' ? `${succeeded}/${spec['completions']}` : open,
    start === undefined ? '' : humanDuration(end - start),
    ageOf(job, now),
    ...templateCells(spec),
  ];
}

function jobState(job: Json, conditions: readonly Json[]): string {
  const has = (type: string): boolean =>
    conditions.some((condition) => condition['type'] === type && condition['status'] === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (objectAt(job, 'metadata')['deletionTimestamp']) return 'Terminating';
  return JOB_STATES.find(([condition]) => has(condition))?.[1] ?? 'Running';
}

function eventCells(event: Json, now: number): unknown[] {
  const about = objectAt(event, 'involvedObject');
  const source = objectAt(event, 'source');
  const series = objectAt(event, 'series');
  const hasSeries = Object.keys(series).length > 0;
  const first = ageSince(event['firstTimestamp'] || event['eventTime'], now);
  const last = event['lastTimestamp'] ? ageSince(event['lastTimestamp'], now) : first;
  const kind = String(about['kind'] ?? '').toLowerCase();
  const component = source['component'] || event['reportingComponent'] || '';
  const instance = source['host'] || event['reportingInstance'];
  return [
    hasSeries ? ageSince(series['lastObservedTime'], now) : last,
    event['type'] ?? '',
    event['reason'] ?? '',
    about['name'] ? `${kind}/${about['name']}` : kind,
    about['fieldPath'] ?? '',
    instance ? `${component}, ${instance}` : component,
    String(event['message'] ?? '').trim(),
    first,
    hasSeries ? numberAt(series, 'count') : numberAt(event, 'count') || 1,
    nameOf(event),
  ];
}

function endpointAddresses(endpoints: Json): string {
  const subsets = itemsAt(endpoints, 'subsets');
  if (subsets.length === 0) return '<none>';
  const addresses = subsets.flatMap((subset) => {
    const ips = itemsAt(subset, 'addresses').map(({ ip }) => String(ip));
    const ports = itemsAt(subset, 'ports');
    if (ports.length === 0) return ips;
    return ports.flatMap(({ port }) =>
      ips.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
    );
  });
  return listed(addresses, '');
}

function endpointSliceCells(slice: Json, now: number): unknown[] {
  const ports = itemsAt(slice, 'ports').map(({ port, name }) => String(port ?? name ?? '*'));
  const addresses = itemsAt(slice, 'endpoints').flatMap((endpoint) =>
    Array.isArray(endpoint['addresses']) ? endpoint['addresses'].map(String) : [],
  );
  return [
    nameOf(slice),
    slice['addressType'] ?? '',
    listed(ports, '<unset>'),
    listed(addresses, '<unset>'),
    ageOf(slice, now),
  ];
}

function listed(items: readonly string[], none: string): string {
  const shown = items.slice(0, MAX_LISTED).join(',');
  if (items.length > MAX_LISTED) return `${shown} + ${items.length - MAX_LISTED} more...`;
  return items.length === 0 ? none : shown;
}

/** Containers, images and selector of a workload. */
function templateCells(spec: Json): unknown[] {
  const containers = itemsAt(objectAt(objectAt(spec, 'template'), 'spec'), 'containers');
  return [
    containers.map(({ name }) => name).join(','),
    containers.map(({ image }) => image).join(','),
    formatSelector(objectAt(spec, 'selector')) || '<none>',
  ];
}

function formatLabels(labels: Json): string {
  const keys = Object.keys(labels).sort();
  return keys.map((key) => `${key}=${labels[key]}`).join(',') || '<none>';
}

function nameOf(object: Json): unknown {
  return objectAt(object, 'metadata')['name'] ?? '';
}

function ageOf(object: Json, now: number): string {
  return ageSince(objectAt(object, 'metadata')['creationTimestamp'], now);
}

function countOf(object: Json, key: string): number {
  return Object.keys(objectAt(object, key)).length;
}

function numberAt(object: Json, key: string): number {
  return typeof object[key] === 'number' ? object[key] : 0;
}
