import type { ApiClient } from './api-client.js';

/** A resource that the server serves. */
export interface DiscoveredResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
}

/** Aggregated discovery, in two requests: servers since 1.26. Others respond with the second type. */
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

interface AggregatedList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope?: string;
        readonly singularResource?: string;
        readonly shortNames?: readonly string[];
        readonly verbs?: readonly string[];
      }[];
    }[];
  }[];
}

interface GroupList {
  readonly versions?: readonly string[];
  readonly groups?: readonly {
    readonly name: string;
    readonly preferredVersion: { readonly version: string };
  }[];
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly shortNames?: readonly string[];
    readonly verbs?: readonly string[];
  }[];
}

/** All resources of the server, the preferred version of each group first. */
export async function discover(client: ApiClient): Promise<DiscoveredResource[]> {
  const found = await Promise.all(['/api', '/apis'].map((root) => discoverUnder(client, root)));
  return found.flat();
}

async function discoverUnder(client: ApiClient, root: string): Promise<DiscoveredResource[]> {
  const list = await client.json<AggregatedList & GroupList>(root, { accept: AGGREGATED });
  if (list.kind === 'APIGroupDiscoveryList') return aggregatedResources(list);
  const versions =
    list.groups?.map(({ name, preferredVersion }) => ({ group: name, version: preferredVersion.version })) ??
    list.versions?.map((version) => ({ group: '', version })) ??
    [];
  const lists = await Promise.all(
    versions.map(async ({ group, version }) => {
      const path = group === '' ? `${root}/${version}` : `${root}/${group}/${version}`;
      // The server of an aggregated API may be down: the other groups are still there.
      const { resources = [] } = await client.json<ResourceList>(path).catch((): ResourceList => ({}));
      return resources
        .filter(({ name }) => !name.includes('/'))
        .map(({ name, singularName = '', kind, namespaced, shortNames = [], verbs = [] }) => ({
          group,
          version,
          plural: name,
          singular: singularName,
          kind,
          isNamespaced: namespaced,
          shortNames,
          verbs,
        }));
    }),
  );
  return lists.flat();
}

function aggregatedResources({ items = [] }: AggregatedList): DiscoveredResource[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(
        ({ resource, responseKind, scope, singularResource = '', shortNames = [], verbs = [] }) => ({
          group: metadata?.name ?? '',
          version,
          plural: resource,
          singular: singularResource,
          kind: responseKind?.kind ?? '',
          isNamespaced: scope === 'Namespaced',
          shortNames,
          verbs,
        }),
      ),
    ),
  );
}

/** By plural, singular, short name or kind, optionally followed by `.group` or `.version.group`, as in kubectl. */
export function findResource(
  resources: readonly DiscoveredResource[],
  query: string,
): DiscoveredResource | undefined {
  const [name = '', ...rest] = query.toLowerCase().split('.');
  const suffix = rest.join('.');
  const hasName = ({ plural, singular, kind, shortNames }: DiscoveredResource): boolean =>
    [plural, singular, kind.toLowerCase(), ...shortNames].includes(name);
  const isInGroup = ({ group, version }: DiscoveredResource): boolean =>
    suffix === '' ||
    suffix === group ||
    suffix === `${version}.${group}` ||
    (group === '' && suffix === version);
  return resources.find(
    (resource) => hasName(resource) && isInGroup(resource) && resource.verbs.includes('list'),
  );
}

export function apiVersionOf({ group, version }: DiscoveredResource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `/api/v1/namespaces/shop/pods`. */
export function pathOf(resource: DiscoveredResource, namespace?: string): string {
  const root = resource.group === '' ? '/api' : '/apis';
  const where = namespace === undefined || !resource.isNamespaced ? '' : `/namespaces/${namespace}`;
  return `${root}/${apiVersionOf(resource)}${where}/${resource.plural}`;
}
