import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { invalidOption } from '../../util/check-options.js';

/**
 * Notified of changes, one at a time and in the order in which the store applied them; the store already holds the
 * change, or a later one. A handler that returns a promise is not called again before it settles. Entries are
 * read-only.
 *
 * Per key: add, then any number of updates, then delete, then add again. A handler that falls far behind sees fewer
 * states of each object, never a wrong order.
 */
export interface ResourceEventHandler<T extends KubernetesObject = KubernetesObject> {
  onAdd?(entry: Entry<T>, details: AddDetails): void | Promise<void>;
  /** `before` is the state that this handler was last notified of. */
  onUpdate?(before: Entry<T>, after: Entry<T>, details: UpdateDetails): void | Promise<void>;
  onDelete?(entry: Entry<T>, details: DeleteDetails<T>): void | Promise<void>;
}

export interface AddDetails {
  /**
   * True if the object existed when the handler was added, or was part of the first list; false if it was created
   * later.
   */
  readonly isInInitialList: boolean;
}

export interface UpdateDetails {
  /** True if nothing changed: the handler's resync period has elapsed. */
  readonly isResync: boolean;
}

export interface DeleteDetails<T extends KubernetesObject = KubernetesObject> {
  /**
   * client-go's DeletedFinalStateUnknown: a relist found the deletion; the entry is the last state that was received.
   */
  readonly finalStateUnknown: boolean;
  /**
   * The state that this handler was last notified of. Older than the entry if the handler, or the program, was behind, so
   * that changes before the deletion were merged into it.
   */
  readonly before: Entry<T>;
}

const METHODS = ['onAdd', 'onUpdate', 'onDelete'] as const;

/** Throws `KUBEFLECT_OPTION_INVALID` for unknown or invalid methods. A class may have others beside them. */
export function checkHandler(handler: ResourceEventHandler): void {
  const expected = `expected one of ${METHODS.join(', ')}`;
  if (typeof handler !== 'object' || handler === null) {
    throw invalidOption('addEventHandler', `the handler must be an object with methods; ${expected}`);
  }
  const isLiteral = Object.getPrototypeOf(handler) === Object.prototype;
  const names: readonly string[] = isLiteral ? Object.keys(handler) : METHODS;
  for (const name of names) {
    const method = (handler as Readonly<Record<string, unknown>>)[name];
    if (!METHODS.some((method) => method === name)) {
      throw invalidOption('addEventHandler', `unknown method ${name}; ${expected}`);
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
    if (didPass) return this.#handler.onDelete?.(before, { finalStateUnknown: false, before });
  }

  /** An object that passed, and was changed so that it does not, is deleted for this handler, too. */
  onDelete(entry: Entry<T>, details: DeleteDetails<T>): void | Promise<void> {
    if (this.#filter(entry)) return this.#handler.onDelete?.(entry, details);
    if (this.#filter(details.before)) return this.#handler.onDelete?.(details.before, details);
  }
}
