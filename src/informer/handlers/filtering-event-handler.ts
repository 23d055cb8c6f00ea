import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { AddDetails, DeleteDetails, ResourceEventHandler, UpdateDetails } from './event-handler.js';

/**
 * client-go's FilteringResourceEventHandler: an update that makes an object pass the filter becomes an add (not of the
 * initial list), one that makes it fail becomes a delete of the state that passed.
 */
export class FilteringEventHandler<T extends KubernetesObject = KubernetesObject>
  implements ResourceEventHandler<T>
{
  readonly #filter: (entry: Entry<T>) => boolean;
  readonly #handler: ResourceEventHandler<T>;

  constructor(filter: (entry: Entry<T>) => boolean, handler: ResourceEventHandler<T>) {
    this.#filter = filter;
    this.#handler = handler;
  }

  onAdd(entry: Entry<T>, details: AddDetails): void | Promise<void> {
    if (this.#filter(entry)) return this.#handler.onAdd?.(entry, details);
  }

  onUpdate(before: Entry<T>, after: Entry<T>, details: UpdateDetails): void | Promise<void> {
    const didPass = this.#filter(before);
    const passes = this.#filter(after);
    if (didPass && passes) return this.#handler.onUpdate?.(before, after, details);
    if (passes) return this.#handler.onAdd?.(after, { isInInitialList: false });
    if (didPass) return this.#handler.onDelete?.(before, { finalStateUnknown: false });
  }

  onDelete(entry: Entry<T>, details: DeleteDetails): void | Promise<void> {
    if (this.#filter(entry)) return this.#handler.onDelete?.(entry, details);
  }
}
