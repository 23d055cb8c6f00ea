import type { KubeObject } from '../control/kube-object.js';
import type { ObjectRegistry } from '../registry/object-registry.js';
import { patchTypeOf, readPatch, withSameUid } from '../requests/patch-request.js';
import { readObject } from '../requests/request-object.js';
import { readWriteOptions } from '../requests/write-options.js';
import { serveApply } from './apply.js';
import { sendObject } from './object-response.js';
import { type RequestContext, targetOf } from './request-context.js';
import { waitForRevision, watchRevision } from './resource-version.js';

export async function serveGet(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const version = context.info.query.get('resourceVersion') ?? '';
  if (version !== '') await waitForRevision(context.server, watchRevision(version));
  sendObject(context, 200, registry.get(targetOf(context)));
}

export async function serveCreate(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource, info } = context;
  const options = readWriteOptions(context, 'create');
  const object = readObject(resource, await context.readBody(), options);
  sendObject(context, 201, registry.create(resource, info.namespace, object, options), options.warnings);
}

export async function serveUpdate(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource } = context;
  const options = readWriteOptions(context, 'update');
  const target = targetOf(context);
  const object = readObject(resource, await context.readBody(), options);
  const isCreate =
    resource.allowsCreateOnUpdate && options.subresource === undefined && registry.find(target) === undefined;
  const stored = isCreate
    ? registry.createOnUpdate(target, object, options)
    : registry.update(target, () => object, options);
  sendObject(context, isCreate ? 201 : 200, stored, options.warnings);
}

export async function servePatch(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource } = context;
  const body = await context.readBody();
  // The media type first: nothing else is checked if it is rejected.
  const type = patchTypeOf(resource, body);
  if (type === 'apply') {
    serveApply(context, registry, body);
    return;
  }
  const options = readWriteOptions(context, 'patch');
  const patched = readPatch(resource, type, body, options);
  const change = (current: KubeObject): KubeObject => withSameUid(resource, patched(current), current);
  sendObject(context, 200, registry.update(targetOf(context), change, options), options.warnings);
}
