/** One served resource in one version, as at `/apis/{group}/{version}/{plural}`. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The version in which objects are stored; reads convert the apiVersion. */
  readonly storageVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  /**
   * The JSON of custom resources has all keys sorted, their list items have kind and apiVersion, and `metadata`
   * follows `items`.
   */
  readonly isCustom: boolean;
  readonly verbs: readonly string[];
  readonly hasStatus: boolean;
  /** Further subresources in discovery, e.g. `log`; those that are not implemented are rejected. */
  readonly subresources: readonly string[];
  /** The paths that `scale` reads and writes; undefined without that subresource. */
  readonly scale: ScalePaths | undefined;
  /** Field labels besides metadata.name and metadata.namespace for field selectors, with the path of the value. */
  readonly selectableFields: Readonly<Record<string, string>>;
  /** DELETE returns the object instead of a Status. */
  readonly deleteReturnsObject: boolean;
  /** PUT without a resourceVersion is accepted. */
  readonly allowsUnconditionalUpdate: boolean;
  /** PUT creates a missing object. */
  readonly allowsCreateOnUpdate: boolean;
  /** metadata.generation increases with changes of the spec. */
  readonly hasGeneration: boolean;
  /** Events are served directly from storage: real pages for `resourceVersion=0`, no periodic bookmarks. */
  readonly hasWatchCache: boolean;
  /** Header `Warning: 299 - "…"` of each response for a deprecated resource. */
  readonly deprecationWarning: string | undefined;
  /** OpenAPI schema of a custom resource's version; without one, every field is kept. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Printer columns of a custom resource's version. */
  readonly columns: readonly PrinterColumn[];
}

/** Paths with a leading dot, as in definitions. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** The path of a label selector, a string or an object. */
  readonly selector: string | undefined;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description: string;
  readonly priority: number;
}

export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `pods`, `deployments.apps`: the name in storage and messages, shared by all versions of a resource. */
export function groupResourceOf(resource: Pick<Resource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}
