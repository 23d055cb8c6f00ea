import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../entry.js';

/**
 * What happened to an object, as far as the queue knows. Only `Deleted` determines what is done; for the others,
 * presence in the store decides between add and update.
 */
export type DeltaType = 'Added' | 'Updated' | 'Deleted' | 'Replaced' | 'Sync';

export interface Delta<T extends KubernetesObject> {
  readonly type: DeltaType;
  /** The object after the change; for `Deleted`, its last known state. */
  readonly entry: Entry<T>;
  /**
   * client-go's DeletedFinalStateUnknown: the watch missed the deletion and a relist found it, so that the entry may be
   * older than the state in which the object was deleted.
   */
  readonly finalStateUnknown: boolean;
}

/** The changes of one key, oldest first; never empty. */
export type Deltas<T extends KubernetesObject> = readonly Delta<T>[];
