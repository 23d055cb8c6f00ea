import { encodeJson } from '../json.js';
import { toTable } from '../objects/table.js';
import { includeObjectOf } from '../requests/include-object.js';
import { negotiateForm } from '../requests/negotiate.js';
import type { Resource } from '../resources/resource.js';
import { sendJson } from '../responses/body.js';
import { fullObject, metadataObject } from '../responses/object-form.js';
import { quote } from '../status-error.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { RequestContext } from './request-context.js';

/** Answers with one object, in the form that the client asked for. */
export function sendObject(
  context: RequestContext,
  status: number,
  stored: StoredObject,
  warnings: readonly string[] = [],
): void {
  const { resource, writer } = context;
  const form = negotiateForm(context.headers, { resource, scope: 'object' });
  const text = form === 'table' ? tableText(context, stored) : objectText(resource, stored, form);
  const lines = warnings.map((warning) => `299 - ${quote(warning)}`);
  const headers = lines.length === 0 ? {} : { Warning: lines.join(', ') };
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
