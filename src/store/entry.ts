import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';

/**
 * What the store holds for one object. The header is always available; the object may still be bytes.
 *
 * Reading `object` may decode it, and two reads may return two equal objects: do not rely on identity.
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
  /** The entry's values in the index of this name; undefined if they were not computed with the entry. */
  indexValues(indexName: string): readonly string[] | undefined;
  /**
   * These fields of `object.metadata`, in an order of their own. Nothing else is decoded, which takes about a
   * microsecond. Absent for entries whose object is decoded anyway.
   */
  metadataFields?(names: readonly string[]): Readonly<Record<string, unknown>>;
  /** True if the store holds this state of the object; absent if the entry cannot tell. */
  readonly isStored?: boolean;
  /** The store holds the entry from now on; its memory counts as live. Idempotent. */
  retain?(): void;
  /** The store no longer holds the entry. Others that still do can continue to read it. */
  release?(): void;
  /** A holder other than the store keeps the entry for long: its memory counts as live until `unpin`. Counted. */
  pin?(): void;
  unpin?(): void;
}
