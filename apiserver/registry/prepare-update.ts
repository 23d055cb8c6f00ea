import type { KubeObject } from '../control/kube-object.js';
import { serviceAllocator } from '../defaults/service-defaults.js';
import { equalJson } from '../json.js';
import { pruneAndDefault, validateSchema } from '../objects/custom-schema.js';
import { applyDefaults } from '../objects/defaults.js';
import { validateReplicas } from '../objects/scale.js';
import {
  prepareForStatusUpdate,
  prepareForUpdate as prepareKindForUpdate,
  withStatusOf,
} from '../objects/strategies.js';
import { validateObject } from '../objects/validation.js';
import type { Resource } from '../resources/resource.js';
import { invalid, unknownResource } from '../status-error.js';
import { checkIdentity, metadataOf } from './metadata.js';
import type { ObjectAccess, WriteOptions } from './object-access.js';
import { withManagedFields } from './write-managed-fields.js';

/** Keeps what clients may not change, restricts subresources to their part, and validates the result. */
export function prepareForUpdate(
  access: ObjectAccess,
  resource: Resource,
  received: KubeObject,
  current: KubeObject,
  options: WriteOptions,
): KubeObject {
  checkSubresource(resource, options);
  checkIdentity(metadataOf(received), metadataOf(current));
  const sent = defaulted(resource, received, current, options);
  const kept = withKeptMetadata(resource, prepareKind(access, resource, sent, current, options), current);
  const next = withManagedFields(access, resource, kept, { received, sent, previous: current, options });
  const causes = [
    ...(resource.schema === undefined ? [] : validateSchema(resource.schema, next)),
    ...(resource.isCustom ? validateReplicas(resource, next) : []),
    ...validateObject(resource, next, current, options),
  ];
  if (causes.length > 0) throw invalid(resource.group, resource.kind, metadataOf(current).name ?? '', causes);
  return next;
}

/** What the client sent, with defaults; for a custom resource already restricted to its endpoint's part. */
function defaulted(
  resource: Resource,
  received: KubeObject,
  current: KubeObject,
  options: WriteOptions,
): KubeObject {
  if (!resource.isCustom) return applyDefaults(resource, received);
  const confined =
    options.subresource === 'status'
      ? { ...current, status: received['status'] }
      : resource.hasStatus
        ? withStatusOf(current, received)
        : received;
  if (resource.schema === undefined) return confined;
  const nulls = options.isTracked === true ? 'kept' : 'dropped';
  const { object, unknownFields } = pruneAndDefault(resource.schema, confined, nulls);
  for (const field of unknownFields) options.warn?.(`unknown field ${JSON.stringify(field)}`);
  return object;
}

/** Restricts the change of a built-in kind to the endpoint's part. */
function prepareKind(
  access: ObjectAccess,
  resource: Resource,
  object: KubeObject,
  current: KubeObject,
  { subresource }: WriteOptions,
): KubeObject {
  if (resource.isCustom) return object;
  if (subresource === 'status') return prepareForStatusUpdate(resource, object, current);
  if (subresource === 'finalize') return withStatusOf(current, object);
  return prepareKindForUpdate(resource, object, current, serviceAllocator(access.environment.random));
}

const KEPT_METADATA = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'namespace',
] as const;

function withKeptMetadata(resource: Resource, next: KubeObject, current: KubeObject): KubeObject {
  const before = metadataOf(current);
  const metadata = { ...metadataOf(next) };
  for (const field of resource.hasGeneration ? [...KEPT_METADATA, 'generation' as const] : KEPT_METADATA) {
    if (before[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: before[field] });
  }
  return { ...next, metadata };
}

/**
 * True if metadata.generation must increase: the desired state changed, not only the observed one. Expects stored
 * items.
 */
export function isSpecChanged(resource: Resource, next: KubeObject, current: KubeObject): boolean {
  if (!resource.hasGeneration) return false;
  return !equalJson(desired(resource, next), desired(resource, current));
}

function desired(resource: Resource, { metadata, status, ...content }: KubeObject): unknown {
  if (resource.isCustom) return resource.hasStatus ? content : { ...content, status };
  switch (resource.kind) {
    // Annotations control rollouts.
    case 'Deployment':
      return [content, metadata?.annotations];
    case 'EndpointSlice':
      return [content, metadata?.labels];
    default:
      return content;
  }
}

/** Rejects unknown subresources, which would otherwise be a write to the complete object. */
function checkSubresource(resource: Resource, { subresource }: WriteOptions): void {
  if (subresource === undefined || (subresource === 'status' && resource.hasStatus)) return;
  if (subresource !== 'finalize' || !resource.subresources.includes('finalize')) throw unknownResource();
}
