/** What kube-apiserver's strategies do to an object between decoding and validation, by kind. */

import type { KubeObject } from '../control/kube-object.js';
import { itemsAt, objectAt } from '../defaults/json-fields.js';
import { newPodStatus } from '../defaults/new-pod-status.js';
import { allocateService, keepAllocations, type ServiceAllocator } from '../defaults/service-defaults.js';
import { withJobSelector } from '../defaults/workload-defaults.js';
import { initialStatus } from '../resources/definition-status.js';
import type { Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';

export interface CreationFacts extends ServiceAllocator {
  readonly uid: string;
  /** The current time in RFC 3339. */
  readonly time: string;
}

type KindOf = Pick<Resource, 'group' | 'kind' | 'hasStatus'>;

/** Expects a defaulted object with a name; the client's status is ignored. */
export function prepareForCreate(resource: KindOf, object: KubeObject, facts: CreationFacts): KubeObject {
  switch (structOfKind(resource)) {
    case 'Pod':
      return { ...object, status: newPodStatus(object, facts.time) };
    case 'Namespace':
      return { ...withKubernetesFinalizer(object), status: { phase: 'Active' } };
    // Kubelets register nodes with a status.
    case 'Node':
      return object;
    case 'Service':
      return allocateService(withoutStatus(object), facts) as KubeObject;
    case 'batch.Job':
      return withJobSelector(withoutStatus(object), facts.uid) as KubeObject;
    case 'apiextensions.CustomResourceDefinition':
      return { ...object, status: initialStatus(object) };
    default:
      return resource.hasStatus ? withoutStatus(object) : object;
  }
}

/** For a write of a defaulted object to the main endpoint: the status stays unchanged. */
export function prepareForUpdate(
  resource: KindOf,
  object: KubeObject,
  previous: KubeObject,
  allocator: ServiceAllocator,
): KubeObject {
  const kept = resource.hasStatus ? withStatusOf(previous, object) : object;
  switch (structOfKind(resource)) {
    case 'Namespace': {
      const finalizers = objectAt(previous, 'spec')['finalizers'];
      return { ...kept, spec: { ...objectAt(kept, 'spec'), finalizers } };
    }
    case 'Service':
      return keepAllocations(kept, previous, allocator) as KubeObject;
    case 'apiextensions.CustomResourceDefinition':
      return withStoredVersion(kept);
    default:
      return kept;
  }
}

/**
 * For a write of a defaulted object to the status endpoint: the spec stays unchanged. Labels and annotations may
 * change with the status, except those of custom resources. The caller sets managedFields.
 */
export function prepareForStatusUpdate(
  resource: KindOf,
  object: KubeObject,
  previous: KubeObject,
): KubeObject {
  const kept = withStatusOf(object, previous);
  switch (structOfKind(resource)) {
    case undefined:
      return kept;
    case 'Pod': {
      const status = objectAt(object, 'status');
      const qosClass = status['qosClass'] || objectAt(previous, 'status')['qosClass'];
      return {
        ...kept,
        metadata: withMember(object.metadata, 'ownerReferences', previous.metadata?.['ownerReferences']),
        status: { ...status, qosClass },
      };
    }
    case 'apps.Deployment':
      return { ...kept, metadata: withMember(object.metadata, 'labels', previous.metadata?.labels) };
    default:
      return { ...kept, metadata: object.metadata ?? {} };
  }
}

function withMember(
  metadata: KubeObject['metadata'],
  key: string,
  member: unknown,
): NonNullable<KubeObject['metadata']> {
  const rest = Object.fromEntries(Object.entries(metadata ?? {}).filter(([name]) => name !== key));
  return member === undefined ? rest : { ...rest, [key]: member };
}

function withStoredVersion(definition: KubeObject): KubeObject {
  const storage = itemsAt(objectAt(definition, 'spec'), 'versions').find(
    (version) => version['storage'] === true,
  );
  const status = objectAt(definition, 'status');
  const stored = Array.isArray(status['storedVersions']) ? status['storedVersions'] : [];
  if (storage === undefined || stored.includes(storage['name'])) return definition;
  return { ...definition, status: { ...status, storedVersions: [...stored, storage['name']] } };
}

function withKubernetesFinalizer(namespace: KubeObject): KubeObject {
  const spec = objectAt(namespace, 'spec');
  const finalizers = Array.isArray(spec['finalizers']) ? spec['finalizers'] : [];
  if (finalizers.includes('kubernetes')) return namespace;
  return { ...namespace, spec: { ...spec, finalizers: [...finalizers, 'kubernetes'] } };
}

function withoutStatus(object: KubeObject): KubeObject {
  const { status, ...rest } = object;
  return rest;
}

/** `object` with the status of `source`. */
export function withStatusOf(source: KubeObject, object: KubeObject): KubeObject {
  const { status, ...rest } = object;
  return source['status'] === undefined ? rest : { ...rest, status: source['status'] };
}
