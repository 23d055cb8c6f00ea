import { Engine, type KubeflectError, type SharedInformer } from '../../index.js';
import type { ParsedArguments } from '../arguments/parse-arguments.js';
import { ApiClient } from './api-client.js';
import { pathOf } from './discovery.js';
import { type SelectedResource, selectedKubeConfig, selectResources } from './resource-selection.js';

export interface OpenInformer extends SelectedResource {
  readonly informer: SharedInformer;
  /** The number of objects before the informer was started, if the server reports it. */
  readonly total: number | undefined;
}

export interface OpenInformers extends AsyncDisposable {
  readonly engine: Engine;
  readonly informers: readonly OpenInformer[];
}

export interface OpenInformersOptions {
  /** Index names and the paths of their values. */
  readonly indexers?: Readonly<Record<string, string>>;
  readonly onError: (error: KubeflectError) => void;
}

/** An engine with an informer for each resource, not started. Rejects if the server or a resource is not found. */
export async function openInformers(
  parsed: ParsedArguments,
  names: readonly string[],
  { indexers, onError }: OpenInformersOptions,
): Promise<OpenInformers> {
  const kubeConfig = await selectedKubeConfig(parsed);
  const client = new ApiClient(kubeConfig);
  try {
    const selected = await selectResources(client, names, parsed, kubeConfig.namespace);
    const totals = await Promise.all(selected.map((resource) => countObjects(client, resource)));
    const engine = new Engine({ kubeConfig, onError });
    const informers = selected.map((resource, i) => ({
      ...resource,
      informer: engine.informer({ ...resource.options, ...(indexers && { indexers }) }),
      total: totals[i],
    }));
    return { engine, informers, [Symbol.asyncDispose]: () => engine.close() };
  } finally {
    client.close();
  }
}

interface ListPage {
  readonly items?: readonly unknown[];
  readonly metadata?: { readonly remainingItemCount?: number; readonly continue?: string };
}

/** A page of one item reports how many remain, unless there is a selector. */
async function countObjects(
  client: ApiClient,
  { resource, options }: SelectedResource,
): Promise<number | undefined> {
  if (options.labelSelector !== undefined || options.fieldSelector !== undefined) return undefined;
  const namespaces = options.namespace === undefined ? [undefined] : [options.namespace].flat();
  const counts = await Promise.all(
    namespaces.map(async (namespace) => {
      const { items = [], metadata } = await client.json<ListPage>(`${pathOf(resource, namespace)}?limit=1`);
      return metadata?.continue ? items.length + (metadata.remainingItemCount ?? Number.NaN) : items.length;
    }),
  ).catch(() => [Number.NaN]);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Number.isNaN(total) ? undefined : total;
}
