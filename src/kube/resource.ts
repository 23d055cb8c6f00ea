/** A kind as the API serves it. */
export interface Resource {
  /** `v1`, `apps/v1`, … */
  readonly apiVersion: string;
  readonly kind: string;
  /** As in URLs: `pods`. */
  readonly plural: string;
}

/**
 * `/api/v1/namespaces/shop/pods`. Without a namespace: the collection of all namespaces, or of a cluster-scoped kind.
 */
export function collectionPath({ apiVersion, plural }: Resource, namespace: string | undefined): string {
  // The core group is older than API groups, and has its own root.
  const root = apiVersion.includes('/') ? '/apis/' : '/api/';
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${apiVersion}${scope}/${encodeURIComponent(plural)}`;
}

/** `?a=1&b=2`, without undefined and empty values; the empty string if none are left. */
export function queryString(
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.append(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

export function groupAndVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}
