import type { Environment } from '../environment.js';
import type { Resource } from '../resources/resource.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import type { StoredObject } from '../storage/stored-object.js';

/** Who writes, and whether it is meant. */
export interface WriteOptions {
  /** Name for managedFields. */
  readonly manager: string;
  readonly isDryRun: boolean;
  readonly subresource?: string;
  /** The object comes with the managedFields that it is to have, as after an apply. */
  readonly isTracked?: boolean;
  /** Called with each `Warning` header that the answer is to carry; may throw to refuse instead. */
  readonly warn?: (message: string) => void;
}

export interface Target {
  readonly resource: Resource;
  /** Undefined for resources without namespaces. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** What the checks before a write may look at. */
export interface ObjectAccess {
  readonly resources: ResourceRegistry;
  readonly environment: Environment;
  find(target: Target): StoredObject | undefined;
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
