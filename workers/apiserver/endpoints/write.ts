import type { KubeObject, PatchType } from '../control.js';
import { encodeJson, sortKeys } from '../json.js';
import { toTable } from '../objects/table.js';
import { applyPatch, parsePatch, undecodablePatch } from '../patches/patch.js';
import { type DeleteOptions, hasOrphaningDefault } from '../registry/deletion.js';
import type { Target, WriteOptions } from '../registry/object-access.js';
import type { ObjectRegistry } from '../registry/object-registry.js';
import { parseDeleteOptions } from '../requests/delete-options.js';
import { includeObjectOf } from '../requests/include-object.js';
import { negotiateForm } from '../requests/negotiate.js';
import { parseListOptions } from '../requests/query-options.js';
import { type RequestBody, unsupportedMediaType } from '../requests/request-body.js';
import { decodeObject, readObject } from '../requests/request-object.js';
import { Selection } from '../requests/selection.js';
import { parseWriteOptions } from '../requests/write-options.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import { badRequest, invalid, quote, StatusError } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import { sendJson } from './body.js';
import { waitForRevision, watchRevision } from './fresh-revision.js';
import { fullObject, listItem, metadataObject } from './object-form.js';
import { collectionOf, type RequestContext } from './request-context.js';

const ORPHAN_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export async function serveCreate(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource, info } = context;
  const options = writeOptionsOf(context, 'CreateOptions');
  const object = readObject(resource, await context.readBody(), options);
  const stored = registry.create(resource, info.namespace, object, options);
  respond(context, 201, stored, options);
}

export async function serveUpdate(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource } = context;
  const options = writeOptionsOf(context, 'UpdateOptions');
  const target = targetOf(context);
  const object = readObject(resource, await context.readBody(), options);
  const isCreate =
    resource.allowsCreateOnUpdate && options.subresource === undefined && registry.find(target) === undefined;
  if (isCreate) respond(context, 201, registry.create(resource, target.namespace, object, options), options);
  else
    respond(
      context,
      200,
      registry.update(target, () => object, options),
      options,
    );
}

export async function servePatch(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource } = context;
  // The media type first: what is refused as such is not looked at further.
  const apply = patchOf(resource, await context.readBody());
  const options = writeOptionsOf(context, 'PatchOptions');
  const stored = registry.update(
    targetOf(context),
    (current) => {
      const patched = decodePatched(resource, apply(current), options);
      checkUid(resource, patched, current);
      return patched;
    },
    options,
  );
  respond(context, 200, stored, options);
}

export async function serveDelete(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource, info } = context;
  const options: DeleteOptions = parseDeleteOptions(info.query, await context.readBody());
  const target = targetOf(context);
  const { object, isGone } = registry.delete(target, options);
  if (resource.deleteReturnsObject || !isGone) {
    const warnings = hasOrphaningDefault(resource, options) ? [ORPHAN_WARNING] : [];
    respond(context, 200, object, { warnings });
    return;
  }
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: target.name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: object.parse().metadata?.uid,
    },
  };
  sendJson(context.writer, 200, encodeJson(status), context.body);
}

export async function serveDeleteCollection(
  context: RequestContext,
  registry: ObjectRegistry,
): Promise<void> {
  const { resource, info, server } = context;
  const list = parseListOptions(info.query, { isWatch: false });
  const options = parseDeleteOptions(info.query, await context.readBody());
  const selection = new Selection(resource, info.namespace, list);
  const found = [...collectionOf(server, resource).scan(selection.range.start, selection.range.end)];
  const matching = found.filter((object) => selection.matchesContent(object));
  const revision = String(server.storage.revision);
  for (const object of matching) {
    const { namespace, name } = object.parse().metadata ?? {};
    registry.delete({ resource, namespace, name: name ?? '' }, options);
  }
  const kind = encodeJson(resource.listKind);
  const apiVersion = encodeJson(apiVersionOf(resource));
  const items = matching.map((object) => listItem(resource, object).toString()).join(',');
  const metadata = `{"resourceVersion":"${revision}"}`;
  const text = resource.isCustom
    ? `{"apiVersion":${apiVersion},"items":[${items}],"kind":${kind},"metadata":{"continue":"","resourceVersion":"${revision}"}}`
    : `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${metadata},"items":[${items}]}`;
  sendJson(context.writer, 200, text, context.body);
}

