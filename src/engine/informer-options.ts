import { pathToFileURL } from 'node:url';
import type { SharedInformerOptions } from '../informer/shared-informer-options.js';
import { isRecord, type KubernetesObject } from '../kube/object.js';
import { parsePath } from '../kube/path.js';
import type { RingShards } from '../kube/sharding/ring-shards.js';
import type { PlainList } from '../reflector/lister-watcher-funcs.js';
import type { ReflectorOptions } from '../reflector/reflector-options.js';
import { type IndexFunction, NAMESPACE_INDEX } from '../store/index-function.js';
import {
  callback,
  duration,
  flag,
  integer,
  invalidOption,
  object,
  oneOf,
  type Rules,
  required,
  resolveOptions,
  string,
  stringArray,
} from '../util/check-options.js';
import type { DecoderName } from '../wire/stream-task.js';
import { type EncodingMode, hasProtobufSchema } from './encoding-choice.js';

/**
 * How a collection is listed. `paged`: in pages, which different workers prefetch. `full`: in one response, which the
 * server may send from its cache. `stream`: as a streaming list (WatchList), where the server supports it. `auto`:
 * the cheapest for the server in the encoding that is used: `stream` for protobuf, `paged` for JSON.
 */
export type ListMode = 'auto' | 'stream' | 'paged' | 'full';

/**
 * Returns the complete collection, on the main thread; the watch continues from its version. For lists that cannot be
 * described by a path and selectors.
 */
export type ListFunction<T extends KubernetesObject> = () => Promise<PlainList<T>>;

/**
 * Whether an informer is written and read. `readStale`: its lister has the objects of the snapshot before the server has
 * confirmed them; handlers and `synced` wait in any case.
 */
export type InformerSnapshotOption = boolean | { readonly readStale: boolean };

/**
 * A path is evaluated in the worker, and so is `hook`, a function that the hooks module exports by that name; it
 * cannot be combined with `transform`. A function runs on the main thread, and decodes the object if it reads
 * `entry.object`.
 */
export type InformerIndexer<T extends KubernetesObject> =
  | string
  | { readonly hook: string }
  | IndexFunction<T>;

type SharedOptions<T extends KubernetesObject> = Pick<
  SharedInformerOptions<T>,
  'name' | 'transform' | 'resyncPeriodMs' | 'mutationDetector' | 'watchErrorHandler' | 'onError'
>;

/** One of `of` shards of a collection, counted from 0. All replicas have to agree on `of`. */
export interface StaticShard {
  readonly index: number;
  readonly of: number;
}

/** More would be ranges with less than a few objects of the largest clusters. */
const MAX_SHARDS = 65_536;

/** More would only cost the server more: each of them reads all objects of its watch cache. */
const MAX_STREAMS = 16;

/** Timings of the reflector; see `ReflectorOptions`. */
export type ReflectorTuning = Partial<
  Pick<
    ReflectorOptions<KubernetesObject>,
    | 'maxInternalErrorRetryDurationMs'
    | 'minReconnectIntervalMs'
    | 'minWatchTimeoutMs'
    | 'watchListIdleTimeoutMs'
    | 'watchListTimeoutMs'
    | 'watchListReprobeMs'
    | 'listIdleTimeoutMs'
    | 'consistencyDetector'
    | 'periodMs'
  >
>;

