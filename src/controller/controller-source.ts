import type { ResourceEventHandler } from '../informer/handlers/event-handler.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { controllerUid, type IndexFunction } from '../store/index-function.js';
import { invalidOption } from '../util/check-options.js';
import type { OwnerKeys } from './owner-keys.js';
import { isUnmissable, type Predicate } from './predicates.js';
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

export interface SourceOptions<T extends KubernetesObject = KubernetesObject> {
  /**
   * Which updates are reconciled: see `predicates`. Additions, deletions, resyncs, updates of `deletionTimestamp` and
   * `finalizers`, and those that change which keys the object maps to, are reconciled in any case. @default all
   */
  readonly predicate?: Predicate<T>;
  /**
   * Objects for which it returns false are ignored. An update that makes an object pass, or no longer pass, is
   * reconciled. Prefer a selector of the informer: the server evaluates it. @default none are ignored
   */
  filter?(entry: Entry<T>): boolean;
  /** Of the keys of changes; those of the initial list and of resyncs are `low`. @default 'normal' */
  readonly priority?: Priority;
}

/** Another collection, and the keys that its objects map to: client-go's and controller-runtime's `Watches`. */
export interface ControllerSource<T extends KubernetesObject = KubernetesObject> extends SourceOptions<T> {
  readonly informer: ControllerInformer<T>;
  /** The keys to reconcile. Called with the state before a change and with the state after it. */
  keys(entry: Entry<T>): Iterable<string>;
}

/** A collection of children: a change of a child reconciles its controller (controller-runtime's `Owns`). */
export interface OwnedSource<T extends KubernetesObject = KubernetesObject> extends SourceOptions<T> {
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
  const names = option === 'watches' ? ['keys', 'predicate', 'filter'] : ['predicate', 'filter'];
  const unknown = Object.keys(rest).find((name) => !names.includes(name));
  if (unknown !== undefined) fail(`unknown option ${unknown}`);
  for (const name of ['predicate', 'filter'] as const) {
    if (rest[name] !== undefined && typeof rest[name] !== 'function') fail(`${name} must be a function`);
  }
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
  source: ControllerSource,
  controllerName: string,
  add: (key: string, priority: Priority) => void,
  owners?: OwnerKeys,
): SourceRegistration {
  const { informer, priority = 'normal' } = source;
  const enqueue = (keysToAdd: Iterable<string>, isChange: boolean): void => {
    for (const key of keysToAdd) add(key, isChange ? priority : 'low');
  };
  return informer.addEventHandler(
    {
      onAdd: (entry, { isInInitialList }) => {
        owners?.set(entry);
        enqueue(keysOf(source, entry), !isInInitialList);
      },
      onUpdate: (before, after, { isResync }) => {
        owners?.set(after, before);
        const [former, next] = [keysOf(source, before), keysOf(source, after)];
        // Each key once: an idle worker takes the first add immediately, and the second would be another reconcile.
        const keys = new Set([...former, ...next]);
        if (keys.size === 0) return;
        const isMoved = keys.size > former.length || keys.size > next.length;
        let isIgnored = false;
        try {
          isIgnored = !isResync && !isMoved && isRejected(source, before, after);
        } finally {
          // Also if the predicate throws, which is reported: a change must not be lost.
          if (!isIgnored) enqueue(keys, !isResync);
        }
      },
      onDelete: (entry, { before }) => {
        owners?.delete(entry);
        // Also those of the state that is known: changes before the deletion may have been merged into it.
        const keys = [...keysOf(source, entry), ...(before === entry ? [] : keysOf(source, before))];
        enqueue(new Set(keys), true);
      },
    },
    { name: `controller ${controllerName}` },
  );
}

function keysOf({ filter, keys }: ControllerSource, entry: Entry): readonly string[] {
  return filter === undefined || filter(entry) ? [...new Set(keys(entry))] : [];
}

function isRejected({ predicate }: ControllerSource, before: Entry, after: Entry): boolean {
  return predicate !== undefined && !isUnmissable(before, after) && !predicate(before, after);
}
