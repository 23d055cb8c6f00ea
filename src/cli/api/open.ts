import { Engine, type KubeflectError, type SharedInformer } from '../../index.js';
import type { ParsedArguments } from '../arguments/option-table.js';
import { chosenKubeConfig } from '../connection-options.js';
import { ApiClient } from './api-client.js';
import { pathOf } from './discovery.js';
import { type SelectedResource, selectResources } from './selection.js';

export interface OpenedInformer extends SelectedResource {
  readonly informer: SelectedResource['informer'];
  readonly mirror: SharedInformer;
  /** How many objects there were when it was asked, if the server tells. */
  readonly total: number | undefined;
}

export interface Opened extends AsyncDisposable {
  readonly engine: Engine;
  readonly informers: readonly OpenedInformer[];
}

/** An engine with informers of what the arguments name, not started. Rejects if the server is not there, or has no such resource. */
export async function openInformers(
  parsed: ParsedArguments,
  names: readonly string[],
  more: {
    readonly indexers?: Readonly<Record<string, string>>;
    readonly onError: (error: KubeflectError) => void;
  },
): Promise<Opened> {
  const kubeConfig = await chosenKubeConfig(parsed);
  const client = new ApiClient(kubeConfig);
  try {
    const selected = await selectResources(client, names, parsed, kubeConfig.namespace);
    const totals = await Promise.all(selected.map((one) => totalOf(client, one)));
    const engine = new Engine({ kubeConfig, onError: more.onError });
    const informers = selected.map((one, i) => {
      const options = { ...one.informer, ...(more.indexers && { indexers: more.indexers }) };
      return { ...one, mirror: engine.informer(options), total: totals[i] };
    });
    return { engine, informers, [Symbol.asyncDispose]: () => engine.close() };
  } finally {
    client.close();
  }
}

/** Servers tell what is left of a list that was cut short, unless it was selected. */
async function totalOf(
  client: ApiClient,
  { resource, informer }: SelectedResource,
): Promise<number | undefined> {
  if (informer.labelSelector !== undefined || informer.fieldSelector !== undefined) return undefined;
  const namespaces = informer.namespace === undefined ? [undefined] : [informer.namespace].flat();
  const counts = await Promise.all(
    namespaces.map(async (namespace) => {
      const path = `${pathOf(resource, namespace)}?limit=1`;
      const { items = [], metadata } = await client.json<{
        items?: unknown[];
        metadata?: { remainingItemCount?: number; continue?: string };
      }>(path);
      return metadata?.continue ? items.length + (metadata.remainingItemCount ?? Number.NaN) : items.length;
    }),
  ).catch(() => [Number.NaN]);
  const total = counts.reduce((sum, one) => sum + one, 0);
  return Number.isNaN(total) ? undefined : total;
}
