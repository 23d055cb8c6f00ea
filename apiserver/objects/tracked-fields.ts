/** The part of an object that managedFields track. */

import type { KubeObject } from '../control/kube-object.js';
import { type FieldSet, fieldPath, union } from '../ownership/field-set.js';
import type { Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import { orderTyped } from './field-order.js';

export type TrackedResource = Pick<
  Resource,
  'group' | 'version' | 'kind' | 'schema' | 'hasStatus' | 'isCustom'
>;

/** Fields that belong to the server and have no manager. */
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

/** The object without its type and managedFields, in wire form, which distinguishes set fields from zero values. */
export function trackedForm(resource: TrackedResource, object: KubeObject): KubeObject {
  const { kind, apiVersion, ...rest } = object;
  const { managedFields, ...metadata } = rest.metadata ?? {};
  if (structOfKind(resource) !== undefined) return orderTyped(resource, { ...rest, metadata });
  return Object.keys(rest).length === 0 ? {} : { ...rest, metadata };
}

/** Fields that the endpoint ignores are not owned by the client that sent them. */
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
