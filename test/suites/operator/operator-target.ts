import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ApiException,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  loadYaml,
  PatchStrategy,
  setHeaderOptions,
  type V1Secret,
} from '@kubernetes/client-node';
import { vi } from 'vitest';
import { type ApiToken, TOKEN_LABEL } from '../../../examples/api-token-operator/api-token.js';
import { ROOT } from '../../support/source/source-files.js';

const CRD = join(ROOT, 'examples/api-token-operator/crd.yaml');
const RESOURCE = { group: 'example.com', version: 'v1', plural: 'apitokens' } as const;
const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
/** Requests at a time. */
const PARALLEL = 20;

/** An API server with the custom resource of the example, as its users see it, in a namespace of the test. */
export class OperatorTarget {
  readonly kubeConfigFile: string;
  readonly namespace: string;
  readonly #core: CoreV1Api;
  readonly #custom: CustomObjectsApi;
  readonly #coordination: CoordinationV1Api;

  private constructor(kubeConfigFile: string, kubeConfig: KubeConfig, namespace: string) {
    this.kubeConfigFile = kubeConfigFile;
    this.namespace = namespace;
    this.#core = kubeConfig.makeApiClient(CoreV1Api);
    this.#custom = kubeConfig.makeApiClient(CustomObjectsApi);
    this.#coordination = kubeConfig.makeApiClient(CoordinationV1Api);
  }

  static async open(kubeConfigFile: string): Promise<OperatorTarget> {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(kubeConfigFile);
    const namespace = `operator-${process.pid}`;
    const target = new OperatorTarget(kubeConfigFile, kubeConfig, namespace);
    const objects = KubernetesObjectApi.makeApiClient(kubeConfig);
    await objects.create(loadYaml<KubernetesObject>(readFileSync(CRD, 'utf8'))).catch(unlessCode(409));
    await target.#core.createNamespace({ body: { metadata: { name: namespace } } });
    await vi.waitFor(() => target.tokens(), { timeout: 30_000 });
    return target;
  }

  create(names: readonly string[]): Promise<void> {
    const { namespace } = this;
    return inParallel(names, (name) =>
      this.#custom.createNamespacedCustomObject({
        ...RESOURCE,
        namespace,
        body: { apiVersion: 'example.com/v1', kind: 'ApiToken', metadata: { name }, spec: {} },
      }),
    );
  }

  rotate(names: readonly string[], rotation: number): Promise<void> {
    const { namespace } = this;
    return inParallel(names, (name) =>
      this.#custom.patchNamespacedCustomObject(
        { ...RESOURCE, namespace, name, body: { spec: { rotation } } },
        MERGE_PATCH,
      ),
    );
  }

  delete(names: readonly string[]): Promise<void> {
    const { namespace } = this;
    return inParallel(names, (name) =>
      this.#custom.deleteNamespacedCustomObject({ ...RESOURCE, namespace, name }),
    );
  }

  async tokens(): Promise<ApiToken[]> {
    const { namespace } = this;
    const list = await this.#custom.listNamespacedCustomObject({ ...RESOURCE, namespace });
    return (list as { items: ApiToken[] }).items;
  }

  async secrets(): Promise<V1Secret[]> {
    const { namespace } = this;
    return (await this.#core.listNamespacedSecret({ namespace, labelSelector: TOKEN_LABEL })).items;
  }

  /** Of the Lease: empty when it was given back. */
  async holder(): Promise<string | undefined> {
    const { namespace } = this;
    const lease = await this.#coordination.readNamespacedLease({ name: 'api-token-operator', namespace });
    return lease.spec?.holderIdentity;
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

function unlessCode(code: number): (error: ApiException<unknown>) => void {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
