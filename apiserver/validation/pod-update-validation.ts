/** The few fields in the spec of an existing pod that may change. */

import { itemsAt, type Json, objectAt } from '../defaults/json-fields.js';
import { encodeJson, equalJson, isRecord } from '../json.js';
import type { StatusCause } from '../status-error.js';
import { forbiddenValue, invalidValue, requiredValue } from './cause.js';

const UPDATABLE_FIELDS = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** Compares both in wire form, in which an omitted default is no change. */
export function validatePodUpdate(pod: Json, previous: Json): StatusCause[] {
  const spec = objectAt(pod, 'spec');
  const before = objectAt(previous, 'spec');
  for (const list of ['containers', 'initContainers']) {
    const causes = validateImages(itemsAt(spec, list), itemsAt(before, list), `spec.${list}`);
    if (causes !== undefined) return causes;
  }
  const images = ['containers', 'initContainers'].flatMap((list) => emptyImages(spec, list));
  const deadline = validateDeadline(spec['activeDeadlineSeconds'], before['activeDeadlineSeconds']);
  const isTooLate = deadline.length > 0 && typeof spec['activeDeadlineSeconds'] === 'number';
  if (isTooLate) return [...images, ...deadline];
  return [
    ...images,
    ...deadline,
    ...validateTolerations(itemsAt(spec, 'tolerations'), itemsAt(before, 'tolerations')),
    ...validateGates(itemsAt(spec, 'schedulingGates'), itemsAt(before, 'schedulingGates')),
    ...validateRest(spec, before),
  ];
}

/** Undefined if the lists have the same length. */
function validateImages(
  after: readonly Json[],
  before: readonly Json[],
  path: string,
): StatusCause[] | undefined {
  if (after.length === before.length) return undefined;
  return [forbiddenValue(path, 'pod updates may not add or remove containers')];
}

function emptyImages(spec: Json, list: string): StatusCause[] {
  return itemsAt(spec, list).flatMap((container, index) =>
    container['image'] ? [] : [requiredValue(`spec.${list}[${index}].image`)],
  );
}

function validateDeadline(after: unknown, before: unknown): StatusCause[] {
  const field = 'spec.activeDeadlineSeconds';
  if (typeof before !== 'number') return [];
  if (typeof after !== 'number') {
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  }
  return after > before ? [invalidValue(field, after, 'must be less than or equal to previous value')] : [];
}

function validateTolerations(after: readonly Json[], before: readonly Json[]): StatusCause[] {
  const withoutSeconds = ({ tolerationSeconds, ...rest }: Json): Json => rest;
  const isKept = (old: Json): boolean =>
    after.some((toleration) => equalJson(withoutSeconds(toleration), withoutSeconds(old)));
  if (before.every(isKept)) return [];
  const message = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbiddenValue('spec.tolerations', message)];
}

function validateGates(after: readonly Json[], before: readonly Json[]): StatusCause[] {
  const names = before.map((gate) => gate['name']);
  return after.flatMap((gate, index) => {
    if (names.includes(gate['name'])) return [];
    const message = `only deletion is allowed, but found new scheduling gate '${gate['name']}'`;
    return [forbiddenValue(`spec.schedulingGates[${index}].name`, message)];
  });
}

function validateRest(spec: Json, before: Json): StatusCause[] {
  const isGated = itemsAt(before, 'schedulingGates').length > 0;
  const isShortened =
    Number(before['terminationGracePeriodSeconds']) < 0 && spec['terminationGracePeriodSeconds'] === 1;
  const free = [
    'activeDeadlineSeconds',
    'tolerations',
    'schedulingGates',
    ...(isGated ? ['nodeSelector', 'affinity'] : []),
    ...(isShortened ? ['terminationGracePeriodSeconds'] : []),
  ];
  const [left, right] = [before, spec].map((side) =>
    Object.fromEntries(
      Object.entries(side)
        .filter(([key]) => !free.includes(key))
        .map(([key, value]) => [key, /^(c|initC)ontainers$/.test(key) ? withoutImages(value) : value]),
    ),
  ) as [Json, Json];
  if (equalJson(left, right)) return [];
  const message = `pod updates may not change fields other than ${UPDATABLE_FIELDS.join(',')}\n`;
  return [forbiddenValue('spec', message + changes(left, right))];
}

function withoutImages(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((container) => (isRecord(container) ? { ...container, image: '' } : container));
}

/** Similar to the real diff, which shows Go's internal types with context lines. */
function changes(before: Json, after: Json): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => !equalJson(before[key] ?? null, after[key] ?? null))
    .map((key) => {
      const name = key.charAt(0).toUpperCase() + key.slice(1);
      const line = (sign: string, value: unknown): string =>
        `${sign} "${name}": ${encodeJson(value ?? null)},\n`;
      return line('-', before[key]) + line('+', after[key]);
    })
    .join('');
}
