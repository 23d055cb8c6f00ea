import type { InformerOptions } from '../../index.js';
import { type OptionTable, type ParsedArguments, UsageError } from '../arguments/parse-arguments.js';
import { type LoadedKubeConfig, loadKubeConfig } from '../kube-config/load-kube-config.js';
import type { ApiClient } from './api-client.js';
import { apiVersionOf, type DiscoveredResource, discover, findResource } from './discovery.js';

/** For every command that connects to a cluster. */
export const CLUSTER_OPTIONS: OptionTable = {
  kubeconfig: { value: 'file', help: 'Path of the kubeconfig (default: KUBECONFIG, or ~/.kube/config)' },
  context: { value: 'name', help: 'Context of the kubeconfig (default: the current one)' },
};

/** For every command that watches objects. */
export const SELECTION_OPTIONS: OptionTable = {
  namespace: {
    short: 'n',
    value: 'name',
    isMultiple: true,
    help: 'Namespace; can be repeated (default: that of the context)',
  },
  'all-namespaces': { short: 'A', help: 'All namespaces' },
  selector: { short: 'l', value: 'selector', help: 'Label selector, e.g. app=shop,tier!=cache' },
  'field-selector': { value: 'selector', help: 'Field selector, e.g. spec.nodeName=node-17' },
  ...CLUSTER_OPTIONS,
};

/** Rejects with a `KubeConfigError`. */
export function selectedKubeConfig(parsed: ParsedArguments): Promise<LoadedKubeConfig> {
  return loadKubeConfig({ file: parsed.string('kubeconfig'), context: parsed.string('context') });
}

export interface SelectedResource {
  readonly resource: DiscoveredResource;
  readonly options: InformerOptions & { readonly kind: string };
}

/** Finds the resources of these names, and the informer options for them. Rejects if the server lacks one. */
export async function selectResources(
  client: ApiClient,
  names: readonly string[],
  parsed: ParsedArguments,
  contextNamespace: string,
): Promise<SelectedResource[]> {
  const resources = await discover(client);
  return names.map((name) => {
    const resource = findResource(resources, name);
    if (resource !== undefined)
      return { resource, options: informerOptions(resource, parsed, contextNamespace) };
    throw new Error(
      `the server has no listable resource ${JSON.stringify(name)}; "kubectl api-resources" prints all`,
    );
  });
}

function informerOptions(
  resource: DiscoveredResource,
  parsed: ParsedArguments,
  contextNamespace: string,
): SelectedResource['options'] {
  const labelSelector = parsed.string('selector');
  const fieldSelector = parsed.string('field-selector');
  const namespaces = selectedNamespaces(parsed, contextNamespace);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    plural: resource.plural,
    ...(resource.isNamespaced && namespaces.length > 0 && { namespace: namespaces }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

/** Empty for all namespaces. */
function selectedNamespaces(parsed: ParsedArguments, contextNamespace: string): readonly string[] {
  const namespaces = parsed.strings('namespace');
  if (!parsed.flag('all-namespaces')) return namespaces.length > 0 ? namespaces : [contextNamespace];
  if (namespaces.length > 0) throw new UsageError('--namespace and --all-namespaces exclude each other');
  return [];
}
