/** Namespaces, nodes, leases, events, endpoints and endpoint slices. */

import { isIP } from 'node:net';
import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { labelKeyProblems } from '../formats/name-formats.js';
import { equalJson } from '../json.js';
import type { StatusCause } from '../status-error.js';
import {
  checkNotNegative,
  checkPort,
  checkSupported,
  duplicateValue,
  forbiddenValue,
  invalidValue,
  invalidValues,
  requiredValue,
} from './cause.js';
import { PROTOCOLS } from './container-validation.js';
import { validateFinalizerName } from './metadata-validation.js';
import { IP_MESSAGE, validateTaintEffect } from './pod-validation.js';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export function validateNamespace(namespace: Json): StatusCause[] {
  const finalizers = objectAt(namespace, 'spec')['finalizers'];
  if (!Array.isArray(finalizers)) return [];
  return finalizers.flatMap((name) => validateFinalizerName(String(name), 'spec.finalizers'));
}

/** kube-apiserver reports taints under metadata. */
export function validateNode(node: Json): StatusCause[] {
  const seen = new Set<string>();
  return itemsAt(objectAt(node, 'spec'), 'taints').flatMap((taint, index) => {
    const at = `metadata.taints[${index}]`;
    const pair = `${taint['key']}/${taint['effect']}`;
    const isTwin = seen.has(pair);
    seen.add(pair);
    const shown = {
      Key: taint['key'],
      Value: taint['value'] ?? '',
      Effect: taint['effect'],
      TimeAdded: taint['timeAdded'] ?? null,
    };
    return [
      ...invalidValues(`${at}.key`, taint['key'] ?? '', labelKeyProblems(String(taint['key'] ?? ''))),
      ...validateTaintEffect(taint['effect'], `${at}.effect`),
      ...(isTwin ? [duplicateValue(at, shown, 'taints must be unique by key and effect pair')] : []),
    ];
  });
}

export function validateNodeUpdate(node: Json, previous: Json): StatusCause[] {
  const spec = objectAt(node, 'spec');
  const before = objectAt(previous, 'spec');
  const hasChanged = (key: string): boolean =>
    Boolean(before[key]) && !equalJson(spec[key] ?? null, before[key] ?? null);
  const message = (name: string): string => `node updates may not change ${name} except from "" to valid`;
  return [
    ...(hasChanged('podCIDRs') ? [forbiddenValue('spec.podCIDRs', message('podCIDR'))] : []),
    ...(hasChanged('providerID') ? [forbiddenValue('spec.providerID', message('providerID'))] : []),
  ];
}

export function validateLease(lease: Json): StatusCause[] {
  const spec = objectAt(lease, 'spec');
  const duration = spec['leaseDurationSeconds'];
  const isInstant = typeof duration === 'number' && duration <= 0;
  return [
    ...(isInstant ? [invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0')] : []),
    ...checkNotNegative('spec.leaseTransitions', spec['leaseTransitions']),
  ];
}

/** `reference` is the field of the object that the event is about; its path in messages is always that of core/v1. */
export function validateEvent(event: Json, reference: 'involvedObject' | 'regarding'): StatusCause[] {
  const namespace = objectAt(event, 'metadata')['namespace'] ?? '';
  const about = objectAt(event, reference)['namespace'] ?? '';
  // Events about cluster-scoped objects are in the default namespace.
  const isAllowed = about === namespace || (about === '' && namespace === 'default');
  return [
    ...(isAllowed ? [] : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]),
    ...(reference === 'regarding' ? validateRegardingEvent(event) : []),
  ];
}

function validateRegardingEvent(event: Json): StatusCause[] {
  const type = event['type'] ?? '';
  const typeCauses =
    type === 'Normal' || type === 'Warning' ? [] : [invalidValue('type', type, `has invalid value: ${type}`)];
  if (!event['eventTime']) return [requiredValue('eventTime'), ...typeCauses];
  const controller = String(event['reportingController'] ?? '');
  return [
    ...(controller === '' ? [requiredValue('reportingController')] : []),
    ...invalidValues('reportingController', controller, labelKeyProblems(controller)),
    ...['reportingInstance', 'action', 'reason']
      .filter((key) => !event[key])
      .map((key) => requiredValue(key)),
    ...typeCauses,
  ];
}

export function validateEndpoints(endpoints: Json): StatusCause[] {
  return itemsAt(endpoints, 'subsets').flatMap((subset, index) => {
    const at = `subsets[${index}]`;
    const lists = ['addresses', 'notReadyAddresses'];
    const ports = itemsAt(subset, 'ports');
    if (lists.every((list) => itemsAt(subset, list).length === 0)) {
      return [requiredValue(at, 'must specify `addresses` or `notReadyAddresses`')];
    }
    return [
      ...lists.flatMap((list) =>
        itemsAt(subset, list).flatMap((address, position) =>
          validateAddress(address['ip'], `${at}.${list}[${position}].ip`),
        ),
      ),
      ...ports.flatMap((port, position) => [
        ...(ports.length > 1 && !port['name'] ? [requiredValue(`${at}.ports[${position}].name`)] : []),
        ...checkPort(`${at}.ports[${position}].port`, port['port']),
        ...checkSupported(`${at}.ports[${position}].protocol`, port['protocol'], PROTOCOLS),
      ]),
    ];
  });
}

export function validateEndpointSlice(slice: Json): StatusCause[] {
  const type = slice['addressType'];
  if (!type) return [requiredValue('addressType')];
  return [
    ...checkSupported('addressType', type, ADDRESS_TYPES),
    ...itemsAt(slice, 'ports').flatMap((port, index) =>
      checkSupported(`ports[${index}].protocol`, port['protocol'], PROTOCOLS),
    ),
    ...itemsAt(slice, 'endpoints').flatMap((endpoint, index) => {
      const at = `endpoints[${index}].addresses`;
      const addresses = Array.isArray(endpoint['addresses']) ? endpoint['addresses'] : [];
      if (addresses.length === 0) return [requiredValue(at, 'must contain at least 1 address')];
      if (type !== 'IPv4' && type !== 'IPv6') return [];
      return addresses.flatMap((address, position) => validateAddress(address, `${at}[${position}]`));
    }),
  ];
}

export function validateEndpointSliceUpdate(slice: Json, previous: Json): StatusCause[] {
  const type = slice['addressType'];
  return type === previous['addressType'] ? [] : [invalidValue('addressType', type, 'field is immutable')];
}

function validateAddress(address: unknown, field: string): StatusCause[] {
  return isIP(String(address)) === 0 ? [invalidValue(field, address ?? '', IP_MESSAGE)] : [];
}
