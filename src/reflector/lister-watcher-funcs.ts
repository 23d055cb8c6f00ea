import { metaNamespaceKey } from '../kube/key.js';
import type { KubernetesObject, ObjectMeta } from '../kube/object.js';
import type { Status } from '../kube/status.js';
import { ObjectEntry } from '../store/object-entry.js';
import { KubeflectError } from '../util/errors.js';
import type {
  ExpectedObject,
  ListChunk,
  ListerWatcher,
  ListOptions,
  Rejected,
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

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

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
  const itemType = typeOfItems(list, expected);
  for (let start = 0; start < list.items.length; start += CHUNK) {
    const entries: ObjectEntry<T>[] = [];
    const rejected: Rejected[] = [];
    for (const item of list.items.slice(start, start + CHUNK)) {
      const typed = withType(item, itemType);
      const rejection = check(typed, expected);
      if (rejection === undefined) entries.push(new ObjectEntry(typed));
      else rejected.push(rejection);
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
  if (type === 'ERROR') return { type, status: statusOfEvent(object) };
  const rejection = check(object, expected, type);
  if (rejection !== undefined) return { type: 'REJECTED', rejected: rejection };
  const typed = object as T & { readonly metadata: ObjectMeta };
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, entry: new ObjectEntry<T>(typed) };
    case 'BOOKMARK': {
      const { resourceVersion = '', annotations } = typed.metadata as BookmarkMeta;
      return { type, resourceVersion, initialEventsEnd: annotations?.[INITIAL_EVENTS_END] === 'true' };
    }
    default: {
      const message = `unable to understand a watch event of type ${JSON.stringify(type)}`;
      return { type: 'REJECTED', rejected: { reason: 'unknown-event', message, ...header(typed, type) } };
    }
  }
}

interface BookmarkMeta extends ObjectMeta {
  annotations?: Readonly<Record<string, string>>;
}

/** Anything but a Status is an unclassified error, like client-go's unexpected object. */
function statusOfEvent(object: unknown): Status {
  if (isObject(object) && object['kind'] === 'Status') {
    const { apiVersion } = object;
    if (apiVersion === 'v1' || apiVersion === 'meta.k8s.io/v1') return object as Status;
  }
  return { message: 'the server sent an ERROR event without a Status' };
}

/** In client-go's order: type, GVK, Table, metadata. */
function check(object: unknown, expected: ExpectedObject, eventType?: string): Rejected | undefined {
  const place = header(object, eventType);
  if (!isObject(object)) return { reason: 'no-metadata', message: 'expected an object', ...place };
  const { kind, apiVersion } = object;
  const isKnownEvent = eventType === undefined || EVENT_TYPES.has(eventType);
  if (isKnownEvent && expected.kind !== undefined && kind !== expected.kind) {
    const message = `expected kind ${expected.kind}, the object has ${String(kind)}`;
    return { reason: 'wrong-type', message, ...place };
  }
  if (isKnownEvent && expected.apiVersion !== undefined && apiVersion !== expected.apiVersion) {
    const message = `expected apiVersion ${expected.apiVersion}, the object has ${String(apiVersion)}`;
    return { reason: 'wrong-gvk', message, ...place };
  }
  if (isTable(object)) return { reason: 'table', message: 'the object is a Table', ...place };
  const missing = isKnownEvent ? missingMetadata(object, eventType) : undefined;
  if (missing === undefined) return undefined;
  return { reason: 'no-metadata', message: `the object has no ${missing}`, ...place };
}

const EVENT_TYPES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

function missingMetadata(object: Readonly<Record<string, unknown>>, eventType?: string): string | undefined {
  const { metadata } = object;
  if (!isObject(metadata)) return 'metadata';
  if (typeof metadata['resourceVersion'] !== 'string') return 'metadata.resourceVersion';
  const isNamed = typeof metadata['name'] === 'string' && metadata['name'] !== '';
  return isNamed || eventType === 'BOOKMARK' ? undefined : 'metadata.name';
}

/** The identity fields that can be read of an arbitrary value. */
function header(
  object: unknown,
  eventType?: string,
): Pick<Rejected, 'eventType' | 'key' | 'resourceVersion'> {
  const metadata = isObject(object) && isObject(object['metadata']) ? object['metadata'] : {};
  const { name, namespace, resourceVersion } = metadata;
  return {
    ...(eventType !== undefined && { eventType }),
    ...(typeof name === 'string' &&
      name !== '' && { key: metaNamespaceKey(typeof namespace === 'string' ? namespace : undefined, name) }),
    ...(typeof resourceVersion === 'string' && { resourceVersion }),
  };
}

function isTable(object: { readonly kind?: unknown; readonly apiVersion?: unknown }): boolean {
  const { kind, apiVersion } = object;
  return kind === 'Table' && (apiVersion === 'meta.k8s.io/v1' || apiVersion === 'meta.k8s.io/v1beta1');
}

/** Items of typed lists have no type of their own: `PodList` contains `Pod`. */
function typeOfItems(list: PlainList<unknown>, expected: ExpectedObject): ExpectedObject {
  const { kind, apiVersion } = list;
  if (kind?.endsWith('List') && kind !== 'List' && apiVersion !== undefined) {
    return { apiVersion, kind: kind.slice(0, -'List'.length) };
  }
  return expected;
}

function withType<T extends KubernetesObject>(item: T, type: ExpectedObject): T {
  if (!isObject(item) || item.kind !== undefined || item.apiVersion !== undefined) return item;
  return type.kind === undefined && type.apiVersion === undefined ? item : { ...type, ...item };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
