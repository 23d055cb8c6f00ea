import type { ResourceEventHandler } from '../informer/handlers/event-handler.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import type { Priority } from './priority-lanes.js';

/** The part of a `SharedInformer` that a controller uses. */
export interface ControllerInformer<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  start(): void;
  addEventHandler(
    handler: ResourceEventHandler<T>,
    options?: { readonly name?: string },
  ): { readonly synced: Promise<void>; remove(): Promise<void> };
}

/** Another collection, and the keys that its objects map to: client-go's and controller-runtime's `Watches`. */
export interface ControllerSource<T extends KubernetesObject = KubernetesObject> {
  readonly informer: ControllerInformer<T>;
  /** The keys to reconcile. Called with the state before a change and with the state after it. */
  keys(entry: Entry<T>): Iterable<string>;
  /** Of the keys of changes; those of the initial list and of resyncs are `low`. @default 'normal' */
  readonly priority?: Priority;
}

export interface SourceRegistration {
  readonly synced: Promise<void>;
  remove(): Promise<void>;
}

/** From now on, every change of the source's objects enqueues their keys. The informer is not started. */
export function attachSource(
  { informer, keys, priority = 'normal' }: ControllerSource<never>,
  controllerName: string,
  add: (key: string, priority: Priority) => void,
): SourceRegistration {
  const enqueue = (keysToAdd: Iterable<string>, isChange: boolean): void => {
    for (const key of keysToAdd) add(key, isChange ? priority : 'low');
  };
  return informer.addEventHandler(
    {
      onAdd: (entry, { isInInitialList }) => enqueue(keys(entry), !isInInitialList),
      // Each key once: an idle worker takes the first add immediately, and the second would be another reconcile.
      onUpdate: (before, after, { isResync }) =>
        enqueue(new Set([...keys(before), ...keys(after)]), !isResync),
      onDelete: (entry) => enqueue(keys(entry), true),
    },
    { name: `controller ${controllerName}` },
  );
}
