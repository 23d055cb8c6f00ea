/** Subresources: `status`, `scale`, and those that discovery lists but this server does not implement. */

import { subresourcesOf } from '../discovery/subresource.js';
import type { ObjectRegistry } from '../registry/object-registry.js';
import { groupResourceOf } from '../resources/resource.js';
import { methodNotAllowed, notFound, quote, StatusError, unknownResource } from '../status-error.js';
import { serveGet, servePatch, serveUpdate } from './object-verbs.js';
import type { RequestContext } from './request-context.js';
import { isScalable, serveScale, serveScalePatch, serveScaleUpdate } from './scale.js';

type Serve = (context: RequestContext, registry: ObjectRegistry) => Promise<void> | void;

/** By subresource and verb; all others are rejected. */
const SERVED: Readonly<Record<string, Readonly<Record<string, Serve>>>> = {
  status: { get: serveGet, update: serveUpdate, patch: servePatch },
  scale: {
    get: scaling(serveScale),
    update: scaling(serveScaleUpdate),
    patch: scaling(serveScalePatch),
  },
  finalize: { update: serveUpdate },
  ephemeralcontainers: { get: serveGet },
  resize: { get: serveGet },
};

export async function serveSubresource(
  context: RequestContext,
  name: string,
  registry: ObjectRegistry,
): Promise<void> {
  const { resource, info } = context;
  const known = subresourcesOf(resource).find((subresource) => subresource.name === name);
  if (known === undefined) {
    throw resource.isCustom ? notFound(resource, info.name ?? '') : unknownResource();
  }
  if (!known.verbs.includes(info.verb)) throw methodNotServed(context);
  const serve = SERVED[name]?.[info.verb];
  if (serve === undefined) {
    throw new StatusError(
      405,
      'MethodNotAllowed',
      `the embedded API server does not serve ${quote(info.verb)} on ${groupResourceOf(resource)}/${name}`,
      { details: { name: info.name ?? '', kind: resource.plural } },
    );
  }
  await serve(context, registry);
}

function scaling(
  serve: (
    context: RequestContext,
    resource: Parameters<typeof serveScale>[1],
    registry: ObjectRegistry,
  ) => Promise<void> | void,
): Serve {
  return (context, registry) => {
    if (!isScalable(context.resource)) throw unknownResource();
    return serve(context, context.resource, registry);
  };
}

/** Custom resources have their own handler, with its own message. */
function methodNotServed({ resource, info }: RequestContext): StatusError {
  if (!resource.isCustom) return methodNotAllowed();
  const { group, plural } = resource;
  return new StatusError(
    405,
    'MethodNotAllowed',
    `${info.verb} is not supported on resources of kind ${quote(groupResourceOf(resource))}`,
    { details: { group, kind: plural } },
  );
}
