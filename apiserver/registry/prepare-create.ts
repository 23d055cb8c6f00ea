import type { KubeObject } from '../control/kube-object.js';
import { serviceAllocator } from '../defaults/service-defaults.js';
import { isRecord } from '../json.js';
import { pruneAndDefault, validateSchema } from '../objects/custom-schema.js';
import { applyDefaults } from '../objects/defaults.js';
import { generatedName } from '../objects/generate-name.js';
import { validateReplicas } from '../objects/scale.js';
import { prepareForCreate as prepareKindForCreate } from '../objects/strategies.js';
import { validateObject } from '../objects/validation.js';
import type { Resource } from '../resources/resource.js';
import { alreadyExists, badRequest, invalid, notFound, StatusError } from '../status-error.js';
import { type Metadata, metadataOf } from './metadata.js';
import type { ObjectAccess, WriteOptions } from './object-access.js';
import { withManagedFields } from './write-managed-fields.js';

/** How often kube-apiserver tries to generate an unused name. */
const NAME_TRIES = 8;

/** Names the object, removes what clients may not set, fills in defaults and validates it. */
export function prepareForCreate(
  registry: ObjectAccess,
  resource: Resource,
  namespace: string | undefined,
  received: KubeObject,
  options: WriteOptions,
): KubeObject {
  let object = received;
  const metadata = metadataOf(object);
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
    throw new StatusError(500, undefined, 'resourceVersion should not be set on objects to be created');
  }
  placeIn(resource, metadata, namespace);
  const isGenerated = (metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '';
  const exists = (name: string): boolean =>
    registry.find({ resource, namespace: metadata.namespace, name }) !== undefined;
  if (isGenerated) nameIt(registry, resource, metadata, exists);
  checkNamespace(registry, resource, metadata);
  wipe(registry, resource, metadata);
  if (options.isTracked !== true) delete metadata.managedFields;

  const sent = defaulted(resource, object, options);
  object = withManagedFields(registry, resource, prepareKind(registry, resource, sent), {
    received: object,
    sent,
    previous: undefined,
    options,
  });
  const causes = validateObject(resource, object);
  if (causes.length > 0) throw invalid(resource.group, resource.kind, metadataOf(object).name ?? '', causes);
  const name = metadataOf(object).name ?? '';
  const existing = registry.find({ resource, namespace: metadata.namespace, name });
  if (existing !== undefined) {
    const isTerminating = metadataOf(existing.parse()).deletionTimestamp !== undefined;
    throw alreadyExists(resource, name, isTerminating ? 'object is being deleted: ' : '');
  }
  return object;
}

function defaulted(resource: Resource, received: KubeObject, options: WriteOptions): KubeObject {
  return resource.isCustom ? checkCustom(resource, received, options) : applyDefaults(resource, received);
}

function prepareKind(registry: ObjectAccess, resource: Resource, object: KubeObject): KubeObject {
  const { environment } = registry;
  if (resource.isCustom) return object;
  return prepareKindForCreate(resource, object, {
    uid: metadataOf(object).uid ?? '',
    time: environment.timestamp(),
    ...serviceAllocator(environment.random),
  });
}

function placeIn(resource: Resource, metadata: Metadata, namespace: string | undefined): void {
  if (!resource.isNamespaced) {
    delete metadata.namespace;
    return;
  }
  if (namespace !== undefined && (metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata.namespace = namespace ?? metadata.namespace ?? 'default';
}

function nameIt(
  registry: ObjectAccess,
  resource: Resource,
  metadata: Metadata,
  exists: (name: string) => boolean,
): void {
  for (let tries = 0; tries < NAME_TRIES; tries++) {
    const name = generatedName(metadata.generateName ?? '', registry.environment.random);
    metadata.name = name;
    if (!exists(name)) return;
  }
  throw alreadyExists(resource, metadata.name ?? '');
}

/** The admission of a real server rejects objects in namespaces that are missing or terminating. */
function checkNamespace(registry: ObjectAccess, resource: Resource, metadata: Metadata): void {
  if (!resource.isNamespaced) return;
  const namespaces = registry.resources.lookup('', 'v1', 'namespaces');
  if (namespaces === undefined) return;
  const namespace = metadata.namespace ?? '';
  const stored = registry.find({ resource: namespaces, namespace: undefined, name: namespace });
  if (stored === undefined) throw notFound(namespaces, namespace);
  const { status } = stored.parse();
  if (!isRecord(status) || status['phase'] !== 'Terminating') return;
  const qualified = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  throw new StatusError(
    403,
    'Forbidden',
    `${qualified} ${JSON.stringify(metadata.name ?? '')} is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      details: {
        name: metadata.name ?? '',
        ...(resource.group === '' ? {} : { group: resource.group }),
        kind: resource.plural,
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      },
    },
  );
}

function wipe(registry: ObjectAccess, resource: Resource, metadata: Metadata): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata['selfLink'];
  metadata.uid = registry.environment.uid();
  metadata.creationTimestamp = registry.environment.timestamp();
  if (resource.hasGeneration) metadata.generation = 1;
}

/** Prunes unknown fields with a warning, fills in defaults, and validates against the schema. */
function checkCustom(resource: Resource, received: KubeObject, options: WriteOptions): KubeObject {
  if (resource.hasStatus) delete received['status'];
  if (resource.schema === undefined) return received;
  const nulls = options.isTracked === true ? 'kept' : 'dropped';
  const { object, unknownFields } = pruneAndDefault(resource.schema, received, nulls);
  for (const field of unknownFields) options.warn?.(`unknown field ${JSON.stringify(field)}`);
  const causes = [...validateSchema(resource.schema, object), ...validateReplicas(resource, object)];
  if (causes.length > 0) throw invalid(resource.group, resource.kind, metadataOf(object).name ?? '', causes);
  return object;
}
