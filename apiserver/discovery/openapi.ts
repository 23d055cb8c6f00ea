/**
 * OpenAPI v3, as much of it as kubectl needs: `create` and `apply` look for the fieldValidation parameter on the
 * PATCH of a kind, `explain` for its paths and schema.
 */

import { createHash } from 'node:crypto';
import { EMULATED_VERSION } from '../control/server-options.js';
import { encodeJson } from '../json.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import { groupVersionKind, META_SCHEMAS, referenceTo, schemaName, schemasOf } from './openapi-schema.js';

export interface OpenApiDocument {
  readonly body: object;
  readonly contentType: string;
  /** With quotes; undefined for the root. */
  readonly etag: string | undefined;
}

const PREFIX = '/openapi/v3';

/**
 * Without strategic merge: if it were listed, kubectl would compute such a patch from these schemas, which have
 * no merge keys. Otherwise it uses its compiled-in Go types for built-in kinds, and sends the same patch.
 */
const PATCH_TYPES: readonly string[] = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];

const WRITE_PARAMETERS: readonly object[] = ['dryRun', 'fieldManager', 'fieldValidation'].map(queryParameter);

/** `/openapi/v3` and the documents below it, whatever their `hash` parameter; undefined when there is none. */
export function openApiDocument(resources: readonly Resource[], path: string): OpenApiDocument | undefined {
  const documents = new Map<string, readonly Resource[]>();
  for (const resource of resources) {
    const key = documentKey(resource);
    documents.set(key, [...(documents.get(key) ?? []), resource]);
  }

  if (path === PREFIX) {
    const paths = [...documents]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, served]) => [
        key,
        { serverRelativeURL: `${PREFIX}/${key}?hash=${hashOf(groupVersionBody(served))}` },
      ]);
    // kube-apiserver leaves the content type to Go's sniffing, which yields text/plain.
    const contentType = 'text/plain; charset=utf-8';
    return { body: { paths: Object.fromEntries(paths) }, contentType, etag: undefined };
  }
  const served = path.startsWith(`${PREFIX}/`) ? documents.get(path.slice(PREFIX.length + 1)) : undefined;
  if (served === undefined) return undefined;
  const body = groupVersionBody(served);
  return { body, contentType: 'application/json', etag: `"${hashOf(body)}"` };
}

/** `api/v1`, `apis/apps/v1` */
function documentKey(resource: Resource): string {
  return `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
}

function groupVersionBody(resources: readonly Resource[]): object {
  const schemas = Object.assign({}, META_SCHEMAS, ...resources.map(schemasOf));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: EMULATED_VERSION },
    paths: sorted(Object.assign({}, ...resources.map(pathsOf))),
    components: { schemas: sorted(schemas) },
  };
}

function pathsOf(resource: Resource): Record<string, object> {
  const root = `/${documentKey(resource)}`;
  const everywhere = `${root}/${resource.plural}`;
  const collection = resource.isNamespaced ? `${root}/namespaces/{namespace}/${resource.plural}` : everywhere;
  const object = `${collection}/{name}`;
  const inPath = resource.isNamespaced ? [pathParameter('namespace')] : [];
  const named = [pathParameter('name'), ...inPath];
  return {
    [everywhere]: { get: operation(resource, 'list') },
    [collection]: {
      get: operation(resource, 'list'),
      post: operation(resource, 'post'),
      ...(resource.verbs.includes('deletecollection')
        ? { delete: operation(resource, 'deletecollection') }
        : {}),
      ...(inPath.length === 0 ? {} : { parameters: inPath }),
    },
    [object]: {
      get: operation(resource, 'get'),
      put: operation(resource, 'put'),
      delete: operation(resource, 'delete'),
      patch: operation(resource, 'patch'),
      parameters: named,
    },
    ...(resource.hasStatus
      ? {
          [`${object}/status`]: {
            get: operation(resource, 'get'),
            put: operation(resource, 'put'),
            patch: operation(resource, 'patch'),
            parameters: named,
          },
        }
      : {}),
  };
}

function operation(resource: Resource, action: string): object {
  const schema = referenceTo(schemaName(resource));
  const isWrite = ['post', 'put', 'patch'].includes(action);
  const response = action === 'list' ? referenceTo(schemaName(resource, resource.listKind)) : schema;
  return {
    ...(isWrite ? { parameters: WRITE_PARAMETERS } : {}),
    ...(isWrite ? { requestBody: { content: requestContent(action, schema), required: true } } : {}),
    responses: { '200': { description: 'OK', content: { 'application/json': { schema: response } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind(resource),
  };
}

function requestContent(action: string, schema: object): object {
  if (action !== 'patch') return { '*/*': { schema } };
  return Object.fromEntries(PATCH_TYPES.map((type) => [type, { schema: { type: 'object' } }]));
}

function queryParameter(name: string): object {
  return { name, in: 'query', schema: { type: 'string', uniqueItems: true } };
}

function pathParameter(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } };
}

function hashOf(body: object): string {
  return createHash('sha512').update(encodeJson(body)).digest('hex').toUpperCase();
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
