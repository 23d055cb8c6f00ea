/** Unaggregated discovery: APIVersions, APIGroupList, APIGroup and APIResourceList, in the key order of the wire. */

import { createHash } from 'node:crypto';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import { subresourcesOf } from './subresource.js';
import { compareVersions } from './version-order.js';

/** Kinds that kube-apiserver stores in another version than it serves, which is visible only in the hash. */
const STORED_VERSIONS: Readonly<Record<string, string>> = { CustomResourceDefinition: 'v1beta1' };

/** `/api`; `serverAddress` is host and port as clients reach them. */
export function apiVersions(serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis` */
export function apiGroupList(resources: readonly Resource[]): object {
  const groups = [...new Set(resources.map(({ group }) => group))].filter((group) => group !== '');
  const isCustom = (group: string): boolean =>
    resources.some((resource) => resource.group === group && resource.isCustom);
  // kube-apiserver orders groups of equal priority by the names of their APIServices, of which each version has one.
  const firstService = (group: string): string =>
    versionsOf(resources, group)
      .map((version) => `${version}.${group}`)
      .sort()[0] ?? '';
  const custom = groups.filter(isCustom).sort((a, b) => (firstService(a) < firstService(b) ? -1 : 1));
  const ordered = [...groups.filter((group) => !isCustom(group)), ...custom];
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: ordered.map((group) => describeGroup(resources, group)),
  };
}

/** `/apis/{group}`; undefined when nothing is served in it. */
export function apiGroup(resources: readonly Resource[], group: string): object | undefined {
  if (!resources.some((resource) => resource.group === group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(resources, group) };
}

/** `/api/v1` and `/apis/{group}/{version}`; undefined when nothing is served in it. */
export function apiResourceList(
  resources: readonly Resource[],
  group: string,
  version: string,
): object | undefined {
  const served = resources
    .filter((resource) => resource.group === group && resource.version === version)
    .sort((a, b) => (a.plural < b.plural ? -1 : 1));
  const [first] = served;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    // The list of the core group has no apiVersion.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(first),
    resources: served.flatMap((resource) => [describeResource(resource), ...describeSubresources(resource)]),
  };
}

/** The preferred version first. */
export function versionsOf(resources: readonly Resource[], group: string): string[] {
  const served = resources.filter((resource) => resource.group === group);
  return [...new Set(served.map(({ version }) => version))].sort(compareVersions);
}

function describeGroup(resources: readonly Resource[], group: string): object {
  const versions = versionsOf(resources, group).map((version) => ({
    groupVersion: apiVersionOf({ group, version }),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function describeResource(resource: Resource): object {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.isNamespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    storageVersionHash: storageVersionHash(resource),
  };
}

function describeSubresources(resource: Resource): object[] {
  return subresourcesOf(resource).map(({ name, kind, kindVersion, verbs }) => ({
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.isNamespaced,
    ...kindVersion,
    kind,
    verbs,
  }));
}

function storageVersionHash({ group, storageVersion, kind }: Resource): string {
  const stored = STORED_VERSIONS[kind] ?? storageVersion;
  const digest = createHash('sha256').update(`${group}/${stored}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
