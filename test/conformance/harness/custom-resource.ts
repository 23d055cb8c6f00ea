/** A custom resource with a random group, so that two runs on one server never collide. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, ApiResponse } from './client.js';
import type { Manifest } from './objects.js';
import { randomName, type Sandbox } from './sandbox.js';

export const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const POLL_INTERVAL_MS = 100;
/** A real server establishes a definition in one to three seconds; this is for a loaded one. */
const SERVED_TIMEOUT_MS = 30_000;

export class CustomResource {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly #api: ApiClient;

  constructor(api: ApiClient, scope: 'Namespaced' | 'Cluster' = 'Namespaced') {
    this.#api = api;
    this.group = `${randomName('conf')}.kubeflect.dev`;
    this.scope = scope;
  }

  /** Creates the definition and waits until its collection is served. */
  static async define(api: ApiClient, scope?: 'Namespaced' | 'Cluster'): Promise<CustomResource> {
    const resource = new CustomResource(api, scope);
    const created = await resource.create();
    if (created.status !== 201)
      throw new Error(`expected 201 Created, got ${created.status} ${created.text}`);
    await resource.served();
    return resource;
  }

  get apiVersion(): string {
    return `${this.group}/v1`;
  }

  get definitionPath(): string {
    return `${CRD_PATH}/widgets.${this.group}`;
  }

  /** The collection over all namespaces, or of a cluster-wide resource. */
  get clusterPath(): string {
    return `/apis/${this.apiVersion}/widgets`;
  }

  pathIn(ns: Sandbox, name?: string): string {
    return ns.path('widgets', name, this.apiVersion);
  }

  widget(name: string, extra: Manifest = {}): Manifest {
    const { metadata, ...rest } = extra;
    return { apiVersion: this.apiVersion, kind: 'Widget', metadata: { name, ...metadata }, ...rest };
  }

  create(): Promise<ApiResponse> {
    return this.#api.request('POST', CRD_PATH, { body: this.manifest() });
  }

  async served(): Promise<void> {
    const deadline = Date.now() + SERVED_TIMEOUT_MS;
    let last = '';
    while (Date.now() < deadline) {
      const response = await this.#api.get(this.clusterPath);
      if (response.status === 200) return;
      last = `${response.status} ${response.text}`;
      await sleep(POLL_INTERVAL_MS);
    }
    throw new Error(`${this.clusterPath} was not served in ${SERVED_TIMEOUT_MS} ms; last response ${last}`);
  }

  async remove(): Promise<void> {
    await this.#api.request('DELETE', this.definitionPath);
  }

  manifest(): Manifest {
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${this.group}` },
      spec: {
        group: this.group,
        scope: this.scope,
        names: {
          plural: 'widgets',
          singular: 'widget',
          kind: 'Widget',
          listKind: 'WidgetList',
          shortNames: ['wd'],
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.replicas',
                statusReplicasPath: '.status.replicas',
                labelSelectorPath: '.status.selector',
              },
            },
            selectableFields: [{ jsonPath: '.spec.color' }],
            additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      color: { type: 'string' },
                      size: { type: 'integer', format: 'int64', minimum: 0 },
                      mode: { type: 'string', default: 'auto' },
                      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                      replicas: { type: 'integer' },
                      whole: { type: 'array', items: { type: 'string' } },
                      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                      keyed: {
                        type: 'array',
                        'x-kubernetes-list-type': 'map',
                        'x-kubernetes-list-map-keys': ['name', 'proto'],
                        items: {
                          type: 'object',
                          required: ['name'],
                          properties: {
                            name: { type: 'string' },
                            proto: { type: 'string', default: 'TCP' },
                            value: { type: 'string' },
                          },
                        },
                      },
                    },
                  },
                  status: {
                    type: 'object',
                    properties: {
                      ready: { type: 'boolean' },
                      replicas: { type: 'integer' },
                      selector: { type: 'string' },
                    },
                  },
                },
              },
            },
          },
        ],
      },
    };
  }
}
