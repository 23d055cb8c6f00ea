/** Services. */

import { isIP } from 'node:net';
import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import type { StatusCause } from '../status-error.js';
import {
  checkPort,
  checkPortName,
  checkSupported,
  duplicateValue,
  invalidValue,
  requiredValue,
} from './cause.js';
import { PROTOCOLS } from './container-validation.js';
import { validateLabels } from './metadata-validation.js';
import { IP_MESSAGE } from './pod-validation.js';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export function validateService(service: Json): StatusCause[] {
  const spec = objectAt(service, 'spec');
  const type = spec['type'];
  const isHeadless = spec['clusterIP'] === 'None';
  const ports = itemsAt(spec, 'ports');
  const needsPorts = type !== 'ExternalName' && !isHeadless;
  return [
    ...(needsPorts && ports.length === 0 ? [requiredValue('spec.ports')] : []),
    ...(isHeadless && (type === 'LoadBalancer' || type === 'NodePort')
      ? [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
      : []),
    ...(type === 'ExternalName' && !spec['externalName'] ? [requiredValue('spec.externalName')] : []),
    ...validatePorts(ports),
    ...validateLabels(objectAt(spec, 'selector'), 'spec.selector'),
    ...checkSupported('spec.sessionAffinity', spec['sessionAffinity'], ['ClientIP', 'None']),
    ...validateClusterIP(spec),
    ...checkSupported('spec.type', type, TYPES),
  ];
}

export function validateServiceUpdate(service: Json, previous: Json): StatusCause[] {
  const spec = objectAt(service, 'spec');
  const before = objectAt(previous, 'spec');
  const isAddressed = (one: Json): boolean => one['type'] !== 'ExternalName' && Boolean(one['clusterIP']);
  const hasMoved = isAddressed(spec) && isAddressed(before) && spec['clusterIP'] !== before['clusterIP'];
  return hasMoved ? [invalidValue('spec.clusterIPs[0]', [spec['clusterIP']], 'may not change once set')] : [];
}

function validatePorts(ports: readonly Json[]): StatusCause[] {
  const names = new Set<unknown>();
  const pairs = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const name = String(port['name'] ?? '');
    const pair = `${port['protocol']}/${port['port']}`;
    const hasTwin = pairs.has(pair);
    const isNamesake = name !== '' && names.has(name);
    names.add(name);
    pairs.add(pair);
    const target = port['targetPort'];
    return [
      ...(name === '' && ports.length > 1 ? [requiredValue(`${at}.name`)] : []),
      ...(isNamesake ? [duplicateValue(`${at}.name`, name)] : []),
      ...checkPort(`${at}.port`, port['port']),
      ...checkSupported(`${at}.protocol`, port['protocol'], PROTOCOLS),
      ...(typeof target === 'string'
        ? checkPortName(`${at}.targetPort`, target)
        : checkPort(`${at}.targetPort`, target)),
      ...(hasTwin ? [duplicateValue(at, twin(port))] : []),
    ];
  });
}

/** As Go prints the compared part of its internal struct. */
function twin(port: Json): Json {
  return {
    Name: '',
    Protocol: port['protocol'],
    AppProtocol: null,
    Port: port['port'],
    TargetPort: 0,
    NodePort: 0,
  };
}

function validateClusterIP(spec: Json): StatusCause[] {
  const ip = spec['clusterIP'];
  if (typeof ip !== 'string' || ip === '' || ip === 'None' || isIP(ip) !== 0) return [];
  return [invalidValue('spec.clusterIPs[0]', ip, IP_MESSAGE)];
}
