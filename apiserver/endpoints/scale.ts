import type { KubeObject } from '../control/kube-object.js';
import { trackManagedFields } from '../objects/managed-fields.js';
import { managersAfterScale, managersOfScale, replicasAt, scaleOf, withReplicas } from '../objects/scale.js';
import { checkIdentity, metadataOf } from '../registry/metadata.js';
import type { WriteOptions } from '../registry/object-access.js';
import type { ObjectRegistry } from '../registry/object-registry.js';
import { asItem } from '../registry/stored-item.js';
import { readApplied } from '../requests/applied-object.js';
import { patchTypeOf, readPatch } from '../requests/patch-request.js';
import type { RequestBody } from '../requests/request-body.js';
import { readObject } from '../requests/request-object.js';
import { type RequestWriteOptions, readWriteOptions } from '../requests/write-options.js';
import { SCALE } from '../resources/built-in-resources.js';
import type { Resource, ScalePaths } from '../resources/resource.js';
import { badRequest, conflict, invalid, StatusError } from '../status-error.js';
import { EncodedObject, type StoredObject } from '../storage/stored-object.js';
import { mergedObject } from './apply.js';
import { sendObject } from './object-response.js';
import { type RequestContext, targetOf } from './request-context.js';

type ScalableResource = Resource & { readonly scale: ScalePaths };

/** The replicas in the Scale of a custom resource that sets none; no client sends this value. */
const NO_REPLICAS = -(2 ** 31);

export function isScalable(resource: Resource): resource is ScalableResource {
  return resource.scale !== undefined;
}

export function serveScale(
  context: RequestContext,
  resource: ScalableResource,
  registry: ObjectRegistry,
): void {
  const stored = registry.get(targetOf(context));
  if (resource.isCustom && replicasAt(stored.parse(), resource.scale.specReplicas) === undefined) {
    const message = `the spec replicas field ${JSON.stringify(resource.scale.specReplicas)} does not exist`;
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
      details: { causes: [{ message }] },
    });
  }
  sendScale(context, resource, stored, []);
}

export async function serveScaleUpdate(
  context: RequestContext,
  resource: ScalableResource,
  registry: ObjectRegistry,
): Promise<void> {
  const options = readWriteOptions({ ...context, resource: SCALE }, 'update');
  const received = readObject(SCALE, await context.readBody(), options);
  // A uid is a precondition on the workload.
  const { uid, ...metadata } = metadataOf(received);
  const write = scaleWriter(resource, registry, options, () => ({ ...received, metadata }));
  const withUid = (object: KubeObject): KubeObject =>
    uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
  const stored = registry.update(
    targetOf(context),
    (current) => withUid(write(current)),
    asMainWrite(options),
  );
  sendScale(context, resource, stored, options.warnings);
}

export async function serveScalePatch(
  context: RequestContext,
  resource: ScalableResource,
  registry: ObjectRegistry,
): Promise<void> {
  const body = await context.readBody();
  const type = patchTypeOf(resource, body);
  const options = readWriteOptions({ ...context, resource: SCALE }, type === 'apply' ? 'apply' : 'patch');
  const write =
    type === 'apply'
      ? scaleApplier(resource, registry, options, body)
      : scaleWriter(resource, registry, options, readPatch(SCALE, type, body, options));
  const stored = registry.update(targetOf(context), write, asMainWrite(options));
  sendScale(context, resource, stored, options.warnings);
}

/** Converts the workload to its Scale, changes that, and converts it back. */
function scaleWriter(
  resource: ScalableResource,
  registry: ObjectRegistry,
  options: RequestWriteOptions,
  change: (scale: KubeObject) => KubeObject,
): (current: KubeObject) => KubeObject {
  return (current) => {
    const scale = liveScale(resource, current);
    const next = change(scale);
    // For custom resources kube-apiserver loses the managers of replicas: it treats the Scale as the resource
    // itself.
    const managedFields = resource.isCustom
      ? undefined
      : trackManagedFields({
          resource: SCALE,
          previous: scale,
          next,
          manager: options.manager,
          time: registry.environment.timestamp(),
          subresource: 'scale',
        });
    return withScale(resource, current, { ...next, metadata: { ...next.metadata, managedFields } });
  };
}

function scaleApplier(
  resource: ScalableResource,
  registry: ObjectRegistry,
  options: RequestWriteOptions,
  body: RequestBody,
): (current: KubeObject) => KubeObject {
  return (current) => {
    if (resource.isCustom) {
      throw new StatusError(
        500,
        undefined,
        'failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1',
      );
    }
    const applied = readApplied(SCALE, body);
    const time = registry.environment.timestamp();
    const scale = mergedObject(SCALE, applied, liveScale(resource, current), { ...options, time });
    return withScale(resource, current, scale);
  };
}

function liveScale(resource: ScalableResource, current: KubeObject): KubeObject {
  const scale = scaleOf(resource, current);
  const replicas = replicasAt(current, resource.scale.specReplicas);
  return {
    ...scale,
    metadata: { ...scale.metadata, managedFields: managersOfScale(resource, current) },
    spec: { replicas: replicas ?? (resource.isCustom ? NO_REPLICAS : 0) },
  };
}

function withScale(resource: ScalableResource, current: KubeObject, scale: KubeObject): KubeObject {
  const { uid, name = '' } = metadataOf(current);
  checkIdentity(metadataOf(scale), metadataOf(current));
  const replicas = replicasAt(scale, '.spec.replicas') ?? 0;
  if (resource.isCustom && replicas === NO_REPLICAS) {
    throw badRequest(
      `the spec replicas field ${JSON.stringify(resource.scale.specReplicas)} cannot be empty`,
    );
  }
  if (!resource.isCustom) {
    checkReplicas(name, replicas);
    const { uid: asked = uid } = metadataOf(scale);
    if (asked !== uid) {
      const plural = `${resource.plural}/scale`;
      const message = `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${uid}`;
      throw conflict({ group: resource.group, plural }, name, message);
    }
  }
  const next = withReplicas(resource, current, replicas);
  const { resourceVersion = '', managedFields } = metadataOf(scale);
  return {
    ...next,
    metadata: {
      ...next.metadata,
      ...(resourceVersion === '' ? {} : { resourceVersion }),
      managedFields: managersAfterScale(resource, current, managedFields),
    },
  };
}

function checkReplicas(name: string, replicas: number): void {
  if (replicas >= 0) return;
  throw invalid(SCALE.group, SCALE.kind, name, [
    {
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
      field: 'spec.replicas',
    },
  ]);
}

/** Write options for the workload's main endpoint. */
function asMainWrite({ manager, isDryRun }: WriteOptions): WriteOptions {
  return { manager, isDryRun, isTracked: true };
}

function sendScale(
  context: RequestContext,
  resource: ScalableResource,
  stored: StoredObject,
  warnings: readonly string[],
): void {
  const scale = asItem(SCALE, scaleOf(resource, stored.parse()));
  sendObject(
    { ...context, resource: SCALE },
    200,
    new EncodedObject(stored.key, stored.revision, scale),
    warnings,
  );
}
