import type { KubernetesObject, ObjectMeta } from '../kube/object.js';
import { invalidOption } from '../util/check-options.js';
import { type GuardedPatch, guardedPatch } from './guarded-patch.js';

/** An object as far as its deletion is concerned. */
export interface FinalizedObject extends KubernetesObject {
  metadata?: ObjectMeta & { readonly finalizers?: readonly string[]; readonly deletionTimestamp?: unknown };
}

/** The API server's: a qualified name, with or without a prefix. */
const NAME = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

export function hasFinalizer(object: FinalizedObject, name: string): boolean {
  return finalizersOf(object).includes(name);
}

/**
 * The patch that adds a finalizer such as `shop.example/cleanup`; undefined if the object has it, or is being deleted:
 * the API server does not accept new ones then.
 */
export function addFinalizer(object: FinalizedObject, name: string): GuardedPatch | undefined {
  if (!NAME.test(name)) {
    throw invalidOption('addFinalizer', 'the name must be a qualified name such as shop.example/cleanup');
  }
  if (hasFinalizer(object, name) || isBeingDeleted(object)) return undefined;
  return guardedPatch(object, { finalizers: [...finalizersOf(object), name] });
}

/** The patch that removes a finalizer; undefined if the object does not have it. */
export function removeFinalizer(object: FinalizedObject, name: string): GuardedPatch | undefined {
  if (!hasFinalizer(object, name)) return undefined;
  return guardedPatch(object, { finalizers: finalizersOf(object).filter((other) => other !== name) });
}

function finalizersOf(object: FinalizedObject): readonly string[] {
  return object.metadata?.finalizers ?? [];
}

function isBeingDeleted(object: FinalizedObject): boolean {
  const deletionTimestamp = object.metadata?.deletionTimestamp;
  return deletionTimestamp !== undefined && deletionTimestamp !== null;
}
