/** Validation of objects, as kube-apiserver does it before storing them. */

import type { KubeObject } from '../control/kube-object.js';
import type { Json } from '../defaults/json-fields.js';
import type { Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import type { StatusCause } from '../status-error.js';
import {
  validateEndpointSlice,
  validateEndpointSliceUpdate,
  validateEndpoints,
  validateEvent,
  validateLease,
  validateNamespace,
  validateNode,
  validateNodeUpdate,
} from '../validation/cluster-validation.js';
import {
  validateConfigMap,
  validateImmutableData,
  validateSecret,
  validateSecretUpdate,
} from '../validation/data-validation.js';
import {
  validateDefinition,
  validateDefinitionUpdate,
  validateNewDefinition,
} from '../validation/definition-validation.js';
import {
  distinctCauses,
  hasDistinctCauses,
  validateMetadataUpdate,
  validateNewMetadata,
} from '../validation/metadata-validation.js';
import { validatePodUpdate } from '../validation/pod-update-validation.js';
import { validateNewPod, validatePod } from '../validation/pod-validation.js';
import { validateService, validateServiceUpdate } from '../validation/service-validation.js';
import {
  validateDeployment,
  validateJob,
  validateJobUpdate,
  validateReplicaSet,
  validateReplicaStatus,
  validateSelectorUpdate,
} from '../validation/workload-validation.js';
import { orderTyped } from './field-order.js';

interface KindRules {
  readonly create: (object: Json) => StatusCause[];
  /** Rules for the change; the rules for new objects apply too. */
  readonly update?: (object: Json, previous: Json) => StatusCause[];
  /** For kinds whose existing objects have other rules than new ones. */
  readonly existing?: (object: Json) => StatusCause[];
  readonly status?: (object: Json) => StatusCause[];
}

/** By the name of the Go struct. */
const RULES: Readonly<Record<string, KindRules>> = {
  Pod: { create: validateNewPod, existing: validatePod, update: validatePodUpdate },
  Service: { create: validateService, update: validateServiceUpdate },
  ConfigMap: { create: validateConfigMap, update: validateImmutableData },
  Secret: { create: validateSecret, update: validateSecretUpdate },
  Namespace: { create: validateNamespace },
  Node: { create: validateNode, update: validateNodeUpdate },
  Event: { create: (event) => validateEvent(event, 'involvedObject') },
  Endpoints: { create: validateEndpoints },
  'apps.Deployment': {
    create: validateDeployment,
    update: validateSelectorUpdate,
    status: validateReplicaStatus,
  },
  'apps.ReplicaSet': {
    create: validateReplicaSet,
    update: validateSelectorUpdate,
    status: validateReplicaStatus,
  },
  'batch.Job': { create: validateJob, update: validateJobUpdate },
  'coordination.Lease': { create: validateLease },
  'discovery.EndpointSlice': { create: validateEndpointSlice, update: validateEndpointSliceUpdate },
  'events.Event': { create: (event) => validateEvent(event, 'regarding') },
  'apiextensions.CustomResourceDefinition': {
    create: validateNewDefinition,
    existing: validateDefinition,
    update: validateDefinitionUpdate,
  },
};

export interface ValidationOptions {
  readonly subresource?: string | undefined;
}

/**
 * Expects a defaulted and prepared object; empty when it is valid. With `previous` it is an update. The schema of
 * a custom resource is checked by custom-schema.ts.
 */
export function validateObject(
  resource: Pick<Resource, 'group' | 'kind' | 'isNamespaced'>,
  object: KubeObject,
  previous?: KubeObject,
  options: ValidationOptions = {},
): StatusCause[] {
  const causes = allCauses(resource, object, previous, options);
  return hasDistinctCauses(resource) ? distinctCauses(causes) : causes;
}

function allCauses(
  resource: Pick<Resource, 'group' | 'kind' | 'isNamespaced'>,
  object: KubeObject,
  previous: KubeObject | undefined,
  { subresource }: ValidationOptions,
): StatusCause[] {
  const after = orderTyped(resource, object);
  const rules = RULES[structOfKind(resource) ?? ''];
  if (previous === undefined) {
    return [...validateNewMetadata(resource, after), ...(rules?.create(after) ?? [])];
  }
  const before = orderTyped(resource, previous);
  const metadata = validateMetadataUpdate(resource, after, before);
  if (subresource === 'status') return [...metadata, ...(rules?.status?.(after) ?? [])];
  const standing = rules?.existing ?? rules?.create;
  return [...metadata, ...(standing?.(after) ?? []), ...(rules?.update?.(after, before) ?? [])];
}
