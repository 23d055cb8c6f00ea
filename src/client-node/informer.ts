/** client-node's names and types for informers, structurally compatible with its own. */

import type { DeleteDetails } from '../informer/handlers/event-handler.js';
import type { KubernetesObject } from '../kube/object.js';

/** Events of objects; `CHANGE` stands for all three. */
export const ADD = 'add';
export type ADD = typeof ADD;
export const UPDATE = 'update';
export type UPDATE = typeof UPDATE;
export const DELETE = 'delete';
export type DELETE = typeof DELETE;
export const CHANGE = 'change';
export type CHANGE = typeof CHANGE;
/** The server has accepted a watch. */
export const CONNECT = 'connect';
export type CONNECT = typeof CONNECT;
/** A non-fatal error: the informer retries by itself. */
export const ERROR = 'error';
export type ERROR = typeof ERROR;

export type ObjectCallback<T extends KubernetesObject> = (obj: T) => void;
/** `old` is the state that the callbacks last received. */
export type UpdateCallback<T extends KubernetesObject> = (obj: T, old: T) => void;
export type DeleteCallback<T extends KubernetesObject> = (
  obj: T,
  details: Pick<DeleteDetails, 'finalStateUnknown'>,
) => void;
// biome-ignore lint/suspicious/noExplicitAny: client-node's signature; its example annotates the error as a pod
export type ErrorCallback = (err?: any) => void;
export type ListCallback<T extends KubernetesObject> = (list: T[], ResourceVersion: string) => void;
export type ListPromise<T extends KubernetesObject> = () => Promise<KubernetesListObject<T>>;

/** The part of a list that is used. */
export interface KubernetesListObject<T extends KubernetesObject> {
  apiVersion?: string;
  kind?: string;
  metadata?: { resourceVersion?: string };
  items: T[];
}

export interface ObjectCache<T> {
  get(name: string, namespace?: string): T | undefined;
  list(namespace?: string): ReadonlyArray<T>;
}

export interface Informer<T extends KubernetesObject> {
  on(verb: UPDATE, cb: UpdateCallback<T>): void;
  on(verb: DELETE, cb: DeleteCallback<T>): void;
  on(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  on(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  off(verb: UPDATE, cb: UpdateCallback<T>): void;
  off(verb: DELETE, cb: DeleteCallback<T>): void;
  off(verb: ADD | UPDATE | DELETE | CHANGE, cb: ObjectCallback<T>): void;
  off(verb: ERROR | CONNECT, cb: ErrorCallback): void;
  /**
   * Does nothing while the informer is running. Resolves when the callbacks have received the first list, or when the
   * first attempt has failed, which is then retried.
   */
  start(): Promise<void>;
  /** Emits no error. The cache can still be read. Idempotent. */
  stop(): Promise<void>;
}
