import type { ResourceEventHandler } from '../informer/handlers/event-handler.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { controllerUid, type IndexFunction } from '../store/index-function.js';
import { invalidOption } from '../util/check-options.js';
import type { OwnerKeys } from './owner-keys.js';
import { isPriority, PRIORITIES, type Priority } from './priority-lanes.js';

/** The part of a `SharedInformer` that a controller uses. */
export interface ControllerInformer<T extends KubernetesObject = KubernetesObject> {
  readonly name: string;
  readonly lister: { get(key: string): T | undefined };
  start(): void;
  addEventHandler(
    handler: ResourceEventHandler<T>,
    options?: { readonly name?: string },
  ): { readonly synced: Promise<void>; remove(): Promise<void> };
}

/** The part of a `SharedInformer` that `owns` uses. */
export interface OwnedInformer<T extends KubernetesObject = KubernetesObject> extends ControllerInformer<T> {
  readonly indexer: { indexNameOf(indexFunction: IndexFunction<T>): string | undefined };
}

export interface SourceOptions {
  /** Of the keys of changes; those of the initial list and of resyncs are `low`. @default 'normal' */
  readonly priority?: Priority;
}

/** Another collection, and the keys that its objects map to: client-go's and controller-runtime's `Watches`. */
export interface ControllerSource<T extends KubernetesObject = KubernetesObject> extends SourceOptions {
  readonly informer: ControllerInformer<T>;
  /** The keys to reconcile. Called with the state before a change and with the state after it. */
  keys(entry: Entry<T>): Iterable<string>;
}

/** A collection of children: a change of a child reconciles its controller (controller-runtime's `Owns`). */
export interface OwnedSource<T extends KubernetesObject = KubernetesObject> extends SourceOptions {
  /** With an index of `controllerUid`: `indexers: { controller: controllerUid }`. */
  readonly informer: OwnedInformer<T>;
}

export interface SourceRegistration {
  readonly synced: Promise<void>;
  remove(): Promise<void>;
}

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function checkSource(option: string, source: unknown): void {
  const fail = (message: string): never => {
    throw invalidOption('runController', `${option}: ${message}`);
  };
  if (typeof source !== 'object' || source === null) fail('expected objects with an informer');
  const { informer, priority, ...rest } = source as Partial<ControllerSource>;
  const names = option === 'watches' ? ['keys'] : [];
  const unknown = Object.keys(rest).find((name) => !names.includes(name));
  if (unknown !== undefined) fail(`unknown option ${unknown}`);
  if (typeof informer?.addEventHandler !== 'function') fail('informer must be an informer');
  if (option === 'watches' && typeof rest.keys !== 'function') fail('keys must be a function');
  if (priority !== undefined && !isPriority(priority))
    fail(`priority must be one of ${PRIORITIES.join(', ')}`);
  if (option === 'owns') indexOfControllers(informer as OwnedInformer);
}

/** The source of a collection of children. */
export function ownedSource<T extends KubernetesObject>(
  { informer, ...options }: OwnedSource<T>,
  owners: OwnerKeys,
): ControllerSource<T> {
  const indexName = indexOfControllers(informer);
  return { ...options, informer, keys: (entry) => owners.of(entry, indexName) };
}

function indexOfControllers<T extends KubernetesObject>({ name, indexer }: OwnedInformer<T>): string {
  const indexName = indexer?.indexNameOf(controllerUid);
  if (indexName !== undefined) return indexName;
  throw invalidOption(
    'runController',
    `owns: the informer "${name}" has no index of controllers; give it one: indexers: { controller: controllerUid }`,
  );
}

/**
 * From now on, every change of the source's objects enqueues their keys. The informer is not started. `owners` is kept
 * up to date with the objects, before their keys are enqueued.
 */
export function attachSource(
  { informer, keys, priority = 'normal' }: ControllerSource,
  controllerName: string,
  add: (key: string, priority: Priority) => void,
  owners?: OwnerKeys,
): SourceRegistration {
  const enqueue = (keysToAdd: Iterable<string>, isChange: boolean): void => {
    for (const key of keysToAdd) add(key, isChange ? priority : 'low');
  };
  return informer.addEventHandler(
    {
      onAdd: (entry, { isInInitialList }) => {
        owners?.set(entry);
        enqueue(keys(entry), !isInInitialList);
      },
      onUpdate: (before, after, { isResync }) => {
        owners?.set(after, before);
        // Each key once: an idle worker takes the first add immediately, and the second would be another reconcile.
        enqueue(new Set([...keys(before), ...keys(after)]), !isResync);
      },
      onDelete: (entry) => {
        owners?.delete(entry);
        enqueue(keys(entry), true);
      },
    },
    { name: `controller ${controllerName}` },
  );
}