export interface InformerOptions<T extends KubernetesObject = KubernetesObject> extends SharedOptions<T> {
  /** `v1`, `apps/v1`, … Objects of another version or kind are reported and skipped. */
  readonly apiVersion: string;
  /** `Pod`. @default any kind */
  readonly kind?: string;
  /** As in URLs: `pods`. */
  readonly plural: string;
  /** One namespace, or several with a watch each. @default all namespaces, or a cluster-scoped kind */
  readonly namespace?: string | readonly string[];
  /** `tier=backend`. Evaluated by the server. */
  readonly labelSelector?: string;
  /** `spec.nodeName=node-17`. Evaluated by the server, which supports few fields. */
  readonly fieldSelector?: string;
  /**
   * Only the objects of one of several shards, which differ by the hash of the uid: see docs/sharding.md. API servers
   * with the feature gate `ShardedListAndWatch` send no others; of other servers, they are dropped before they are
   * decoded. @default all objects
   */
  readonly shard?: StaticShard;
  /**
   * A `ShardRing`: the objects of the shards that this process owns, or prepares to take over. Started if necessary. When
   * they change, objects are added and deleted like those that a relist has found. @default all objects
   */
  readonly ring?: RingShards;
  /**
   * By how many streams the collection is listed in parallel, each a shard of it: 1 to 16. Only where the API server has the
   * feature gate `ShardedListAndWatch`; by one stream otherwise, and for small collections. It is watched by one stream.
   * Not with `shard`, `ring`, a `list` function or several namespaces. See docs/sharding.md. @default 1
   */
  readonly streams?: number;
  /**
   * How the collection is listed: `stream`, a streaming list (WatchList); `paged`; `full`, in one response; or by a
   * function. `auto`: the cheapest for the API server, `stream` in protobuf and `paged` in JSON.
   * @default 'auto'
   */
  readonly list?: ListMode | ListFunction<T>;
  /**
   * Objects per page of a list. Higher: fewer requests, a little less work for the server. Lower: workers share the
   * work more evenly, less is requested again when a connection breaks, and each response is shorter than the
   * server's time limit. 1 to 100,000; not used by `full` and `stream`.
   * @default 2000
   */
  readonly pageSize?: number;
  /**
   * Paths that are removed in the worker, after key and version have been read.
   * @default ['metadata.managedFields']
   */
  readonly drop?: readonly string[];
  /**
   * Index name → where its values are. The index `namespace` always exists. `controllerUid` finds children by their
   * controller: see `owns`.
   */
  readonly indexers?: Readonly<Record<string, InformerIndexer<T>>>;
  /** Path or URL of a module with `transform`, `check` and index functions, which run in the worker. */
  readonly hooks?: string | URL;
  /**
   * The encoding on the wire; objects are the same. `protobuf`: a fraction of the work for the API server; built-in
   * kinds only. `json`: supported by every server. `auto`: protobuf where the kind and the server support it, unless
   * hooks or `advanced.decoder` need JSON.
   * @default 'auto'
   */
  readonly encoding?: EncodingMode;
  /** Requests and stores only `metadata` (PartialObjectMetadata). @default false */
  readonly metadataOnly?: boolean;
  /**
   * Called each time the server has accepted a watch: changes arrive from now on. With several namespaces, for each.
   */
  readonly onConnect?: () => void;
  /**
   * Whether the cache survives the process, with the engine's option `snapshot`. `{ readStale: true }`: the lister has
   * the objects before the server has confirmed them. Never with `transform`, a `list` function or `mutationDetector`.
   * @default true where it can be, not for Secrets
   */
  readonly snapshot?: InformerSnapshotOption;
  /** Timings and limits whose defaults suit almost every program. */
  readonly advanced?: AdvancedInformerOptions;
}

/** Timings and limits of an informer. Change one only with a measurement, or in a test. */
export interface AdvancedInformerOptions
  extends Pick<SharedInformerOptions<KubernetesObject>, 'slowHandlerMs' | 'mergeAbove'> {
  /**
   * Which decoder reads JSON. `simd`: WebAssembly, several times as fast. `json`: `JSON.parse`, the reference, which
   * hooks need because they receive objects. `auto`: `simd` where the CPU supports it and no hooks are set.
   * @default 'auto'
   */
  readonly decoder?: DecoderName;
  /** Timeouts and retries of lists and watches. */
  readonly reflector?: ReflectorTuning;
}

type Optional = keyof SharedOptions<KubernetesObject> | 'onConnect' | 'snapshot';

export type ResolvedInformerOptions<T extends KubernetesObject> = Pick<InformerOptions<T>, Optional> & {
  readonly apiVersion: string;
  /** Empty: any. */
  readonly kind: string;
  readonly plural: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly shard: StaticShard | undefined;
  readonly ring: RingShards | undefined;
  readonly streams: number;
  readonly list: ListMode | ListFunction<T>;
  readonly pageSize: number;
  readonly drop: readonly string[];
  readonly indexers: Readonly<Record<string, InformerIndexer<T>>>;
  readonly hooks: string | undefined;
  readonly decoder: DecoderName;
  readonly encoding: EncodingMode;
  readonly metadataOnly: boolean;
  readonly reflector: ReflectorTuning;
  readonly slowHandlerMs: number;
  readonly mergeAbove: number;
};

type Advanced = Required<AdvancedInformerOptions>;

type Supplied = Omit<
  ResolvedInformerOptions<KubernetesObject>,
  'namespaces' | 'hooks' | Optional | keyof Advanced
> & {
  readonly namespace: string | readonly string[] | undefined;
  readonly hooks: string | URL | undefined;
  readonly advanced: AdvancedInformerOptions;
} & { readonly [K in Optional]: unknown };

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const API_VERSION = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?v[a-z0-9]+$/;

const LIST_MODES = oneOf<ListMode>('auto', ['auto', 'stream', 'paged', 'full']);

