import type { KubeObject } from '../control/kube-object.js';
import { applyObject } from '../objects/server-side-apply.js';
import { decodeTyped } from '../objects/typed-decoding.js';
import { checkIdentity, metadataOf } from '../registry/metadata.js';
import type { ObjectRegistry } from '../registry/object-registry.js';
import { describeApplied, duplicateWarnings, printedType, readApplied } from '../requests/applied-object.js';
import { withSameUid } from '../requests/patch-request.js';
import type { RequestBody } from '../requests/request-body.js';
import { type RequestWriteOptions, readWriteOptions } from '../requests/write-options.js';
import type { Resource } from '../resources/resource.js';
import { conflict, notFound, StatusError, unreadableVersion } from '../status-error.js';
import { sendObject } from './object-response.js';
import { type RequestContext, targetOf } from './request-context.js';

/** Server-side apply: 201 if it created the object, which a subresource never does. */
export function serveApply(context: RequestContext, registry: ObjectRegistry, body: RequestBody): void {
  const { resource } = context;
  const options = readWriteOptions(context, 'apply');
  const target = targetOf(context);
  const isCreate = registry.find(target) === undefined;
  if (isCreate && options.subresource !== undefined) throw notFound(resource, target.name);
  const applied = readApplied(resource, body);
  const apply = (live?: KubeObject): KubeObject => {
    const next = mergedObject(resource, applied, live, {
      ...options,
      time: registry.environment.timestamp(),
    });
    options.warnings.push(...duplicateWarnings(body, options.fieldValidation));
    return next;
  };
  const tracked = { ...options, isTracked: true };
  const stored = isCreate
    ? registry.create(resource, target.namespace, asNew(context, apply()), tracked)
    : registry.update(target, (live) => withSameUid(resource, apply(live), live), tracked);
  sendObject(context, isCreate ? 201 : 200, stored, options.warnings);
}

/** The result of the merge, decoded and with its managedFields. */
export function mergedObject(
  resource: Resource,
  applied: KubeObject,
  live: KubeObject | undefined,
  { manager, isForced, time, subresource }: RequestWriteOptions & { time: string },
): KubeObject {
  const { object, managedFields } = applyObject({
    resource,
    live,
    applied,
    manager,
    isForced,
    time,
    subresource,
  });
  const decoded = decode(resource, object, applied);
  const { managedFields: _before, ...metadata } = metadataOf(decoded);
  return { ...decoded, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

/** The types of applied fields were checked before; ranges and formats are checked here. */
function decode(resource: Resource, object: KubeObject, applied: KubeObject): KubeObject {
  try {
    return decodeTyped(resource, object).object;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new StatusError(
      500,
      undefined,
      `failed to convert new object (${describeApplied(applied)}) to proper version: unable to convert unstructured object to ${printedType(applied)}: ${error.message}`,
    );
  }
}

/** Without a live object, a resourceVersion is ignored and a uid is a conflict. */
function asNew({ resource, info }: RequestContext, object: KubeObject): KubeObject {
  const { resourceVersion = '', ...metadata } = metadataOf(object);
  const name = info.name ?? '';
  if ((metadata.uid ?? '') !== '') {
    const message = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
    throw conflict(resource, name, message);
  }
  checkIdentity(metadata, { name, ...(info.namespace === undefined ? {} : { namespace: info.namespace }) });
  if (!/^[0-9]*$/.test(resourceVersion)) throw unreadableVersion(resourceVersion);
  return { ...object, metadata };
}
