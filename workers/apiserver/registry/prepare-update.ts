import type { KubeObject } from '../control.js';
import { badRequest, invalid } from '../endpoints/status-error.js';
import { cloneJson, equalJson } from '../json.js';
import { pruneAndDefault, validateSchema } from '../objects/custom-schema.js';
import { applyDefaults } from '../objects/defaults.js';
import { validateObject } from '../objects/validation.js';
import { defaultDefinition } from '../resources/custom-resource-definition.js';
import { validateDefinitionUpdate } from '../resources/definition-validation.js';
import type { Resource } from '../resources/resource.js';
import { metadataOf } from './metadata.js';
import type { WriteOptions } from './object-access.js';

/** Keeps what clients may not change, confines subresources to their part, and checks the result. */
export function prepareForUpdate(
  resource: Resource,
  given: KubeObject,
  current: KubeObject,
  options: WriteOptions,
): KubeObject {
  checkIdentity(given, current);
  let next = options.subresource === undefined ? given : throughSubresource(resource, given, current, options);
  if (options.subresource === undefined && resource.hasStatus) next = withStatusOf(next, current);
  const metadata = metadataOf(next);
  const before = metadataOf(current);
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'namespace'] as const) {
    if (before[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: before[field] });
  }
  if (resource.hasGeneration) {
    if (before.generation === undefined) delete metadata.generation;
    else metadata.generation = before.generation;
  }
  if (resource.isCustom && resource.schema !== undefined) {
    const pruned = pruneAndDefault(resource.schema, next);
    for (const field of pruned.unknownFields) options.warn?.(`unknown field ${JSON.stringify(field)}`);
    next = pruned.object;
  }
  const isDefinition = resource.kind === 'CustomResourceDefinition';
  if (isDefinition) next = defaultDefinition(next);
  if (!resource.isCustom) applyDefaults(resource.kind, next, { uid: before.uid ?? '' });
  const schemaCauses =
    resource.isCustom && resource.schema !== undefined ? validateSchema(resource.schema, next) : [];
  const definitionCauses = isDefinition ? validateDefinitionUpdate(next, current) : [];
  const causes = [...schemaCauses, ...definitionCauses, ...validateObject(resource, next, current)];
  if (causes.length > 0) throw invalid(resource.group, resource.kind, before.name ?? '', causes);
  return next;
}

/** True where metadata.generation is to grow: the desired state changed, not only what was observed. */
export function isSpecChanged(resource: Resource, next: KubeObject, current: KubeObject): boolean {
  if (!resource.hasGeneration) return false;
  if (!resource.isCustom) return !equalJson(next['spec'], current['spec']);
  const { metadata: _a, ...mine } = next;
  const { metadata: _b, ...theirs } = current;
  if (resource.hasStatus) {
    delete mine['status'];
    delete theirs['status'];
  }
  return !equalJson(mine, theirs);
}

function checkIdentity(given: KubeObject, current: KubeObject): void {
  const { name, namespace } = metadataOf(given);
  const before = metadataOf(current);
  if ((name ?? '') === '') {
    throw badRequest(
      `the name of the object (${before.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (name !== before.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${before.name})`);
  }
  if ((namespace ?? before.namespace) !== before.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** `/status` takes the status; of metadata, built-in kinds take labels and annotations too, custom ones nothing. */
function throughSubresource(
  resource: Resource,
  given: KubeObject,
  current: KubeObject,
  options: WriteOptions,
): KubeObject {
  if (options.subresource !== 'status') return given;
  const next = cloneJson(current);
  if (given['status'] === undefined) delete next['status'];
  else next['status'] = given['status'];
  if (!resource.isCustom) {
    const { labels, annotations, ownerReferences, finalizers } = metadataOf(given);
    Object.assign(metadataOf(next), { labels, annotations, ownerReferences, finalizers });
  }
  return next;
}

function withStatusOf(next: KubeObject, current: KubeObject): KubeObject {
  const { status: _status, ...rest } = next;
  return current['status'] === undefined ? rest : { ...rest, status: current['status'] };
}