const RULES: Rules<Supplied> = {
  apiVersion: required(string(undefined, API_VERSION, 'a version such as v1 or apps/v1')),
  kind: string('', /^[A-Z][A-Za-z0-9]*$/, 'a kind such as Pod'),
  plural: required(string(undefined, NAME, 'the name of a resource as in URLs, such as pods')),
  namespace: {
    fallback: () => undefined,
    expected: 'the name of a namespace, or a non-empty array of them; omit it for all namespaces',
    accepts: (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isNamespace) : isNamespace(value),
  },
  labelSelector: string(undefined, /^/, 'a label selector such as tier=backend'),
  fieldSelector: string(undefined, /^/, 'a field selector such as spec.nodeName=node-17'),
  shard: {
    fallback: () => undefined,
    expected: `{ index, of }: index an integer below of, and of an integer from 1 to ${MAX_SHARDS}`,
    accepts: isStaticShard,
  },
  ring: object('a ShardRing'),
  streams: integer(1, 1, MAX_STREAMS),
  list: {
    ...LIST_MODES,
    expected: `${LIST_MODES.expected}, or a function`,
    accepts: (value) => typeof value === 'function' || LIST_MODES.accepts(value),
  },
  pageSize: integer(2000, 1, 100_000),
  drop: stringArray(['metadata.managedFields'], 'an array of paths'),
  indexers: {
    ...object<Supplied['indexers']>('an object of paths and functions by name'),
    fallback: () => ({}),
  },
  hooks: {
    fallback: () => undefined,
    expected: 'an absolute path or a URL of a module',
    accepts: (value) =>
      value instanceof URL || (typeof value === 'string' && /^(\/|[a-z]:\\|file:|data:)/i.test(value)),
  },
  encoding: oneOf('auto', ['auto', 'json', 'protobuf']),
  metadataOnly: flag(false),
  name: string(undefined),
  transform: callback(),
  resyncPeriodMs: duration(0),
  mutationDetector: { ...oneOf('freeze', ['freeze', 'compare']), fallback: () => undefined },
  watchErrorHandler: callback(),
  onError: callback(),
  onConnect: callback(),
  snapshot: {
    fallback: () => undefined,
    expected: 'true, false or { readStale: true }',
    accepts: (value) =>
      typeof value === 'boolean' ||
      (typeof value === 'object' &&
        value !== null &&
        'readStale' in value &&
        typeof value.readStale === 'boolean' &&
        Object.keys(value).length === 1),
  },
  advanced: { ...object<AdvancedInformerOptions>('an object'), fallback: () => ({}) },
};

const ADVANCED: Rules<Advanced> = {
  decoder: oneOf('auto', ['auto', 'simd', 'json']),
  slowHandlerMs: duration(30_000),
  mergeAbove: integer(1024, 1),
  reflector: { ...object<ReflectorTuning>('an object'), fallback: () => ({}) },
};

/** Only checks; the defaults are those of `ReflectorOptions`. */
const REFLECTOR: Rules<Required<ReflectorTuning>> = {
  maxInternalErrorRetryDurationMs: duration(0),
  minReconnectIntervalMs: duration(0),
  minWatchTimeoutMs: duration(0),
  watchListIdleTimeoutMs: duration(0),
  watchListTimeoutMs: duration(0),
  watchListReprobeMs: duration(0),
  listIdleTimeoutMs: duration(0),
  consistencyDetector: flag(false),
  periodMs: duration(0),
};

