import { isInitialEventsEnd } from '../kube/bookmark.js';
import { itemTypeOf, withType } from '../kube/item-type.js';
import { isRecord, type KubernetesObject, type ObjectMeta } from '../kube/object.js';
import { checkObject, isTable } from '../kube/object-check.js';
import { type Rejected, rejectObject } from '../kube/rejected-object.js';
import { statusOfErrorEvent } from '../kube/status.js';
import { ObjectEntry } from '../store/object-entry.js';
import { KubeflectError } from '../util/errors.js';
import type {
  ExpectedObject,
  ListChunk,
  ListerWatcher,
  ListOptions,
  WatchChunk,
  WatchEntry,
  WatchOptions,
} from './lister-watcher.js';

/** A list as the API returns it. */
export interface PlainList<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[];
}

/** A watch event as the API sends it. */
export interface PlainWatchEvent {
  readonly type: string;
  readonly object: unknown;
}

export interface ListerWatcherFuncsOptions<T extends KubernetesObject> {
  /** Requests one page. Selectors are up to the function. */
  readonly list: (options: ListOptions, signal: AbortSignal) => Promise<PlainList<T>>;
  /**
   * A promise resolves when the server has accepted the watch; a bare iterable counts as open from its first event on.
   */
  readonly watch: (
    options: WatchOptions,
    signal: AbortSignal,
  ) => AsyncIterable<PlainWatchEvent> | Promise<AsyncIterable<PlainWatchEvent>>;
  /** The functions do not support streaming lists. @default false */
  readonly isWatchListUnsupported?: boolean;
}

/** Items per chunk, so that a long list does not block the thread. */
const CHUNK = 1000;

/**
 * A lister-watcher made of two functions over plain objects, like client-go's ListWatch. Objects are not changed; those
 * without `kind` and `apiVersion` (the items of a typed list) are copied and get them from the list.
 */
export class ListerWatcherFuncs<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly #list: ListerWatcherFuncsOptions<T>['list'];
  readonly #watch: ListerWatcherFuncsOptions<T>['watch'];
  readonly isWatchListUnsupported: boolean;

  constructor(options: ListerWatcherFuncsOptions<T>) {
    this.#list = options.list;
    this.#watch = options.watch;
    this.isWatchListUnsupported = options.isWatchListUnsupported ?? false;
  }

  async *list(
    options: ListOptions,
    signal: AbortSignal,
    expected: ExpectedObject = {},
  ): AsyncGenerator<ListChunk<T>> {
    yield* listChunks(await this.#list(options, signal), expected);
  }

  async *watch(
    options: WatchOptions,
    signal: AbortSignal,
    expected: ExpectedObject = {},
  ): AsyncGenerator<WatchChunk<T>> {
    const opening = this.#watch(options, signal);
    const isPromise = 'then' in opening;
    const events = await opening;
    if (isPromise) yield { type: 'open' };
    for await (const event of events) yield { type: 'events', events: [watchEntry<T>(event, expected)] };
  }
}

/** The chunks of a plain list. Throws `KUBEFLECT_LIST_FAILED` if it is not a list. */
export function* listChunks<T extends KubernetesObject>(
  list: PlainList<T>,
  expected: ExpectedObject,
): Generator<ListChunk<T>> {
  if (isTable(list)) {
    throw new KubeflectError('KUBEFLECT_LIST_FAILED', 'the list is a Table; request the objects themselves');
  }
  if (!Array.isArray(list.items)) {
    throw new KubeflectError('KUBEFLECT_LIST_FAILED', 'the list has no array of items');
  }
  const itemType = itemTypeOf(list) ?? expected;
  for (let start = 0; start < list.items.length; start += CHUNK) {
    const entries: ObjectEntry<T>[] = [];
    const rejected: Rejected[] = [];
    for (const item of list.items.slice(start, start + CHUNK)) {
      const typed = withType(item, itemType);
      const problem = checkObject(typed, [expected], 'object', 'program');
      if (problem === undefined) entries.push(new ObjectEntry(typed));
      else rejected.push(rejectObject(problem.reason, problem.message, typed, undefined));
    }
    yield { type: 'items', entries, rejected };
  }
  const { resourceVersion = '', continue: token = '' } = list.metadata ?? {};
  yield { type: 'end', resourceVersion, continue: token };
}

function watchEntry<T extends KubernetesObject>(
  event: PlainWatchEvent,
  expected: ExpectedObject,
): WatchEntry<T> {
  const { type, object } = event;
  if (type === 'ERROR') return { type, status: statusOfErrorEvent(object) };
  const isKnown = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
  if (!isKnown && isRecord(object)) {
    const message = `unable to understand a watch event of type ${JSON.stringify(type)}`;
    return { type: 'REJECTED', rejected: rejectObject('unknown-event', message, object, type) };
  }
  const problem = checkObject(object, [expected], type === 'BOOKMARK' ? 'bookmark' : 'object', 'program');
  if (problem !== undefined) {
    return { type: 'REJECTED', rejected: rejectObject(problem.reason, problem.message, object, type) };
  }
  const typed = object as T & { readonly metadata: ObjectMeta };
  if (type !== 'BOOKMARK')
    return { type: type as 'ADDED' | 'MODIFIED' | 'DELETED', entry: new ObjectEntry<T>(typed) };
  const { resourceVersion = '' } = typed.metadata;
  return { type, resourceVersion, initialEventsEnd: isInitialEventsEnd(typed.metadata) };
}
