/** The values that field selectors compare. */

import type { KubeObject } from '../control/kube-object.js';
import { isRecord, LongInteger } from '../json.js';

/** Fields of built-in kinds that JSON omits when they are zero; selectors compare the zero value. */
const ZERO_VALUES: Readonly<Record<string, string>> = {
  'spec.hostNetwork': 'false',
  'spec.unschedulable': 'false',
  'status.succeeded': '0',
};

/** The value at a dotted path of `object` as a string for selectors; '' if there is none. */
export function selectableField(object: KubeObject, path: string, isCustom: boolean): string {
  if (isCustom) return spell(valueAt(object, path));
  switch (path) {
    case 'source':
      return spell(valueAt(object, 'source.component')) || spell(object['reportingComponent']);
    // Accepted as a field label, but never filled in by kube-apiserver.
    case 'status.podIPs':
      return '';
    default:
      return spell(valueAt(object, path)) || (ZERO_VALUES[path] ?? '');
  }
}

/** The value at a dotted path; undefined if there is none. */
export function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      object,
    );
}

function spell(value: unknown): string {
  if (value instanceof LongInteger) return value.digits;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
