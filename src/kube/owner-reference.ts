import type { KubernetesObject, ObjectMeta } from './object.js';

/** `metadata.ownerReferences` of an object has one for each owner. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  /** At most one owner is the controller. */
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** An object as far as its owners are concerned. */
export interface OwnedObject extends KubernetesObject {
  metadata?: ObjectMeta & { readonly ownerReferences?: readonly OwnerReference[] };
}

/** The reference to the owner that is the object's controller (metav1's GetControllerOf). */
export function controllerOf(object: OwnedObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether `owner` is the object's controller: by uid, so that a new owner of the same name is another one. */
export function isControlledBy(object: OwnedObject, owner: KubernetesObject): boolean {
  const uid = owner.metadata?.uid;
  return uid !== undefined && uid !== '' && controllerOf(object)?.uid === uid;
}
