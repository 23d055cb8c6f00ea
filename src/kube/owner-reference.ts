import { isRecord, type KubernetesObject, type ObjectMeta } from './object.js';
import { valuesAtPath } from './path.js';

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

/**
 * Stands for a path to the uid of the controller among the paths of indexes. No path is written like that: a path has
 * no conditions.
 */
export const CONTROLLER_UID_PATH = 'metadata.ownerReferences[controller].uid';

/** The uid of the object's controller: none, or one, of an object that the API server has accepted. */
export function controllerUidsOf(object: object): readonly string[] {
  const { metadata } = object as Readonly<Record<string, unknown>>;
  return isRecord(metadata) ? uidsOfControllers(metadata['ownerReferences']) : [];
}

/** Of whatever was sent, as paths do it: also of nested lists, and of a reference that is in none. */
function uidsOfControllers(references: unknown): readonly string[] {
  if (Array.isArray(references)) return references.flatMap(uidsOfControllers);
  return isRecord(references) && references['controller'] === true ? valuesAtPath(references, ['uid']) : [];
}
