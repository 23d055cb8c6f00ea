/** What of an object its managers can own. */

import type { KubeObject } from '../control/kube-object.js';
import { type FieldSet, fieldPath, union } from '../ownership/field-set.js';
import type { Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import { orderTyped } from './field-order.js';

export type TrackedResource = Pick<
  Resource,
  'group' | 'version' | 'kind' | 'schema' | 'hasStatus' | 'isCustom'
>;

/** Fields that are the server's own and that nobody manages. */
export const UNMANAGED_FIELDS: FieldSet = [
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['metadata', field]),
]
  .map(fieldPath)
  .reduce(union);

/** Without its type and its managers, in the form of the wire: only there does one see what is set and what is merely zero. */
export function trackedForm(resource: TrackedResource, object: KubeObject): KubeObject {
  const { kind, apiVersion, ...rest } = object;
  const { managedFields, ...metadata } = rest.metadata ?? {};
  if (structOfKind(resource) !== undefined) return orderTyped(resource, { ...rest, metadata });
  return Object.keys(rest).length === 0 ? {} : { ...rest, metadata };
}

/** What the endpoint does not take over is not owned by who sent it. */
export function resetFields(resource: TrackedResource, subresource: string | undefined): FieldSet {
  if (subresource !== 'status') return resource.hasStatus ? fieldPath(['status']) : new Map();
  const paths = [['spec']];
  if (resource.isCustom) paths.push(['metadata']);
  switch (structOfKind(resource)) {
    case 'Pod':
      paths.push(['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']);
      break;
    case 'apps.Deployment':
      paths.push(['metadata', 'labels']);
      break;
  }
  return paths.map(fieldPath).reduce(union);
}
