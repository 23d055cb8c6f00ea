import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';

/**
 * What the store holds for one object. The header is always there; the object may still be bytes.
 *
 * Reading `object` may decode, and two reads may give two equal objects: nothing may rely on identity.
 * The object is read-only.
 */
export interface Entry<T extends KubernetesObject = KubernetesObject> {
  readonly key: Key;
  /** Empty for objects without a namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly object: T;
  /** The values under which the index of this name files the entry; undefined if whoever made the entry did not compute that index. */
  indexValues(indexName: string): readonly string[] | undefined;
  /** The store holds this very state of the object; absent if the entry cannot tell. */
  readonly isStored?: boolean;
  /** The store holds the entry from now on: its memory is to be kept together. Twice is once. */
  retain?(): void;
  /** The store does not hold it any more. Whoever still does can go on reading it. */
  release?(): void;
  /** Something else than the store will hold the entry for long, among many that go by: its memory is to be kept together, too, until `unpin`. Counted. */
  pin?(): void;
  unpin?(): void;
}
