/** Pods and pod templates: the rules that tests of controllers are likely to violate; not all of kube-apiserver's. */

import { isIP } from 'node:net';
import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { dns1123LabelProblems, dns1123SubdomainProblems, labelKeyProblems } from '../formats/name-formats.js';
import { isRecord } from '../json.js';
import type { StatusCause } from '../status-error.js';
import {
  checkSupported,
  duplicateValue,
  forbiddenValue,
  invalidValue,
  invalidValues,
  requiredValue,
} from './cause.js';
import { validateContainers } from './container-validation.js';
import { validateLabels } from './metadata-validation.js';

export const IP_MESSAGE = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const MAX_INT32 = 2_147_483_647;

/** The required name of each volume source. */
const VOLUME_NAMES: Readonly<Record<string, string>> = {
  secret: 'secretName',
  configMap: 'name',
  hostPath: 'path',
  persistentVolumeClaim: 'claimName',
};

export function validateNewPod(pod: Json): StatusCause[] {
  const spec = objectAt(pod, 'spec');
  const hasEphemeral = itemsAt(spec, 'ephemeralContainers').length > 0;
  return [
    ...validatePod(pod),
    ...(hasEphemeral ? [forbiddenValue('spec.ephemeralContainers', 'cannot be set on create')] : []),
  ];
}

/** Pods have a few more rules than templates. */
export function validatePod(pod: Json): StatusCause[] {
  const spec = objectAt(pod, 'spec');
  const spaced = itemsAt(spec, 'containers').flatMap((container, index) => {
    const image = String(container['image'] ?? '');
    if (image.trim() === image) return [];
    const message = 'must not have leading or trailing whitespace';
    return [invalidValue(`spec.containers[${index}].image`, image, message)];
  });
  return [...validatePodSpec(spec, 'spec'), ...spaced];
}

export function validatePodSpec(spec: Json, path: string): StatusCause[] {
  const volumes = itemsAt(spec, 'volumes');
  const volumeNames = volumes.map((volume) => String(volume['name'] ?? ''));
  const containers = itemsAt(spec, 'containers');
  const containerNames = containers.map((container) => String(container['name'] ?? ''));
  return [
    ...validateVolumes(volumes, `${path}.volumes`),
    ...(containers.length === 0
      ? [requiredValue(`${path}.containers`)]
      : validateContainers(containers, volumeNames, `${path}.containers`)),
    ...validateContainers(
      itemsAt(spec, 'initContainers'),
      volumeNames,
      `${path}.initContainers`,
      containerNames,
    ),
    ...checkSupported(`${path}.restartPolicy`, spec['restartPolicy'], RESTART_POLICIES),
    ...checkSupported(`${path}.dnsPolicy`, spec['dnsPolicy'], DNS_POLICIES),
    ...validateLabels(objectAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...validateSpread(itemsAt(spec, 'topologySpreadConstraints'), `${path}.topologySpreadConstraints`),
    ...validateNames(spec, path, ['serviceAccountName', 'nodeName'], dns1123SubdomainProblems),
    ...validateDeadline(spec['activeDeadlineSeconds'], `${path}.activeDeadlineSeconds`),
    ...validateNames(spec, path, ['hostname', 'subdomain'], dns1123LabelProblems),
    ...itemsAt(spec, 'tolerations').flatMap((toleration, index) =>
      validateToleration(toleration, `${path}.tolerations[${index}]`),
    ),
    ...itemsAt(spec, 'hostAliases').flatMap((alias, index) =>
      isIP(String(alias['ip'])) === 0
        ? [invalidValue(`${path}.hostAliases[${index}].ip`, alias['ip'] ?? '', IP_MESSAGE)]
        : [],
    ),
    ...validateNames(spec, path, ['priorityClassName', 'runtimeClassName'], dns1123SubdomainProblems),
  ];
}

/** Also for the taints of nodes. */
export function validateTaintEffect(effect: unknown, field: string): StatusCause[] {
  return checkSupported(field, effect, TAINT_EFFECTS);
}

function validateNames(
  spec: Json,
  path: string,
  fields: readonly string[],
  problemsOf: (name: string) => string[],
): StatusCause[] {
  return fields.flatMap((field) => {
    const name = String(spec[field] ?? '');
    return name === '' ? [] : invalidValues(`${path}.${field}`, name, problemsOf(name));
  });
}

function validateDeadline(seconds: unknown, field: string): StatusCause[] {
  if (typeof seconds !== 'number' || (seconds >= 1 && seconds <= MAX_INT32)) return [];
  return [invalidValue(field, seconds, `must be between 1 and ${MAX_INT32}, inclusive`)];
}

function validateVolumes(volumes: readonly Json[], path: string): StatusCause[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const name = String(volume['name'] ?? '');
    const isDuplicate = name !== '' && names.has(name);
    names.add(name);
    const sources = Object.keys(volume).filter((key) => isRecord(volume[key]));
    return [
      ...sources.flatMap((source, position) =>
        position === 0
          ? validateSource(source, objectAt(volume, source), at)
          : [forbiddenValue(`${at}.${source}`, 'may not specify more than 1 volume type')],
      ),
      ...(name === ''
        ? [requiredValue(`${at}.name`)]
        : invalidValues(`${at}.name`, name, dns1123LabelProblems(name))),
      ...(isDuplicate ? [duplicateValue(`${at}.name`, name)] : []),
    ];
  });
}

function validateSource(source: string, value: Json, path: string): StatusCause[] {
  const field = VOLUME_NAMES[source];
  return field === undefined || value[field] ? [] : [requiredValue(`${path}.${source}.${field}`)];
}

function validateToleration(toleration: Json, path: string): StatusCause[] {
  const { key, operator, value, effect, tolerationSeconds } = toleration as Record<
    string,
    string | undefined
  >;
  const matchAll = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  return [
    ...(key ? invalidValues(`${path}.key`, key, labelKeyProblems(key)) : []),
    ...(!key && operator !== 'Exists' ? [invalidValue(`${path}.operator`, operator ?? '', matchAll)] : []),
    ...(tolerationSeconds !== undefined && effect !== 'NoExecute'
      ? [
          invalidValue(
            `${path}.effect`,
            effect ?? '',
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : []),
    ...(operator ? checkSupported(`${path}.operator`, operator, ['Equal', 'Exists']) : []),
    ...(operator === 'Exists' && value
      ? [invalidValue(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(effect ? validateTaintEffect(effect, `${path}.effect`) : []),
  ];
}

function validateSpread(constraints: readonly Json[], path: string): StatusCause[] {
  return constraints.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const maxSkew = constraint['maxSkew'] ?? 0;
    return [
      ...(typeof maxSkew === 'number' && maxSkew <= 0
        ? [invalidValue(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]
        : []),
      ...(constraint['topologyKey'] ? [] : [requiredValue(`${at}.topologyKey`, 'can not be empty')]),
      ...checkSupported(`${at}.whenUnsatisfiable`, constraint['whenUnsatisfiable'], [
        'DoNotSchedule',
        'ScheduleAnyway',
      ]),
    ];
  });
}
