/** The verb and target of a request, from its method and URL by the rules of kube-apiserver's RequestInfo. */

import { boolParameter } from './query-parameter.js';

export type RequestVerb =
  | 'list'
  | 'watch'
  | 'get'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'other';

export interface RequestInfo {
  /** `other` for non-resource requests, and for methods without a verb. */
  readonly verb: RequestVerb;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** False for discovery, health and everything else outside `/api/{version}/…` and `/apis/{group}/{version}/…`. */
  readonly isResourceRequest: boolean;
  /** The path begins with the deprecated `watch/`, which is a watch regardless of the `watch` parameter. */
  readonly isWatchPath: boolean;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Undefined for paths without `namespaces/{namespace}`, and for a namespace itself. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** Everything after the name: `status`; or `status/more`, which no resource has. */
  readonly subresource: string | undefined;
}

const VERBS: Readonly<Record<string, RequestVerb>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** These follow a namespace's name as its subresources; anything else there is a plural inside it. */
const NAMESPACE_SUBRESOURCES: readonly string[] = ['status', 'finalize'];

/** `url` is the request target: path and query. Throws URIError when the path is not validly escaped. */
export function parseRequestInfo(method: string, url: string): RequestInfo {
  const queryAt = url.indexOf('?');
  const path = decodeURIComponent(queryAt === -1 ? url : url.slice(0, queryAt));
  const query = new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1));
  const parts = path.replace(/^\/+|\/+$/g, '').split('/');

  const groupParts = parts[0] === 'api' ? 1 : 2;
  if ((parts[0] !== 'api' && parts[0] !== 'apis') || parts.length < groupParts + 2) {
    return {
      verb: 'other',
      path,
      query,
      isResourceRequest: false,
      isWatchPath: false,
      group: '',
      version: '',
      plural: '',
      namespace: undefined,
      name: undefined,
      subresource: undefined,
    };
  }

  const group = groupParts === 1 ? '' : (parts[1] ?? '');
  const version = parts[groupParts] ?? '';
  const isWatchPath = parts[groupParts + 1] === 'watch' && parts.length > groupParts + 2;
  const rest = parts.slice(groupParts + (isWatchPath ? 2 : 1));
  const isInNamespace =
    rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_SUBRESOURCES.includes(rest[2] ?? '');
  const [plural = '', name, ...subresource] = isInNamespace ? rest.slice(2) : rest;

  return {
    verb: isWatchPath ? 'watch' : verbOf(method, name, query),
    path,
    query,
    isResourceRequest: true,
    isWatchPath,
    group,
    version,
    plural,
    namespace: isInNamespace ? rest[1] : undefined,
    name,
    subresource: subresource.length === 0 ? undefined : subresource.join('/'),
  };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): RequestVerb {
  const verb = VERBS[method] ?? 'other';
  if (name !== undefined && name !== '') return verb;
  if (verb === 'get') return boolParameter(query, 'watch') === true ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}
