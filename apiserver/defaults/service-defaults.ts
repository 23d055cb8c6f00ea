/** Services: defaults, and the addresses and ports that the server allocates and keeps during updates. */

import { fillEmpty, fillMissing, itemsAt, type Json, objectAt, withItems } from './json-fields.js';

/** Allocates the unique values of a service. */
export interface ServiceAllocator {
  readonly clusterIP: () => string;
  readonly nodePort: () => number;
}

/** Random addresses of 10.0.0.0/16 and node ports of the default range; nothing routes to them. */
export function serviceAllocator(random: () => number): ServiceAllocator {
  const between = (from: number, to: number): number => from + Math.floor(random() * (to - from));
  return {
    clusterIP: () => `10.0.${between(0, 256)}.${between(1, 255)}`,
    nodePort: () => between(30_000, 32_768),
  };
}

export function serviceDefaults(service: Json): Json {
  const spec = fillEmpty(objectAt(service, 'spec'), { sessionAffinity: 'None', type: 'ClusterIP' });
  const { sessionAffinityConfig, ...withoutAffinity } = spec;
  const affinity = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP');
  const withAffinity =
    spec['sessionAffinity'] === 'ClientIP'
      ? {
          ...withoutAffinity,
          sessionAffinityConfig:
            affinity['timeoutSeconds'] === undefined
              ? { clientIP: { timeoutSeconds: 10_800 } }
              : sessionAffinityConfig,
        }
      : withoutAffinity;
  const withPorts = withItems(withAffinity, 'ports', (port) =>
    fillEmpty(port, { protocol: 'TCP', targetPort: port['port'] }),
  );
  return { ...service, spec: fillMissing(fillEmpty(withPorts, valuesOfType(spec)), pointersOfType(spec)) };
}

/** The spec with addresses and node ports, as it is after creation. */
export function allocateService(service: Json, allocator: ServiceAllocator): Json {
  const spec = objectAt(service, 'spec');
  if (spec['type'] === 'ExternalName') return service;
  const isHeadless = spec['clusterIP'] === 'None';
  const clusterIP = spec['clusterIP'] || itemAt(spec, 'clusterIPs', 0) || allocator.clusterIP();
  const hasBothFamilies = isHeadless && Object.keys(objectAt(spec, 'selector')).length === 0;
  const addressed = fillMissing(
    { ...spec, clusterIP, clusterIPs: [clusterIP] },
    {
      ipFamilies: hasBothFamilies ? ['IPv4', 'IPv6'] : ['IPv4'],
      ipFamilyPolicy: hasBothFamilies ? 'RequireDualStack' : 'SingleStack',
    },
  );
  return { ...service, spec: needsNodePorts(spec) ? withNodePorts(addressed, allocator) : addressed };
}

/** Allocated values are kept when an update does not mention them. */
export function keepAllocations(service: Json, previous: Json, allocator: ServiceAllocator): Json {
  const before = objectAt(previous, 'spec');
  const spec = withoutOldPolicy(objectAt(service, 'spec'), before);
  if (spec['type'] === 'ExternalName') {
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...rest } = spec;
    return { ...service, spec: rest };
  }
  const kept = fillEmpty(spec, {
    clusterIP: before['clusterIP'],
    clusterIPs: before['clusterIPs'],
    ipFamilies: before['ipFamilies'],
    ipFamilyPolicy: before['ipFamilyPolicy'],
    ...(needsNodePorts(spec) ? { healthCheckNodePort: before['healthCheckNodePort'] } : {}),
  });
  if (!needsNodePorts(spec)) return allocateService({ ...service, spec: kept }, allocator);
  const oldPorts = itemsAt(before, 'ports');
  const ported = withItems(kept, 'ports', (port) => {
    const old = oldPorts.find(
      (other) => other['port'] === port['port'] && other['protocol'] === port['protocol'],
    );
    return fillEmpty(port, { nodePort: old?.['nodePort'] });
  });
  return allocateService({ ...service, spec: ported }, allocator);
}

/** Without the external traffic policy, if the service is no longer external. */
function withoutOldPolicy(spec: Json, before: Json): Json {
  const { externalTrafficPolicy, ...rest } = spec;
  const isOld = externalTrafficPolicy === before['externalTrafficPolicy'];
  return isOld && isExternal(before) && !isExternal(spec) ? rest : spec;
}

function valuesOfType(spec: Json): Json {
  return isExternal(spec) ? { externalTrafficPolicy: 'Cluster' } : {};
}

/** Traffic from outside the cluster can reach the service. */
function isExternal({ type, externalIPs }: Json): boolean {
  if (type === 'NodePort' || type === 'LoadBalancer') return true;
  return type === 'ClusterIP' && Array.isArray(externalIPs) && externalIPs.length > 0;
}

function pointersOfType(spec: Json): Json {
  if (spec['type'] === 'ExternalName') return {};
  return {
    internalTrafficPolicy: 'Cluster',
    ...(spec['type'] === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  };
}

function needsNodePorts(spec: Json): boolean {
  if (spec['type'] === 'LoadBalancer') return spec['allocateLoadBalancerNodePorts'] !== false;
  return spec['type'] === 'NodePort';
}

function withNodePorts(spec: Json, allocator: ServiceAllocator): Json {
  const ported = withItems(spec, 'ports', (port) =>
    port['nodePort'] ? port : { ...port, nodePort: allocator.nodePort() },
  );
  const checksHealth = spec['type'] === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local';
  if (!checksHealth || spec['healthCheckNodePort']) return ported;
  return { ...ported, healthCheckNodePort: allocator.nodePort() };
}

function itemAt(value: Json, key: string, index: number): unknown {
  const list = value[key];
  return Array.isArray(list) ? list[index] : undefined;
}
