/** client-node's own names for informers, by structure: what is typed with the one can be typed with the other. */

import type { DeleteDetails } from '../informer/handlers/event-handler.js';
import type { KubernetesObject } from '../kube/object.js';

/** These are told per object; `CHANGE` stands for all three. */
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
/** Something went wrong; the informer goes on by itself. */
export const ERROR = 'error';
export type ERROR = typeof ERROR;

export type ObjectCallback<T extends KubernetesObject> = (obj: T) => void;
/** `old` is what was told last of this object. */
export type UpdateCallback<T extends KubernetesObject> = (obj: T, old: T) => void;
export type DeleteCallback<T extends KubernetesObject> = (obj: T, details: DeleteDetails) => void;
// biome-ignore lint/suspicious/noExplicitAny: client-node's signature; its example annotates the error as a pod
export type ErrorCallback = (err?: any) => void;
export type ListCallback<T extends KubernetesObject> = (list: T[], ResourceVersion: string) => void;
export type ListPromise<T extends KubernetesObject> = () => Promise<KubernetesListObject<T>>;

/** The part of a list that is read. */
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
  /** Does nothing while it runs. Resolves when the first list was told, or the first attempt has failed: then it goes on trying. */
  start(): Promise<void>;
  /** Silent, and idempotent. What is cached can still be read. */
  stop(): Promise<void>;
}
