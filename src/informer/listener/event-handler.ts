import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';

/**
 * Told of changes, one at a time and in the order in which the store took them; the store already holds the change, or
 * a later one. A handler that returns a promise is not called again before it settles. Entries are read-only.
 *
 * Per key: add, then any number of updates, then delete, then add again. A handler that falls far behind is told of
 * fewer states of each object, never of a wrong order.
 */
export interface ResourceEventHandler<T extends KubernetesObject = KubernetesObject> {
  onAdd?(entry: Entry<T>, details: AddDetails): void | Promise<void>;
  /** `before` is what this handler was last told of the key. */
  onUpdate?(before: Entry<T>, after: Entry<T>, details: UpdateDetails): void | Promise<void>;
  onDelete?(entry: Entry<T>, details: DeleteDetails): void | Promise<void>;
}

export interface AddDetails {
  /** True if the object was there before the handler, false if it is news. */
  readonly isInInitialList: boolean;
}

export interface UpdateDetails {
  /** True if nothing changed and this handler asked to be told anyway from time to time. */
  readonly isResync: boolean;
}

export interface DeleteDetails {
  /** client-go's DeletedFinalStateUnknown: the deletion was found out by a relist; the entry is the last state that was seen. */
  readonly finalStateUnknown: boolean;
}
