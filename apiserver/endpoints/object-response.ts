import type { IncomingHttpHeaders } from 'node:http';
import { encodeJson } from '../json.js';
import { toTable } from '../objects/table.js';
import { encodeObject, inEnvelope } from '../protobuf/encode-envelope.js';
import { checkMetadataForm, negotiate, negotiateError, PROTOBUF } from '../requests/negotiate.js';
import { includeObjectOf } from '../requests/query-options.js';
import type { Resource } from '../resources/resource.js';
import { type BodyOptions, sendBody, sendJson } from '../responses/body.js';
import { fullObject, metadataObject } from '../responses/object-json.js';
import { messageOf, protobufObject, protobufType } from '../responses/object-protobuf.js';
import type { ResponseWriter } from '../responses/response-writer.js';
import { quote, type StatusBody } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { RequestContext } from './request-context.js';

/** Responds with one object, in the negotiated form. */
export function sendObject(
  context: RequestContext,
  status: number,
  stored: StoredObject,
  warnings: readonly string[] = [],
): void {
  const { resource, writer } = context;
  const negotiated = negotiate(context.headers, { resource, scope: 'object' });
  checkMetadataForm(negotiated, resource, 'object');
  const { form, encoding } = negotiated;
  const lines = warnings.map((warning) => `299 - ${quote(warning)}`);
  const headers = lines.length === 0 ? {} : { Warning: lines.join(', ') };
  const body = { ...context.body, headers: { ...context.body.headers, ...headers } };
  if (form === 'table') sendJson(writer, status, tableJson(context, stored), body);
  else if (encoding === 'json') sendJson(writer, status, objectJson(resource, stored, form), body);
  else {
    const bytes = inEnvelope(protobufType(resource, form), protobufObject(resource, form, stored));
    sendBody(writer, status, bytes, { ...body, contentType: PROTOBUF });
  }
}

/** Responds with a Status, in the encoding that the client accepts for errors. */
export function sendStatus(
  writer: ResponseWriter,
  headers: IncomingHttpHeaders,
  code: number,
  status: StatusBody,
  options: BodyOptions,
): void {
  const encoding = negotiateError(headers);
  if (encoding === 'protobuf') {
    const bytes = encodeObject(messageOf(status), { ...status });
    sendBody(writer, code, bytes, { ...options, contentType: PROTOBUF });
    return;
  }
  const isPretty = options.isPretty || encoding === undefined;
  sendJson(writer, code, encodeJson(status), { ...options, isPretty });
}

function objectJson(resource: Resource, stored: StoredObject, form: 'object' | 'metadata'): string {
  return (form === 'metadata' ? metadataObject(stored) : fullObject(resource, stored)).toString();
}

function tableJson({ resource, info, server }: RequestContext, stored: StoredObject): string {
  const table = toTable(resource, [stored.parse()], {
    resourceVersion: String(stored.revision),
    includeObject: includeObjectOf(info.query),
    now: server.environment.now().getTime(),
  });
  return encodeJson(table);
}
