/** One served resource at one version: what a path like `/apis/{group}/{version}/{plural}` leads to. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The version that objects are stored under; another one is put on when they are read. */
  readonly storageVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  /** Custom resources are written with all keys sorted, their list items carry kind and apiVersion, and `metadata` follows `items`. */
  readonly isCustom: boolean;
  readonly verbs: readonly string[];
  readonly hasStatus: boolean;
  /** Further subresources that discovery names, e.g. `log`; what is not served is refused by name. */
  readonly subresources: readonly string[];
  /** Where `scale` finds what it shows; undefined where there is no such subresource. */
  readonly scale: ScalePaths | undefined;
  /** Field labels beyond metadata.name and metadata.namespace that a field selector may use, with the path of the value. */
  readonly selectableFields: Readonly<Record<string, string>>;
  /** DELETE answers with the object itself instead of a Status. */
  readonly deleteReturnsObject: boolean;
  /** PUT without a resourceVersion is taken. */
  readonly allowsUnconditionalUpdate: boolean;
  /** PUT to a name that is not there creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** metadata.generation is kept and grows with the spec. */
  readonly hasGeneration: boolean;
  /** Events are served straight from storage: real pages for `resourceVersion=0`, no periodic bookmarks. */
  readonly hasWatchCache: boolean;
  /** Header `Warning: 299 - "…"` sent with each answer of a deprecated resource. */
  readonly deprecationWarning: string | undefined;
  /** OpenAPI schema of a custom resource's version; undefined keeps every field. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Printer columns of a custom resource's version. */
  readonly columns: readonly PrinterColumn[];
}

/** Paths with a leading dot, as definitions write them. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Of a label selector, as text or as an object. */
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

/** `pods`, `deployments.apps`: the name under which storage and messages know it; all versions of a resource share it. */
export function groupResourceOf(resource: Pick<Resource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}
