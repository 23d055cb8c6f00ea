import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { invalidOption } from '../../util/check-options.js';

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

const METHODS = ['onAdd', 'onUpdate', 'onDelete'] as const;

/** Throws `KUBEFLECT_OPTION_INVALID` for one that could not be told what it seems to wait for. A class may have more than the methods. */
export function checkHandler(handler: ResourceEventHandler): void {
  const known = `known are ${METHODS.join(', ')}`;
  if (typeof handler !== 'object' || handler === null) {
    throw invalidOption('addEventHandler', `the handler must be an object with methods; ${known}`);
  }
  const isLiteral = Object.getPrototypeOf(handler) === Object.prototype;
  const names: readonly string[] = isLiteral ? Object.keys(handler) : METHODS;
  for (const name of names) {
    const method = (handler as Readonly<Record<string, unknown>>)[name];
    if (!METHODS.some((one) => one === name)) {
      throw invalidOption('addEventHandler', `there is no method ${name}; ${known}`);
    }
    if (method !== undefined && typeof method !== 'function') {
      throw invalidOption('addEventHandler', `${name} must be a function`);
    }
  }
}

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
