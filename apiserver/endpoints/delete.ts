import { encodeJson } from '../json.js';
import { type DeleteOptions, hasOrphaningDefault } from '../registry/deletion.js';
import type { ObjectRegistry } from '../registry/object-registry.js';
import { parseDeleteOptions } from '../requests/delete-options.js';
import { checkMetadataForm, negotiate } from '../requests/negotiate.js';
import { parseListOptions } from '../requests/query-options.js';
import { Selection } from '../requests/selection.js';
import { apiVersionOf } from '../resources/resource.js';
import { sendJson } from '../responses/body.js';
import { listItem } from '../responses/object-json.js';
import type { StatusBody } from '../status-error.js';
import { sendObject, sendStatus } from './object-response.js';
import { sendProtobufList } from './protobuf-list.js';
import { collectionOf, type RequestContext, targetOf } from './request-context.js';

const ORPHAN_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export async function serveDelete(context: RequestContext, registry: ObjectRegistry): Promise<void> {
  const { resource, info } = context;
  const options: DeleteOptions = parseDeleteOptions(info.query, await context.readBody());
  const target = targetOf(context);
  const { object, isGone } = registry.delete(target, options);
  if (resource.deleteReturnsObject || !isGone) {
    const warnings = hasOrphaningDefault(resource, options) ? [ORPHAN_WARNING] : [];
    sendObject(context, 200, object, warnings);
    return;
  }
  const status: StatusBody = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: target.name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: object.uid,
    },
  };
  sendStatus(context.writer, context.headers, 200, status, context.body);
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
  const negotiated = negotiate(context.headers, { resource, scope: 'list' });
  checkMetadataForm(negotiated, resource, 'list');
  const { form, encoding } = negotiated;
  if (encoding === 'protobuf' && form !== 'table') {
    await sendProtobufList(context, form, { resourceVersion: revision }, matching);
    return;
  }
  const kind = encodeJson(resource.listKind);
  const apiVersion = encodeJson(apiVersionOf(resource));
  const items = matching.map((object) => listItem(resource, object).toString()).join(',');
  const metadata = `{"resourceVersion":"${revision}"}`;
  const json = resource.isCustom
    ? `{"apiVersion":${apiVersion},"items":[${items}],"kind":${kind},"metadata":{"continue":"","resourceVersion":"${revision}"}}`
    : `{"kind":${kind},"apiVersion":${apiVersion},"metadata":${metadata},"items":[${items}]}`;
  sendJson(context.writer, 200, json, context.body);
}
