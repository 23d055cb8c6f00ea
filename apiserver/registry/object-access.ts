import type { Environment } from '../environment.js';
import type { Resource } from '../resources/resource.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import type { StoredObject } from '../storage/stored-object.js';

/** Options of a write. */
export interface WriteOptions {
  /** The manager in managedFields. */
  readonly manager: string;
  readonly isDryRun: boolean;
  readonly subresource?: string;
  /** The object already has its final managedFields, as after an apply. */
  readonly isTracked?: boolean;
  /** Called with each `Warning` header for the response; may throw to reject the request instead. */
  readonly warn?: (message: string) => void;
}

export interface Target {
  readonly resource: Resource;
  /** Undefined for cluster-scoped resources. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** What the checks before a write have access to. */
export interface ObjectAccess {
  readonly resources: ResourceRegistry;
  readonly environment: Environment;
  find(target: Target): StoredObject | undefined;
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}
