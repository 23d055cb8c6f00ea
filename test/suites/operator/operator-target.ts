import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1Secret } from '@kubernetes/client-node';
import { vi } from 'vitest';
import { parse } from 'yaml';
import { type ApiToken, TOKEN_LABEL } from '../../../examples/api-token-operator/api-token.js';
import { ApiClient, type RequestOptions } from '../../conformance/harness/client.js';
import type { KubeObject } from '../../conformance/harness/objects.js';
import { MERGE_PATCH } from '../../conformance/harness/sandbox.js';
import { readConnection } from '../../conformance/harness/target.js';
import { ROOT } from '../../support/source/source-files.js';

const CRD = join(ROOT, 'examples/api-token-operator/crd.yaml');
/** Requests at a time. */
const PARALLEL = 20;

/**
 * An API server with the custom resource of the example, as its users see it, in a namespace of the test. Its connections
 * are kept: client-node opens one for each request, and thousands of TLS handshakes would be most of the test's work.
 */
export class OperatorTarget {
  readonly kubeConfigFile: string;
  readonly namespace: string;
  readonly #api: ApiClient;

  private constructor(kubeConfigFile: string, api: ApiClient, namespace: string) {
    this.kubeConfigFile = kubeConfigFile;
    this.namespace = namespace;
    this.#api = api;
  }

  static async open(kubeConfigFile: string): Promise<OperatorTarget> {
    const api = new ApiClient(await readConnection(readFileSync(kubeConfigFile, 'utf8')));
    const namespace = `operator-${process.pid}`;
    const target = new OperatorTarget(kubeConfigFile, api, namespace);
    const crd: unknown = parse(readFileSync(CRD, 'utf8'));
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await target.#request('POST', crds, { body: crd }, [201, 409]);
    await target.#request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } }, [201]);
    await vi.waitFor(() => target.tokens(), { timeout: 30_000 });
    return target;
  }

  create(names: readonly string[]): Promise<void> {
    return inParallel(names, (name) => {
      const body = { apiVersion: 'example.com/v1', kind: 'ApiToken', metadata: { name }, spec: {} };
      return this.#request('POST', this.#path(), { body }, [201]);
    });
  }

  rotate(names: readonly string[], rotation: number): Promise<void> {
    const patch = { headers: { 'Content-Type': MERGE_PATCH }, body: { spec: { rotation } } };
    return inParallel(names, (name) => this.#request('PATCH', this.#path(name), patch));
  }

  delete(names: readonly string[]): Promise<void> {
    return inParallel(names, (name) => this.#request('DELETE', this.#path(name)));
  }

  async tokens(): Promise<ApiToken[]> {
    return (await this.#request('GET', this.#path())).items as object[] as ApiToken[];
  }

  async secrets(): Promise<V1Secret[]> {
    const path = `/api/v1/namespaces/${this.namespace}/secrets`;
    const { items } = await this.#request('GET', path, { query: { labelSelector: TOKEN_LABEL } });
    return items as object[] as V1Secret[];
  }

  /** Of the Lease: empty when it was given back. */
  async holder(): Promise<unknown> {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases`;
    return (await this.#request('GET', `${leases}/api-token-operator`)).spec?.['holderIdentity'];
  }

  close(): void {
    this.#api.close();
  }

  #path(name?: string): string {
    const collection = `/apis/example.com/v1/namespaces/${this.namespace}/apitokens`;
    return name === undefined ? collection : `${collection}/${name}`;
  }

  async #request(
    method: string,
    path: string,
    options: RequestOptions = {},
    expected: readonly number[] = [200],
  ): Promise<KubeObject> {
    const { status, text, json } = await this.#api.request(method, path, options);
    if (!expected.includes(status)) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  }
}

async function inParallel(
  names: readonly string[],
  request: (name: string) => Promise<unknown>,
): Promise<void> {
  const rest = [...names];
  const work = async (): Promise<void> => {
    for (let name = rest.shift(); name !== undefined; name = rest.shift()) await request(name);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