/** Throws `KUBEFLECT_OPTION_INVALID`. */
export function resolveInformerOptions<T extends KubernetesObject>(
  options: InformerOptions<T>,
): ResolvedInformerOptions<T> {
  const supplied = resolveOptions('informer', RULES, options);
  const { namespace, hooks, advanced: suppliedAdvanced, ...rest } = supplied;
  const advanced = resolveOptions('informer advanced', ADVANCED, suppliedAdvanced);
  resolveOptions('informer advanced.reflector', REFLECTOR, advanced.reflector);
  if (advanced.decoder === 'simd' && hooks !== undefined) {
    throw invalidOption(
      'informer advanced',
      'decoder must be json or auto with hooks, which receive objects',
    );
  }
  if (rest.encoding === 'protobuf' && !hasProtobufSchema(rest)) {
    throw invalidOption(
      'informer',
      `encoding must be json or auto: ${rest.apiVersion} ${rest.kind || rest.plural} has no protobuf schema`,
    );
  }
  if (rest.metadataOnly && rest.kind === '')
    throw invalidOption(
      'informer',
      'metadataOnly requires kind: the server does not send it with metadata alone',
    );
  if (typeof rest.list === 'function' && Array.isArray(namespace) && namespace.length > 1)
    throw invalidOption(
      'informer',
      'list must not be a function with several namespaces: it would be called for each',
    );
  if (typeof rest.list === 'function' && rest.shard !== undefined)
    throw invalidOption(
      'informer',
      'list must not be a function with a shard: the objects of other shards would be decoded',
    );
  if (rest.ring !== undefined) {
    const problem = ringProblem(rest, namespace);
    if (problem !== undefined) throw invalidOption('informer', `${problem} with a ring`);
  }
  if (rest.streams > 1) {
    const problem = streamsProblem(rest, namespace);
    if (problem !== undefined) throw invalidOption('informer', `${problem} with streams`);
  }
  for (const path of rest.drop) parsePath(path);
  for (const indexer of Object.values(rest.indexers)) checkIndexer(indexer, hooks !== undefined);
  if (Object.hasOwn(rest.indexers, NAMESPACE_INDEX)) {
    throw invalidOption('informer', `indexers must not have ${NAMESPACE_INDEX}, which always exists`);
  }
  if (rest.transform !== undefined && Object.values(rest.indexers).some((one) => typeof one === 'object')) {
    throw invalidOption(
      'informer',
      'transform cannot be combined with an index of the hooks module, which is computed first; ' +
        'transform in the module instead',
    );
  }
  return Object.freeze({
    ...rest,
    ...advanced,
    namespaces: typeof namespace === 'string' ? [namespace] : [...new Set(namespace)].sort(),
    hooks: hooks === undefined ? undefined : hooksUrl(hooks),
  }) as ResolvedInformerOptions<T>;
}

function checkIndexer(indexer: unknown, hasHooks: boolean): void {
  if (typeof indexer === 'function') return;
  if (typeof indexer === 'string') {
    parsePath(indexer);
    return;
  }
  if (
    typeof indexer !== 'object' ||
    indexer === null ||
    !('hook' in indexer) ||
    typeof indexer.hook !== 'string'
  ) {
    throw invalidOption('informer', 'indexers must be paths, functions, or { hook: name }');
  }
  if (!hasHooks)
    throw invalidOption('informer', `indexers has the hook ${indexer.hook}, but hooks is not set`);
}

function ringProblem(
  { shard, list }: Pick<Supplied, 'shard' | 'list'>,
  namespace: Supplied['namespace'],
): string | undefined {
  if (shard !== undefined) return 'shard must not be set';
  if (typeof list === 'function' || list === 'full') return 'list must be stream, paged or auto';
  return Array.isArray(namespace) && namespace.length > 1 ? 'namespace must be one, or all,' : undefined;
}

function streamsProblem(
  { shard, ring, list }: Pick<Supplied, 'shard' | 'ring' | 'list'>,
  namespace: Supplied['namespace'],
): string | undefined {
  if (shard !== undefined) return 'shard must not be set';
  if (ring !== undefined) return 'ring must not be set';
  if (typeof list === 'function') return 'list must not be a function';
  return Array.isArray(namespace) && namespace.length > 1 ? 'namespace must be one, or all,' : undefined;
}

function isStaticShard(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { index, of } = value;
  const isOfKnownFields = Object.keys(value).every((field) => field === 'index' || field === 'of');
  return isOfKnownFields && isIntegerBelow(index, Number(of)) && isIntegerBelow(of, MAX_SHARDS + 1);
}

function isIntegerBelow(value: unknown, limit: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < limit;
}

function isNamespace(value: unknown): boolean {
  return typeof value === 'string' && NAME.test(value);
}

function hooksUrl(hooks: string | URL): string {
  if (hooks instanceof URL) return hooks.href;
  return /^(file|data):/i.test(hooks) ? hooks : pathToFileURL(hooks).href;
}

function isRing(value: unknown): value is RingShards {
  return typeof value === 'object' && value !== null && 'wanted' in value && 'attach' in value;
}

/** Equal options mean the same informer. Functions and rings are equal only to themselves. */
export class InformerIdentity {
  readonly #numbers = new WeakMap<object, number>();
  #nextNumber = 1;

  of(options: object): string {
    return JSON.stringify(options, (_, value: unknown) => {
      if (typeof value === 'function') return `function ${this.#numberOf(value)}`;
      if (isRing(value)) return `ring ${this.#numberOf(value)}`;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  }

  #numberOf(value: object): number {
    const number = this.#numbers.get(value) ?? this.#nextNumber++;
    this.#numbers.set(value, number);
    return number;
  }
}
