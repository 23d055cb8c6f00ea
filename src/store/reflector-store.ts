import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from './entry.js';
import type { ShardedMap } from './shards.js';

/** The entries of a list. */
export interface EntryList<T extends KubernetesObject> extends Iterable<Entry<T>> {
  /** True if they are in the order of their keys, each key once; absent if that is unknown. */
  readonly isSortedByKey?: boolean;
  /** Exactly these entries by key, if that is known. An empty store keeps the map as it is: it is not changed by others. */
  readonly byKey?: ShardedMap<Entry<T>, Key>;
  /** Called when the list has been applied. */
  readonly onApplied?: () => void;
}

/** Namespace → version: of a collection whose namespaces are listed and watched separately. */
export type NamespaceVersions = ReadonlyMap<string, string>;

/**
 * What a reflector needs of its store (client-go's ReflectorStore). RealFIFO and DeltaFIFO implement it; your own Map
 * can, too.
 *
 * Calls never block. While `isBehind` is true, the reflector does not read more from its source until `drained()`
 * resolves: nothing above the store may grow with the number of events.
 */
export interface ReflectorStore<T extends KubernetesObject> {
  add(entry: Entry<T>): void;
  update(entry: Entry<T>): void;
  /** The entry as the delete event carried it: its last content, with the resource version of the deletion. */
  delete(entry: Entry<T>): void;
  /**
   * The complete collection as of `resourceVersion`: what is not in it is deleted, except `unreadableKeys`. Those exist
   * on the server in a form that could not be read: the store keeps what it has for them. The store owns `entries`, and
   * may read them after the call. `versions`: of the namespaces that were listed, if not the whole collection was.
   */
  replace(
    entries: EntryList<T>,
    resourceVersion: string,
    unreadableKeys?: ReadonlySet<string>,
    versions?: NamespaceVersions,
  ): void;
  resync(): void;
  /** The collection has not changed up to this version; with `versions`, these namespaces up to theirs. */
  bookmark?(resourceVersion: string, versions?: NamespaceVersions): void;
  /** True while the consumer is too far behind. */
  readonly isBehind?: boolean;
  /** Resolves when `isBehind` has become false, or the signal aborted. */
  drained?(signal: AbortSignal): Promise<void>;
}
