/** What a field selector may ask of an object: the value under a label, and the refusal of a label. */

import type { KubeObject } from '../control.js';
import { isRecord, LongInteger } from '../json.js';
import type { Resource } from './resource.js';

/** Values of fields that the wire leaves out at their zero, by label. */
const ZERO_VALUES: Readonly<Record<string, string>> = {
  'spec.hostNetwork': 'false',
  'spec.unschedulable': 'false',
  'status.successful': '0',
};

/** Empty when the field is not there; undefined when the resource does not know the label. */
export function fieldLabelValue(resource: Resource, label: string, object: KubeObject): string | undefined {
  if (!isFieldLabel(resource, label)) return undefined;
  if (label === 'metadata.name') return object.metadata?.name ?? '';
  if (label === 'metadata.namespace') return object.metadata?.namespace ?? '';
  const value = textAt(object, resource.selectableFields[label] ?? label);
  if (value !== '' || resource.isCustom) return value;
  if (resource.kind === 'Event' && label === 'source') return textAt(object, 'reportingComponent');
  return ZERO_VALUES[label] ?? '';
}

export function isFieldLabel(resource: Resource, label: string): boolean {
  if (label === 'metadata.name') return true;
  if (label === 'metadata.namespace') return resource.isNamespaced || !hasOwnLabels(resource);
  return Object.hasOwn(resource.selectableFields, label);
}

/** The message of the 400 for a label that `isFieldLabel` denies. */
export function unsupportedFieldLabel(resource: Resource, label: string): string {
  if (!resource.isCustom && resource.kind === 'Job') {
    return `field label ${JSON.stringify(label)} not supported for Job`;
  }
  return hasOwnLabels(resource)
    ? `field label not supported: ${label}`
    : `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** kube-apiserver words it another way for types that brought no list of their own. */
function hasOwnLabels(resource: Resource): boolean {
  return resource.isCustom || Object.keys(resource.selectableFields).length > 0;
}

function textAt(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const step of path.replace(/^\./, '').split('.')) {
    if (!isRecord(value)) return '';
    value = value[step];
  }
  if (value instanceof LongInteger) return value.text;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
