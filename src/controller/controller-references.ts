import { keyOfObject } from '../kube/key.js';
import { isNonEmptyString, type KubernetesObject } from '../kube/object.js';
import {
  controllerOf,
  isControlledBy,
  type OwnedObject,
  type OwnerReference,
} from '../kube/owner-reference.js';
import { KubeflectError } from '../util/errors.js';
import { type GuardedPatch, guardedPatch } from './guarded-patch.js';

export interface ControllerReferenceOptions {
  /** Foreground deletion of the owner waits for the child. @default true */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * Returns the child with `owner` as its controller, to be created or applied: it is deleted with its owner, and its
 * changes are its owner's (`owns`). The child that was passed stays as it is.
 *
 * Throws `KUBEFLECT_ALREADY_OWNED` if another object is its controller, and `KUBEFLECT_OWNER_INVALID` if the owner lacks
 * its type, name or uid, or is in another namespace.
 */
export function setControllerReference<T extends OwnedObject>(
  owner: KubernetesObject,
  child: T,
  options: ControllerReferenceOptions = {},
): T {
  const ownerReferences = referencesWith(owner, child, options);
  return { ...child, metadata: { ...child.metadata, ownerReferences } };
}

/**
 * The patch that makes `owner` the controller of an existing child, as controllers adopt orphans; undefined if it is.
 * Throws what `setControllerReference` throws.
 */
export function addControllerReference(
  owner: KubernetesObject,
  child: OwnedObject,
  options: ControllerReferenceOptions = {},
): GuardedPatch | undefined {
  const ownerReferences = referencesWith(owner, child, options);
  return isControlledBy(child, owner) ? undefined : guardedPatch(child, { ownerReferences });
}

/** The patch that releases a child from its controller; undefined if `owner` is not its controller. */
export function removeControllerReference(
  owner: KubernetesObject,
  child: OwnedObject,
): GuardedPatch | undefined {
  if (!isControlledBy(child, owner)) return undefined;
  const { uid } = owner.metadata ?? {};
  return guardedPatch(child, { ownerReferences: referencesOf(child).filter((other) => other.uid !== uid) });
}

function referencesOf(child: OwnedObject): readonly OwnerReference[] {
  return child.metadata?.ownerReferences ?? [];
}

/** In place of an owner reference to the same object, or as the last one. */
function referencesWith(
  owner: KubernetesObject,
  child: OwnedObject,
  { blockOwnerDeletion = true }: ControllerReferenceOptions,
): OwnerReference[] {
  const reference = { ...referenceTo(owner), controller: true, blockOwnerDeletion };
  checkScope(owner, child);
  const current = controllerOf(child);
  if (current !== undefined && current.uid !== reference.uid) {
    throw new KubeflectError(
      'KUBEFLECT_ALREADY_OWNED',
      `${describe(child)} already has the controller ${current.kind} "${current.name}"`,
    );
  }
  const others = referencesOf(child);
  const isKnown = others.some(({ uid }) => uid === reference.uid);
  return isKnown
    ? others.map((other) => (other.uid === reference.uid ? reference : other))
    : [...others, reference];
}

function referenceTo(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata: { name, uid } = {} } = owner;
  const fields = { apiVersion, kind, name, uid };
  const missing = Object.entries(fields).flatMap(([field, value]) =>
    isNonEmptyString(value) ? [] : [field],
  );
  if (missing.length > 0) {
    throw invalidOwner(
      `the owner lacks ${missing.join(', ')}; pass an object as an informer or the API server returns it`,
    );
  }
  return fields as OwnerReference;
}

function checkScope(owner: KubernetesObject, child: OwnedObject): void {
  const { namespace: ownerNamespace } = owner.metadata ?? {};
  if (!isNonEmptyString(ownerNamespace)) return;
  const { namespace } = child.metadata ?? {};
  if (!isNonEmptyString(namespace)) {
    throw invalidOwner(
      `the owner ${keyOfObject(owner)} has a namespace, so ${describe(child)} needs metadata.namespace, too; ` +
        'a cluster-scoped object cannot have an owner with a namespace',
    );
  }
  if (namespace !== ownerNamespace) {
    throw invalidOwner(
      `the owner ${keyOfObject(owner)} and ${describe(child)} are in different namespaces; ` +
        'the child would be deleted as garbage',
    );
  }
}

/** A child that is to be created may have no name yet, because of `generateName`. */
function describe(child: OwnedObject): string {
  return isNonEmptyString(child.metadata?.name) ? keyOfObject(child) : 'the child';
}

function invalidOwner(message: string): KubeflectError {
  return new KubeflectError('KUBEFLECT_OWNER_INVALID', message);
}
