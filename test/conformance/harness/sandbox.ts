/** The namespace of one case, and the clean-up of everything that the case created. */

import { randomBytes } from 'node:crypto';
import type { ApiClient, ApiResponse, Query, RequestOptions } from './client.js';
import type { Kind, KubeObject, Manifest } from './objects.js';
import type { WatchStream } from './watch-stream.js';

export const MERGE_PATCH = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

export function randomName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

/** `v1` lives under /api, every named group under /apis. */
export function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

export class Sandbox {
  readonly api: ApiClient;
  readonly name: string;
  /** Collections whose path the case used: clean-up empties them. */
  readonly #collections = new Set<string>();
  readonly #clusterObjects = new Set<string>();
  readonly #watches: WatchStream[] = [];

  private constructor(api: ApiClient, name: string) {
    this.api = api;
    this.name = name;
  }

  static async open(api: ApiClient, name = randomName('conf')): Promise<Sandbox> {
    const sandbox = new Sandbox(api, name);
    await expectCreated(await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } }));
    return sandbox;
  }

  /** The collection of a kind in this namespace, or its object. */
  path(plural: string, name?: string, apiVersion = 'v1'): string {
    const collection = `${groupPath(apiVersion)}/namespaces/${this.name}/${plural}`;
    this.#collections.add(collection);
    return name === undefined ? collection : `${collection}/${name}`;
  }

  /** As `path`; an object of a cluster-wide kind is deleted at the end too. */
  pathOf(kind: Kind, name?: string): string {
    if (kind.scope === 'Namespaced') return this.path(kind.plural, name, kind.apiVersion);
    const collection = `${groupPath(kind.apiVersion)}/${kind.plural}`;
    if (name === undefined) return collection;
    this.#clusterObjects.add(`${collection}/${name}`);
    return `${collection}/${name}`;
  }

  /** Creates and fails unless the response is 201. */
  async create(plural: string, manifest: Manifest): Promise<KubeObject> {
    const apiVersion = String(manifest['apiVersion'] ?? 'v1');
    return this.createAt(this.path(plural, undefined, apiVersion), manifest);
  }

  async createAt(collection: string, manifest: Manifest): Promise<KubeObject> {
    return expectCreated(await this.api.request('POST', collection, { body: manifest }));
  }

  async createKind(kind: Kind, name: string): Promise<KubeObject> {
    this.pathOf(kind, name);
    return this.createAt(this.pathOf(kind), kind.minimal(name, this.name));
  }

  patch(path: string, patch: unknown, options: { type?: string; query?: Query } = {}): Promise<ApiResponse> {
    const headers = { 'Content-Type': options.type ?? MERGE_PATCH };
    return this.api.request('PATCH', path, { body: patch, headers, query: options.query ?? {} });
  }

  /** Merge-patches and fails unless the response is 200. */
  async change(path: string, patch: unknown): Promise<KubeObject> {
    const response = await this.patch(path, patch);
    if (response.status !== 200) throw new Error(`expected 200, got ${response.status} ${response.text}`);
    return response.json;
  }

  delete(path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.api.request('DELETE', path, options);
  }

  /** Opens a watch that ends with the case at the latest; `watch=1` is added. */
  async watch(
    path: string,
    query: Query = {},
    headers: RequestOptions['headers'] = {},
  ): Promise<WatchStream> {
    const stream = await this.api.stream(path, { watch: 1, ...query }, headers);
    this.#watches.push(stream);
    if (stream.status !== 200) throw new Error(`expected a watch, got ${stream.status}`);
    return stream;
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close();
    for (const collection of this.#collections) await this.#empty(collection);
    for (const path of this.#clusterObjects) await this.#remove(path);
    await this.#remove(`/api/v1/namespaces/${this.name}`);
  }

  async #remove(path: string): Promise<void> {
    const deleted = await this.delete(path, { query: { gracePeriodSeconds: 0 } });
    // Without a namespace controller a namespace stays Terminating until somebody finalizes it.
    if (deleted.status === 200 && deleted.json.kind === 'Namespace') {
      const body = { ...deleted.json, spec: { finalizers: [] } };
      await this.api.request('PUT', `${path}/finalize`, { body });
    }
  }

  async #empty(collection: string): Promise<void> {
    const list = await this.api.get(collection);
    if (list.status !== 200) return;
    if (list.json.items.length === 0) return;
    await this.delete(collection, { query: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
    for (const item of list.json.items) {
      const path = `${collection}/${item.metadata.name}`;
      const left = await this.api.get(path);
      if (left.status === 200) await this.patch(path, { metadata: { finalizers: null } });
    }
  }
}

async function expectCreated(response: ApiResponse): Promise<KubeObject> {
  if (response.status !== 201)
    throw new Error(`expected 201 Created, got ${response.status} ${response.text}`);
  return response.json;
}
