/** Discovery: which resources the server has. */

import { createHash } from 'node:crypto';
import { encodeJson } from '../json.js';
import type { Resource } from '../resources/resource.js';
import { aggregatedDiscovery } from './aggregated-discovery.js';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy-discovery.js';

export interface DiscoveryDocument {
  /** In the key order of the wire; sent with a newline at the end, like all JSON but `/version` and `/`. */
  readonly body: object;
  readonly contentType: string;
  /** With quotes. `If-None-Match` with it gets a 304, without body or Content-Type. */
  readonly etag: string | undefined;
  readonly cacheControl: string;
  readonly vary: string | undefined;
}

export interface DiscoveryRequest {
  /** Host and port as clients reach them. */
  readonly serverAddress: string;
  readonly accept: string;
}

const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Undefined for other paths, and for a group or version that is not served. */
export function discoveryDocument(
  resources: readonly Resource[],
  path: string,
  request: DiscoveryRequest,
): DiscoveryDocument | undefined {
  const parts = path.replace(/^\/|\/$/g, '').split('/');
  const [root, second, third] = parts;
  if (root === 'api' && parts.length === 1) {
    if (prefersAggregated(request.accept)) return aggregated(resources, '/api');
    return legacy(apiVersions(request.serverAddress));
  }
  if (root === 'api' && parts.length === 2 && second !== undefined) {
    return legacy(apiResourceList(resources, '', second));
  }
  if (root !== 'apis') return undefined;
  if (second === undefined) {
    if (prefersAggregated(request.accept)) return aggregated(resources, '/apis');
    return legacy(apiGroupList(resources));
  }
  if (second === '' || parts.length > 3) return undefined;
  return legacy(
    third === undefined ? apiGroup(resources, second) : apiResourceList(resources, second, third),
  );
}

/** The body of `/`, pretty and without a newline at the end. `otherPaths` are those outside `/api` and `/apis`. */
export function rootPaths(
  resources: readonly Resource[],
  otherPaths: readonly string[],
): { readonly paths: readonly string[] } {
  const groups = resources.filter(({ group }) => group !== '');
  const paths = new Set(['/api', '/api/v1', '/apis', '/apis/', ...otherPaths]);
  for (const { group, version } of groups) paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  return { paths: [...paths].sort() };
}

/** Whether the preferred clause of Accept, by weight and then by position, asks for the aggregated document. */
function prefersAggregated(accept: string): boolean {
  const clauses = accept.split(',').map((clause) => {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    return { type, parameters: new Map(parameters.map((each) => splitOnce(each, '='))) };
  });
  clauses.sort((a, b) => weightOf(b.parameters) - weightOf(a.parameters));
  for (const { type, parameters } of clauses) {
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    if (!parameters.has('as')) return false;
    const isKnown =
      parameters.get('as') === 'APIGroupDiscoveryList' &&
      parameters.get('g') === 'apidiscovery.k8s.io' &&
      parameters.get('v') === 'v2';
    if (isKnown) return true;
  }
  return false;
}

function weightOf(parameters: ReadonlyMap<string, string>): number {
  return Number(parameters.get('q') ?? 1);
}

function splitOnce(value: string, separator: string): [string, string] {
  const at = value.indexOf(separator);
  return at === -1 ? [value, ''] : [value.slice(0, at), value.slice(at + 1)];
}

function legacy(body: object | undefined): DiscoveryDocument | undefined {
  if (body === undefined) return undefined;
  return {
    body,
    contentType: 'application/json',
    etag: undefined,
    cacheControl: 'no-cache, private',
    vary: undefined,
  };
}

function aggregated(resources: readonly Resource[], path: '/api' | '/apis'): DiscoveryDocument {
  const body = aggregatedDiscovery(resources, path);
  const digest = createHash('sha512').update(encodeJson(body)).digest('hex').toUpperCase();
  return {
    body,
    contentType: AGGREGATED_TYPE,
    etag: `"${digest}"`,
    cacheControl: 'public',
    vary: 'Accept',
  };
}
