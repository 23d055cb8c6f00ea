import { isDeepStrictEqual } from 'node:util';
import { ApiException, type CoreV1Api, type V1ConfigMap, type V1Namespace } from '@kubernetes/client-node';
import { type Controller, type Engine, type Entry, runController } from 'kubeflect';
import {
  BucketRateLimiter,
  ItemExponentialFailureRateLimiter,
  MaxOfRateLimiter,
  type ReconcileWrites,
} from 'kubeflect/controller';

/** Label of a ConfigMap that is to be copied. */
export const SOURCE_LABEL = 'copy.example.com/source';
/** Label of copies: the controller made them, and may change and delete them. */
export const COPY_LABEL = 'copy.example.com/copy';
/** On copies: `namespace/name` of the original. */
export const SOURCE_ANNOTATION = 'copy.example.com/source';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

export interface Copier extends AsyncDisposable {
  readonly controller: Controller;
}

/** Keeps a copy of every labelled ConfigMap in every namespace. A ConfigMap of that name that is not a copy is left alone. */
export function copyConfigMaps(engine: Engine, api: CoreV1Api): Copier {
  const sources = engine.informer<V1ConfigMap>({ ...CONFIG_MAPS, labelSelector: `${SOURCE_LABEL}=true` });
  const copies = engine.informer<V1ConfigMap>({
    ...CONFIG_MAPS,
    labelSelector: `${COPY_LABEL}=true`,
    indexers: { bySource: `metadata.annotations['${SOURCE_ANNOTATION}']` },
  });
  const namespaces = engine.informer<V1Namespace>({
    apiVersion: 'v1',
    kind: 'Namespace',
    plural: 'namespaces',
  });

  const controller = runController({
    informer: sources,
    watches: [
      // A copy was changed or deleted.
      { informer: copies, keys: (copy: Entry<V1ConfigMap>) => copy.indexValues('bySource') ?? [] },
      // A namespace was created: everything must be copied into it.
      { informer: namespaces, keys: () => sources.indexer.listKeys() },
    ],
    concurrency: 4,
    name: 'config-map-copier',
    metrics: engine.metrics,
    rateLimiter: new MaxOfRateLimiter(
      new ItemExponentialFailureRateLimiter(50, 30_000),
      new BucketRateLimiter({ perSecond: 50 }),
    ),
    // What is written is reported: the key is not reconciled again before the caches show it.
    async reconcile(key, writes) {
      const source = sources.lister.get(key);
      const targets = new Set(source === undefined ? [] : targetsOf(source));
      for (const copy of copies.lister.byIndex('bySource', key)) {
        const namespace = copy.metadata?.namespace ?? '';
        if (source !== undefined && targets.delete(namespace)) await update(copy, source, writes);
        else await remove(copy, writes);
      }
      if (source === undefined) return;
      for (const namespace of targets) await create(source, key, namespace, writes);
    },
  });

  function targetsOf(source: V1ConfigMap): string[] {
    return namespaces.lister
      .list()
      .filter(
        ({ metadata, status }) => metadata?.name !== source.metadata?.namespace && status?.phase === 'Active',
      )
      .map(({ metadata }) => metadata?.name ?? '');
  }

  async function create(
    source: V1ConfigMap,
    key: string,
    namespace: string,
    { wrote }: ReconcileWrites,
  ): Promise<void> {
    const name = source.metadata?.name ?? '';
    const metadata = { name, labels: { [COPY_LABEL]: 'true' }, annotations: { [SOURCE_ANNOTATION]: key } };
    try {
      wrote(
        copies,
        await api.createNamespacedConfigMap({ namespace, body: { ...contentOf(source), metadata } }),
      );
    } catch (error) {
      if (codeOf(error) !== 409) throw error;
      const existing = await api.readNamespacedConfigMap({ namespace, name });
      // A copy that is not cached yet: its event triggers another reconcile. Anything else is not a copy.
      if (existing.metadata?.labels?.[COPY_LABEL] !== 'true')
        console.warn(`${namespace}/${name} is no copy, and stays`);
    }
  }

  async function update(copy: V1ConfigMap, source: V1ConfigMap, { wrote }: ReconcileWrites): Promise<void> {
    if (isDeepStrictEqual(contentOf(copy), contentOf(source))) return;
    const { name = '', namespace = '' } = copy.metadata ?? {};
    // With its resource version: if it has changed meanwhile, this fails and is retried.
    const updated = await api.replaceNamespacedConfigMap({
      namespace,
      name,
      body: { ...contentOf(source), metadata: copy.metadata ?? {} },
    });
    wrote(copies, updated);
  }

  async function remove(copy: V1ConfigMap, { wroteDelete }: ReconcileWrites): Promise<void> {
    const { name = '', namespace = '', uid = '' } = copy.metadata ?? {};
    try {
      const body = { preconditions: { uid } };
      wroteDelete(copies, copy, await api.deleteNamespacedConfigMap({ namespace, name, body }));
    } catch (error) {
      if (codeOf(error) !== 404) throw error;
    }
  }

  return { controller, [Symbol.asyncDispose]: () => controller.stop() };
}

function contentOf({ data = {}, binaryData = {} }: V1ConfigMap): Pick<V1ConfigMap, 'data' | 'binaryData'> {
  return { data, binaryData };
}

function codeOf(error: unknown): number | undefined {
  return error instanceof ApiException ? error.code : undefined;
}
