/** Containers of pods and of pod templates. */

import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../formats/name-formats.js';
import { milliValue } from '../formats/quantity.js';
import { isRecord } from '../json.js';
import type { StatusCause } from '../status-error.js';
import {
  checkNotNegative,
  checkPort,
  checkPortName,
  checkSupported,
  duplicateValue,
  forbiddenValue,
  invalidValue,
  invalidValues,
  missingValue,
  requiredValue,
} from './cause.js';

export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const VALUE_SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const PROBE_NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];
const ENV_NAME_MESSAGE =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** Validates one list of containers; `taken` are the names in other lists. */
export function validateContainers(
  containers: readonly Json[],
  volumes: readonly string[],
  path: string,
  taken: readonly string[] = [],
): StatusCause[] {
  const names = new Set(taken);
  return containers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const name = String(container['name'] ?? '');
    const isDuplicate = name !== '' && names.has(name);
    names.add(name);
    return [
      ...validateContainer(container, volumes, at),
      ...(isDuplicate ? [duplicateValue(`${at}.name`, name)] : []),
      ...PROBES.flatMap((probe) => validateProbe(container[probe], `${at}.${probe}`)),
    ];
  });
}

function validateContainer(container: Json, volumes: readonly string[], path: string): StatusCause[] {
  const name = String(container['name'] ?? '');
  return [
    ...(name === ''
      ? [requiredValue(`${path}.name`)]
      : invalidValues(`${path}.name`, name, dns1123LabelProblems(name))),
    ...(container['image'] ? [] : [requiredValue(`${path}.image`)]),
    ...checkSupported(
      `${path}.terminationMessagePolicy`,
      container['terminationMessagePolicy'],
      MESSAGE_POLICIES,
    ),
    ...validatePorts(itemsAt(container, 'ports'), `${path}.ports`),
    ...itemsAt(container, 'env').flatMap((variable, index) => validateEnv(variable, `${path}.env[${index}]`)),
    ...validateMounts(itemsAt(container, 'volumeMounts'), volumes, `${path}.volumeMounts`),
    ...checkSupported(`${path}.imagePullPolicy`, container['imagePullPolicy'], PULL_POLICIES),
    ...validateResources(objectAt(container, 'resources'), `${path}.resources`),
  ];
}

function validatePorts(ports: readonly Json[], path: string): StatusCause[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const name = String(port['name'] ?? '');
    const isDuplicate = name !== '' && names.has(name);
    names.add(name);
    return [
      ...(name === '' ? [] : checkPortName(`${at}.name`, name)),
      ...(isDuplicate ? [duplicateValue(`${at}.name`, name)] : []),
      ...(port['containerPort']
        ? checkPort(`${at}.containerPort`, port['containerPort'])
        : [requiredValue(`${at}.containerPort`)]),
      ...(port['hostPort'] ? checkPort(`${at}.hostPort`, port['hostPort']) : []),
      ...checkSupported(`${at}.protocol`, port['protocol'], PROTOCOLS),
    ];
  });
}

function validateEnv(variable: Json, path: string): StatusCause[] {
  const name = String(variable['name'] ?? '');
  const source = variable['valueFrom'];
  return [
    ...(name === '' ? [requiredValue(`${path}.name`)] : []),
    ...(name !== '' && !/^[ -<>-~]+$/.test(name)
      ? [invalidValue(`${path}.name`, name, ENV_NAME_MESSAGE)]
      : []),
    ...(isRecord(source) ? validateValueFrom(variable, source, `${path}.valueFrom`) : []),
  ];
}

function validateValueFrom(variable: Json, source: Json, path: string): StatusCause[] {
  const sources = VALUE_SOURCES.filter((key) => isRecord(source[key]));
  const causes = ['configMapKeyRef', 'secretKeyRef'].flatMap((key) => {
    if (!sources.includes(key)) return [];
    const reference = objectAt(source, key);
    const name = String(reference['name'] ?? '');
    return [
      ...invalidValues(`${path}.${key}.name`, name, dns1123SubdomainProblems(name)),
      ...(reference['key'] ? [] : [requiredValue(`${path}.${key}.key`)]),
    ];
  });
  if (sources.length === 0) {
    const list = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalidValue(path, '', `must specify one of: ${list}`)];
  }
  if (variable['value'])
    return [...causes, invalidValue(path, '', 'may not be specified when `value` is not empty')];
  const isAmbiguous = sources.length > 1;
  return isAmbiguous
    ? [...causes, invalidValue(path, '', 'may not have more than one field specified at a time')]
    : causes;
}

function validateMounts(mounts: readonly Json[], volumes: readonly string[], path: string): StatusCause[] {
  const places = new Set<unknown>();
  return mounts.flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const name = String(mount['name'] ?? '');
    const place = mount['mountPath'];
    const isDuplicate = places.has(place);
    places.add(place);
    return [
      ...(name === '' ? [requiredValue(`${at}.name`)] : []),
      ...(volumes.includes(name) ? [] : [missingValue(`${at}.name`, name)]),
      ...(place ? [] : [requiredValue(`${at}.mountPath`)]),
      ...(isDuplicate ? [invalidValue(`${at}.mountPath`, place, 'must be unique')] : []),
    ];
  });
}

function validateProbe(probe: unknown, path: string): StatusCause[] {
  if (!isRecord(probe)) return [];
  const handlers = HANDLERS.filter((handler) => isRecord(probe[handler]));
  return [
    ...(handlers.length === 0 ? [requiredValue(path, 'must specify a handler type')] : []),
    ...handlers.flatMap((handler, index) =>
      index === 0
        ? validateHandler(handler, objectAt(probe, handler), `${path}.${handler}`)
        : [forbiddenValue(`${path}.${handler}`, 'may not specify more than 1 handler type')],
    ),
    ...PROBE_NUMBERS.flatMap((key) => checkNotNegative(`${path}.${key}`, probe[key])),
  ];
}

function validateHandler(handler: string, action: Json, path: string): StatusCause[] {
  if (handler === 'exec') {
    const command = action['command'];
    return Array.isArray(command) && command.length > 0 ? [] : [requiredValue(`${path}.command`)];
  }
  const port = action['port'];
  return typeof port === 'string' ? checkPortName(`${path}.port`, port) : checkPort(`${path}.port`, port);
}

function validateResources(resources: Json, path: string): StatusCause[] {
  const limits = objectAt(resources, 'limits');
  const requests = objectAt(resources, 'requests');
  return [
    ...Object.keys(limits).flatMap((name) => checkAmount(limits[name], `${path}.limits[${name}]`)),
    ...Object.keys(requests).flatMap((name) => {
      const limit = milliValue(limits[name]);
      const request = milliValue(requests[name]) ?? 0;
      const detail = `must be less than or equal to ${name} limit of ${limits[name]}`;
      return [
        ...checkAmount(requests[name], `${path}.requests[${name}]`),
        ...(limit !== undefined && request > limit
          ? [invalidValue(`${path}.requests`, requests[name], detail)]
          : []),
      ];
    }),
  ];
}

function checkAmount(amount: unknown, path: string): StatusCause[] {
  const isNegative = (milliValue(amount) ?? 0) < 0;
  return isNegative ? [invalidValue(path, amount, 'must be greater than or equal to 0')] : [];
}
