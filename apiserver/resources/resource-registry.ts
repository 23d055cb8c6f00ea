import { BUILT_IN_RESOURCES } from './built-in-resources.js';
import { apiVersionOf, groupResourceOf, type Resource } from './resource.js';

/** The resources currently served: built-in kinds and those declared by CustomResourceDefinitions. */
export class ResourceRegistry {
  readonly #builtIn: readonly Resource[];
  readonly #byPath = new Map<string, Resource>();
  readonly #byKind = new Map<string, Resource>();
  /** In the order in which they were added. */
  readonly #custom = new Map<string, readonly Resource[]>();

  constructor(builtIn: readonly Resource[] = BUILT_IN_RESOURCES) {
    this.#builtIn = builtIn;
    for (const resource of builtIn) this.#index(resource);
  }

  lookup(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  byKind(apiVersion: string, kind: string): Resource | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  hasGroup(group: string): boolean {
    return this.all().some((resource) => resource.group === group);
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some((resource) => resource.group === group && resource.version === version);
  }

  /** An unknown resource in such a group is a 404 with a Status, in any other a 404 in plain text. */
  isBuiltInGroup(group: string): boolean {
    return this.#builtIn.some((resource) => resource.group === group);
  }

  /** Built-in resources first, then those of each definition. */
  all(): readonly Resource[] {
    return [...this.#builtIn, ...[...this.#custom.values()].flat()];
  }

  /** Adds the served versions of one definition, replacing what it declared before. */
  addCustom(resources: readonly Resource[]): void {
    const [first] = resources;
    if (first === undefined) return;
    const crdName = groupResourceOf(first);
    this.removeCustom(crdName);
    this.#custom.set(crdName, resources);
    for (const resource of resources) this.#index(resource);
  }

  /** `crdName` is `{plural}.{group}`. Removing what is not there does nothing. */
  removeCustom(crdName: string): void {
    for (const resource of this.#custom.get(crdName) ?? []) {
      this.#byPath.delete(pathKey(resource));
      this.#byKind.delete(kindKey(resource));
    }
    this.#custom.delete(crdName);
  }

  #index(resource: Resource): void {
    this.#byPath.set(pathKey(resource), resource);
    this.#byKind.set(kindKey(resource), resource);
  }
}

function pathKey({ group, version, plural }: Resource): string {
  return `${group}/${version}/${plural}`;
}

function kindKey(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.kind}`;
}
