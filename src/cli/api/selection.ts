import type { InformerOptions } from '../../index.js';
import type { OptionTable, ParsedArguments } from '../arguments/option-table.js';
import { UsageError } from '../arguments/usage-error.js';
import { CONNECTION_OPTIONS } from '../connection-options.js';
import type { ApiClient } from './api-client.js';
import { apiVersionOf, type DiscoveredResource, discover, findResource } from './discovery.js';

/** Which objects: of every command that watches some. */
export const SELECTION_OPTIONS: OptionTable = {
  namespace: {
    short: 'n',
    value: 'name',
    isMultiple: true,
    help: "in this namespace; several times for several (default the context's)",
  },
  'all-namespaces': { short: 'A', help: 'in all namespaces' },
  selector: { short: 'l', value: 'selector', help: 'with these labels: app=shop,tier!=cache' },
  'field-selector': { value: 'selector', help: 'with these fields: spec.nodeName=node-17' },
  ...CONNECTION_OPTIONS,
};

export interface SelectedResource {
  readonly resource: DiscoveredResource;
  readonly informer: InformerOptions & { readonly kind: string };
}

/** The resources of these names, as informers are asked for them. Throws if the server has no such resource. */
export async function selectResources(
  client: ApiClient,
  names: readonly string[],
  parsed: ParsedArguments,
  contextNamespace: string,
): Promise<SelectedResource[]> {
  const resources = await discover(client);
  return names.map((name) => {
    const resource = findResource(resources, name);
    if (resource === undefined) {
      throw new Error(
        `the server has no resource ${JSON.stringify(name)} that can be listed; "kubectl api-resources" names them`,
      );
    }
    return { resource, informer: informerOptions(resource, parsed, contextNamespace) };
  });
}

function informerOptions(
  resource: DiscoveredResource,
  parsed: ParsedArguments,
  contextNamespace: string,
): SelectedResource['informer'] {
  const labelSelector = parsed.text('selector');
  const fieldSelector = parsed.text('field-selector');
  const given = parsed.texts('namespace');
  const isAll = parsed.flag('all-namespaces');
  if (isAll && given.length > 0) throw new UsageError('give either --namespace or --all-namespaces');
  const namespace = !resource.isNamespaced || isAll ? [] : given.length > 0 ? given : [contextNamespace];
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    plural: resource.plural,
    ...(namespace.length > 0 && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}
