/** Discovery of everything in one document: APIGroupDiscoveryList of apidiscovery.k8s.io/v2. */

import type { Resource } from '../resources/resource.js';
import { versionsOf } from './legacy-discovery.js';
import { subresourcesOf } from './subresource.js';

/** `/api` holds the core group alone, `/apis` all others: built-in ones in their order, then custom ones by name. */
export function aggregatedDiscovery(resources: readonly Resource[], path: '/api' | '/apis'): object {
  const served = resources.filter(({ group }) => (path === '/api') === (group === ''));
  const builtIn = served.filter(({ isCustom }) => !isCustom).map(({ group }) => group);
  const custom = served.filter(({ isCustom }) => isCustom).map(({ group }) => group);
  const groups = new Set([...builtIn, ...custom.sort()]);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: [...groups].map((group) => describeGroup(served, group)),
  };
}

function describeGroup(resources: readonly Resource[], group: string): object {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versionsOf(resources, group).map((version) => ({
      version,
      resources: resources
        .filter((resource) => resource.group === group && resource.version === version)
        .sort((a, b) => (a.plural < b.plural ? -1 : 1))
        .map(describeResource),
      freshness: 'Current',
    })),
  };
}

function describeResource(resource: Resource): object {
  const subresources = subresourcesOf(resource).map(({ name, kind, kindVersion, verbs }) => ({
    subresource: name,
    responseKind: { ...(kindVersion ?? ownGroupVersion(resource)), kind },
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { ...ownGroupVersion(resource), kind: resource.kind },
    scope: resource.isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Empty for built-in kinds, which means the enclosing group and version. */
function ownGroupVersion(resource: Resource): { group: string; version: string } {
  return resource.isCustom
    ? { group: resource.group, version: resource.version }
    : { group: '', version: '' };
}
