import type { KubernetesObject } from '../kube/object.js';
import { KubeflectError } from '../util/errors.js';

/** Why the objects of a cache are not those of the API server. */
export interface MissingContent {
  readonly reason: string;
  /** The paths that are known to be missing. */
  readonly paths: readonly string[];
}

/** An update with the object from this cache would remove from the server what the cache does not have. */
export class IncompleteObjectError extends KubeflectError {
  readonly key: string;
  /** The paths that were dropped; empty if something else is missing, or may be. */
  readonly paths: readonly string[];

  constructor(key: string, { reason, paths }: MissingContent) {
    super(
      'KUBEFLECT_OBJECT_INCOMPLETE',
      `expected a complete object to update ${key}, but ${reason}: an update would remove what is missing from the ` +
        'server; send a patch, or read the object from the server first',
    );
    this.key = key;
    this.paths = paths;
  }
}

/** A copy to change and to send. Throws an `IncompleteObjectError` if something is missing. */
export function objectForUpdate<T extends KubernetesObject>(
  key: string,
  object: T,
  missing: MissingContent | undefined,
): T {
  if (missing !== undefined) throw new IncompleteObjectError(key, missing);
  return structuredClone(object);
}