export async function serveGet(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const version = context.info.query.get('resourceVersion') ?? '';
  if (version !== '') await waitForRevision(context.server, watchRevision(version));
  respond(context, 200, registry.get(targetOf(context)), {});
}

function respond(
  context: RequestContext,
  status: number,
  stored: StoredObject,
  options: { warnings?: readonly string[] },
): void {
  const { resource, writer } = context;
  const form = negotiateForm(context.headers, { resource, scope: 'object' });
  const text = form === 'table' ? tableText(context, stored) : objectText(resource, stored, form);
  const warnings = (options.warnings ?? []).map((warning) => `299 - ${quote(warning)}`);
  const headers = warnings.length === 0 ? {} : { Warning: warnings.join(', ') };
  const body = { ...context.body, headers: { ...context.body.headers, ...headers } };
  sendJson(writer, status, text, body);
}

function objectText(resource: Resource, stored: StoredObject, form: 'object' | 'metadata'): string {
  return (form === 'metadata' ? metadataObject(stored) : fullObject(resource, stored)).toString();
}

function tableText({ resource, info, server }: RequestContext, stored: StoredObject): string {
  const table = toTable(resource, [stored.parse()], {
    resourceVersion: String(stored.revision),
    includeObject: includeObjectOf(info.query),
    now: server.environment.now().getTime(),
  });
  return encodeJson(table);
}

function targetOf({ resource, info }: RequestContext): Target {
  return { resource, namespace: info.namespace, name: info.name ?? '' };
}

function writeOptionsOf(
  context: RequestContext,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions & { warnings: string[] } {
  const { manager, isDryRun, fieldValidation } = parseWriteOptions(context.info.query, context.headers, kind);
  const warnings: string[] = [];
  const warn = (text: string): void => {
    if (fieldValidation === 'Strict') {
      const name = context.resource.kind;
      throw badRequest(
        `${name} in version ${quote(context.resource.version)} cannot be handled as a ${name}: strict decoding error: ${text}`,
      );
    }
    if (fieldValidation !== 'Ignore') warnings.push(text);
  };
  const { subresource } = context.info;
  return { manager, isDryRun, warnings, warn, ...(subresource === undefined ? {} : { subresource }) };
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

function patchOf(resource: Resource, { mediaType, bytes }: RequestBody): (object: KubeObject) => KubeObject {
  const type = PATCH_TYPES[mediaType];
  if (type === undefined && mediaType !== 'application/apply-patch+yaml') {
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
  }
  const accepted = Object.keys(PATCH_TYPES).filter(
    (name) => !resource.isCustom || PATCH_TYPES[name] !== 'strategic',
  );
  if (type === undefined || !accepted.includes(mediaType)) {
    throw unsupportedMediaType(accepted);
  }
  const patch = parsePatch(bytes, type);
  return (object) => applyPatch({ resource, type, object, patch });
}

/** What a patch made must still be an object of its kind. */
function decodePatched(resource: Resource, patched: KubeObject, options: WriteOptions): KubeObject {
  if (resource.isCustom) return patched;
  try {
    return decodeObject(resource, patched, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.message.includes('strict decoding error')) throw error;
    throw undecodablePatch(
      encodeJson(sortKeys(patched)),
      error.message.replace(/^.*cannot be handled as a \w+: /, ''),
    );
  }
}

/** A patch may repeat the uid but not change it; the refusal names the field twice, as kube-apiserver's does. */
function checkUid(resource: Resource, patched: KubeObject, current: KubeObject): void {
  const uid = patched.metadata?.uid;
  if (uid === undefined || uid === current.metadata?.uid) return;
  const cause = {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${quote(String(uid))}: field is immutable`,
    field: 'metadata.uid',
  };
  throw invalid(resource.group, resource.kind, current.metadata?.name ?? '', [cause, cause]);
}
