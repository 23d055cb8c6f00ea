import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from './entry.js';

/**
 * The least that a reflector needs of its store (client-go's ReflectorStore). DeltaFIFO is one; a user's own Map can be another.
 *
 * Calls never block. `backlog` tells the reflector to stop asking its source for more until `drained()` resolves:
 * nothing above the store may grow with the number of events.
 */
export interface ReflectorStore<T extends KubernetesObject> {
  add(entry: Entry<T>): void;
  update(entry: Entry<T>): void;
  /** The entry as the delete event carried it: its last content, with the resource version of the deletion. */
  delete(entry: Entry<T>): void;
  /**
   * The whole collection as of `resourceVersion`: what is not in it is gone, except `unreadableKeys`. Those exist on the
   * server in a form that could not be read: whatever the store holds for them stays as it is. `entries` are handed over:
   * the store may read them after the call.
   */
  replace(entries: Iterable<Entry<T>>, resourceVersion: string, unreadableKeys?: ReadonlySet<string>): void;
  resync(): void;
  /** The collection is known to be unchanged up to this version. */
  bookmark?(resourceVersion: string): void;
  /** True while the consumer is behind by more than the store wants to hold. */
  readonly isBehind?: boolean;
  /** Resolves when `isBehind` has become false, or the signal aborted. */
  drained?(signal: AbortSignal): Promise<void>;
}
