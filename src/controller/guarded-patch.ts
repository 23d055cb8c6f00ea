import { keyOfObject } from '../kube/key.js';
import { isNonEmptyString, type KubernetesObject } from '../kube/object.js';
import type { OwnerReference } from '../kube/owner-reference.js';
import { KubeflectError } from '../util/errors.js';

/**
 * A JSON merge patch, to be sent as `application/merge-patch+json`. It names its object, and has the uid and the
 * resource version of the state that it was made from: the API server answers 409 if the object has changed since, or
 * if there is a new one of the same name.
 */
export interface GuardedPatch {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly finalizers?: string[];
    readonly ownerReferences?: OwnerReference[];
  };
}

/** Throws `KUBEFLECT_OBJECT_INVALID` if the object was not read from an API server. */
export function guardedPatch(
  object: KubernetesObject,
  change: Pick<GuardedPatch['metadata'], 'finalizers' | 'ownerReferences'>,
): GuardedPatch {
  const key = keyOfObject(object);
  const { apiVersion, kind, metadata: { name = '', namespace, uid, resourceVersion } = {} } = object;
  if (!isNonEmptyString(uid) || !isNonEmptyString(resourceVersion)) {
    throw new KubeflectError(
      'KUBEFLECT_OBJECT_INVALID',
      `expected ${key} as it was read from the API server, received an object without uid or resourceVersion`,
    );
  }
  return {
    ...(isNonEmptyString(apiVersion) && { apiVersion }),
    ...(isNonEmptyString(kind) && { kind }),
    metadata: { name, ...(isNonEmptyString(namespace) && { namespace }), uid, resourceVersion, ...change },
  };
}
