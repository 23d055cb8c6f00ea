import type { Credentials } from '../auth/credentials.js';
import type { KubernetesObject } from '../kube/object.js';
import { type UnknownField, UnknownFieldError } from '../kube/protobuf-schema/unknown-field.js';
import { collectionPath, queryString, type Resource } from '../kube/resource.js';
import type { HashRange } from '../kube/sharding/hash-range.js';
import { uidSelector } from '../kube/sharding/shard-selector.js';
import { ApiStatusError, isInvalidRequest, statusErrorOf } from '../kube/status.js';
import type { StreamMessage } from '../pool/stream-handle.js';
import type { OpenOptions, StreamPool, StreamSpec } from '../pool/worker-pool.js';
import type {
  ListChunk,
  ListerWatcher,
  ListOptions,
  Rejected,
  WatchChunk,
  WatchEntry,
  WatchOptions,
} from '../reflector/lister-watcher.js';
import type { Entry } from '../store/entry.js';
import { SlabEntry } from '../store/slab/slab-entry.js';
import type { EntryRow } from '../store/slab/slab-intake.js';
import { onAbort } from '../util/abort.js';
import { KubeflectError, TransportError } from '../util/errors.js';
import type { RestClientMetrics } from '../util/rest-client-metrics.js';
import type { SliceScheduler } from '../util/slice-scheduler.js';
import type { DecodingOptions, Encoding, StreamLimits } from '../wire/stream-task.js';
import { AuthorizedStream } from './authorized-stream.js';
import type { ReadBatch } from './batch-to-entries.js';
import { ClusterIdentity } from './cluster-identity.js';
import { type EncodingChoice, streamingListNotAllowed } from './encoding-choice.js';
import { type OpenPage, PagePrefetcher } from './page-prefetcher.js';
import { ShardEvidence, type ShardEvidenceOfStream } from './shard-evidence.js';
import { WatchChunks } from './watch-chunks.js';
import type { WatchListSupport } from './watch-list-support.js';

/** 4 MiB: about a page of pods, so that a prefetched page can be complete before it is read. */
const LIST_CREDITS = 16;
/** 2 MiB. More would only buffer older states: without credits a watch merges by key. */
const WATCH_CREDITS = 8;
const TOO_MANY_REQUESTS = 429;
/** How often in a row one page may lose its worker before the list fails. */
const PAGE_ATTEMPTS = 5;

export interface WorkerListerWatcherOptions<T extends KubernetesObject> {
  readonly pool: StreamPool;
  readonly resource: Resource;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Only objects whose uids have hashes in these ranges, which are read for each stream. Undefined: all. */
  readonly ranges?: () => readonly HashRange[] | undefined;
  /** Lists are those of the most recent state, never of any that the server has. */
  readonly listsMostRecent?: boolean;
  /** `full`: never with a limit. */
  readonly list: 'paged' | 'full';
  /** How many pages may be requested ahead. @default as many as there are other threads */
  readonly pagesAhead?: number;
  /** Read for each stream. */
  readonly credentials: Credentials;
  readonly decoding: DecodingOptions;
  readonly encoding: EncodingChoice;
  readonly watchListSupport: Pick<WatchListSupport, 'isAvoided'>;
  readonly limits: StreamLimits;
  readonly slices: SliceScheduler;
  readonly requests: RestClientMetrics;
  /** Reads the batches of one stream, in order. */
  readonly openReader: (epoch: number) => ReadBatch<T>;
  /** Definitions that a worker need not send: see `KnownTables`. */
  readonly knownTables: () => Readonly<Record<string, number>>;
  /** Called when the complete collection is requested, in pages or as a stream. */
  readonly onList?: () => void;
  /** Called when the server has accepted a list or a watch. */
  readonly onResponse?: () => void;
  /** Called with the first field of a stream that the protobuf schema lacks. */
  readonly onUnknownField?: (field: UnknownField) => void;
  /** Called when the server has accepted a watch. Must not throw. */
  readonly onWatch?: () => void;
}

/** Lists and watches one collection on the threads of a pool. Each page of a list, and each watch, is one stream. */
export class WorkerListerWatcher<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly #options: WorkerListerWatcherOptions<T>;
  readonly #prefetcher: PagePrefetcher;
  #lists = 0;
  #listed = 0;
  #events = 0;
  readonly #watches = new Set<AuthorizedStream>();
  readonly #cluster = new ClusterIdentity();
  #decoder: 'simd' | 'json' | undefined;
  #encoding: Encoding | undefined;
  #unknownFields = 0;
  readonly #evidence = new ShardEvidence();

  constructor(options: WorkerListerWatcherOptions<T>) {
    this.#options = options;
    this.#prefetcher = new PagePrefetcher({
      ahead: options.pagesAhead ?? Math.max(1, options.pool.parallelism - 1),
      open: (page, onArrival) => this.#openPage(page, onArrival),
    });
  }

  /** How often the complete collection was requested, in pages or as a stream: not as one that the server does not offer. */
  get lists(): number {
    return this.#lists;
  }

  /** Objects received by lists, in pages or as a stream. */
  get listed(): number {
    return this.#listed;
  }

  /** Watch events received, bookmarks included. */
  get events(): number {
    return this.#events;
  }

  /** Watches that the server has accepted and that have not ended. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** The decoder of the last stream; undefined before the first response. */
  get decoder(): 'simd' | 'json' | undefined {
    return this.#decoder;
  }

  /** The encoding of the last stream; undefined before the first response. */
  get encoding(): Encoding | undefined {
    return this.#encoding;
  }

  /** Protobuf fields that the schema does not have, as those of a newer server. */
  get unknownFields(): number {
    return this.#unknownFields;
  }

  /** What is known about the objects of other shards. */
  get shards(): Pick<ShardEvidence, 'filtering' | 'dropped'> {
    return this.#evidence;
  }

  list(options: ListOptions, signal: AbortSignal): AsyncIterable<ListChunk<T>> {
    if (options.continue === undefined) {
      this.#lists++;
      this.#startList(options.resourceVersionMatch !== 'Exact');
    }
    const page = this.#prefetcher.take(options);
    return this.#readPage(page, signal);
  }

  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchChunk<T>> {
    const isList = options.sendInitialEvents === true;
    const rejection = isList ? this.#streamingListRejection() : undefined;
    if (rejection !== undefined) {
      return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(rejection) }) };
    }
    if (isList) this.#startList();
    const path = this.#path({ ...options, watch: true });
    const stream = this.#open({ verb: 'watch', path, credits: WATCH_CREDITS });
    onAbort(signal, () => {
      this.#watches.delete(stream);
      stream.stop();
    });
    return this.#watchChunks(stream, isList, signal);
  }

  /** Others list the collection in this one's place: its watches follow their list. */
  beginList(): void {
    this.#startList();
  }

  /** Why no streaming list is requested, if that is so. */
  #streamingListRejection(): ApiStatusError | undefined {
    const { encoding, resource, watchListSupport } = this.#options;
    if (!encoding.allowsStreamingList()) return streamingListNotAllowed();
    if (!watchListSupport.isAvoided(resource)) return undefined;
    return streamingListNotAllowed('the server did not end a streaming list of this resource before');
  }

  /** `isReplacing`: the store gets its result. An exact list is only compared with the store. */
  #startList(isReplacing = true): void {
    if (isReplacing) this.#cluster.reset();
    this.#options.onList?.();
  }

  #openPage(options: ListOptions, onArrival: (message: StreamMessage) => void): AuthorizedStream {
    const { list } = this.#options;
    const { limit, ...unlimited } = options;
    // Pages are requested at the most recent version: with a version and a limit, an API server responds either without
    // pages (from its cache, at '0') or at exactly that version, which may be compacted.
    const paged = { ...options, resourceVersion: options.resourceVersionMatch && options.resourceVersion };
    const path = this.#path(limit === undefined || list === 'full' ? unlimited : paged);
    return this.#open({ verb: 'list', path, credits: LIST_CREDITS }, { onArrival });
  }

  #open(spec: Pick<StreamSpec, 'verb' | 'path' | 'credits'>, options: OpenOptions = {}): AuthorizedStream {
    const { credentials, encoding, limits, pool, knownTables, requests } = this.#options;
    const ranges = this.#options.ranges?.();
    const decoding = ranges === undefined ? this.#options.decoding : { ...this.#options.decoding, ranges };
    return new AuthorizedStream(
      credentials,
      (connection) =>
        pool.open(
          {
            ...spec,
            connection,
            decoding,
            encodings: encoding.accepted,
            onUnknownField: encoding.onUnknownField,
            limits,
            known: knownTables(),
          },
          options,
        ),
      (server, code) => requests.count('GET', server, code),
    );
  }

  #path(query: Query): string {
    const { resource, namespace, labelSelector, fieldSelector, listsMostRecent = false } = this.#options;
    // With every page, too: a continue token does not hold it.
    const shardSelector = this.#shardSelector || undefined;
    const selectors = { labelSelector, fieldSelector, shardSelector };
    const asked = listsMostRecent ? withoutVersion(query) : query;
    return collectionPath(resource, namespace) + queryString({ ...selectors, ...asked });
  }

  /** Empty without ranges. */
  get #shardSelector(): string {
    const ranges = this.#options.ranges?.();
    return ranges === undefined ? '' : uidSelector(ranges);
  }

  /** Not itself a generator, because the page must be released even if it is never read. */
  #readPage(page: OpenPage, signal: AbortSignal): AsyncIterable<ListChunk<T>> {
    const reading = { stream: page.stream };
    onAbort(signal, () => {
      reading.stream.stop();
      this.#prefetcher.discardAfter(page);
    });
    return this.#pageChunks(page, reading, signal);
  }

  async *#pageChunks(
    page: OpenPage,
    reading: { stream: AuthorizedStream },
    signal: AbortSignal,
  ): AsyncGenerator<ListChunk<T>> {
    let readBatch: ReadBatch<T> | undefined;
    let attempts = page.isPrefetched ? 0 : 1;
    let evidence = this.#evidence.openStream(this.#shardSelector);
    for (;;) {
      let message: StreamMessage | undefined;
      try {
        message = await reading.stream.next();
      } catch (error) {
        if (signal.aborted) throw error;
        // `#note` has seen to it that this page is requested in JSON now; the pages before it are complete.
        if (!(error instanceof UnknownFieldError)) {
          if (attempts >= PAGE_ATTEMPTS || !isRetriable(error, attempts === 0)) throw error;
          attempts++;
        }
        reading.stream = this.#openPage(page.options, () => {});
        readBatch = undefined;
        evidence = this.#evidence.openStream(this.#shardSelector);
        yield { type: 'restart' };
        continue;
      }
      if (message === undefined) return;
      this.#note(message, evidence);
      if (message.type === 'batch') {
        readBatch ??= this.#options.openReader(reading.stream.epoch);
        const chunk = this.#items(readBatch(message.buffer));
        evidence.kept(chunk.entries.length);
        yield chunk;
      }
      if (message.type === 'begin' || message.type === 'end') {
        evidence.listed(message.shardSelector);
        yield message;
      }
      if (message.type === 'end') return;
    }
  }

  #note(message: StreamMessage, evidence: ShardEvidenceOfStream): void {
    if (message.type === 'dropped') evidence.dropped(message.objects);
    if (message.type === 'unknown-fields') {
      this.#unknownFields += message.count;
      if (message.first !== undefined) this.#options.onUnknownField?.(message.first);
    }
    if (message.type !== 'open') return;
    this.#decoder = message.decoder;
    this.#encoding = message.encoding;
    this.#options.encoding.note(message.encoding);
    this.#options.onResponse?.();
  }

  #items(rows: Iterable<EntryRow<T>>): Extract<ListChunk<T>, { type: 'items' }> {
    const entries: Entry<T>[] = [];
    const rejected: Rejected[] = [];
    for (const row of rows) {
      if (row instanceof SlabEntry) entries.push(row);
      else if (row.type === 'rejected') rejected.push(row);
    }
    this.#listed += entries.length;
    return { type: 'items', entries, rejected };
  }

  /** `isList`: a streaming list, which begins with the complete collection and marks its end by a bookmark. */
  #watchChunks(
    stream: AuthorizedStream,
    isList: boolean,
    signal: AbortSignal,
  ): AsyncIterableIterator<WatchChunk<T>> {
    let isListing = isList;
    let isCounted = !isList;
    const countList = (): void => {
      if (!isCounted) this.#lists++;
      isCounted = true;
    };
    let admittedBy: readonly string[] = [];
    const selector = this.#shardSelector;
    const evidence = this.#evidence.openStream(selector);
    return new WatchChunks<T>({
      stream,
      slice: this.#options.slices.open(),
      openReader: this.#options.openReader,
      onMessage: (message) => {
        this.#note(message, evidence);
        if (message.type === 'open') admittedBy = message.admittedBy;
      },
      onOpen: (encoding) => {
        if (isList && !this.#options.encoding.allowsStreamingList([encoding])) {
          stream.stop();
          throw streamingListNotAllowed();
        }
        countList();
        try {
          this.#cluster.check(admittedBy);
        } catch (error) {
          stream.stop();
          throw error;
        }
        if (!signal.aborted) this.#watches.add(stream);
        this.#options.onWatch?.();
      },
      onEvents: (events) => {
        this.#events += events.length;
        if (selector !== '') evidence.kept(events.filter(({ type }) => type !== 'BOOKMARK').length);
        if (!isListing) return;
        const end = events.findIndex(isInitialEventsEnd);
        this.#listed += end < 0 ? events.length : end;
        isListing = end < 0;
      },
      onEnd: (error) => {
        this.#watches.delete(stream);
        if (error !== undefined && !isNotOffered(error)) countList();
      },
    });
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A list, also a streaming one, without the version that it was to have at least. */
function withoutVersion(query: Query): Query {
  const isList = query['watch'] !== true || query['sendInitialEvents'] === true;
  if (!isList || query['resourceVersionMatch'] === 'Exact') return query;
  const { resourceVersionMatch, ...rest } = query;
  return {
    ...rest,
    resourceVersion: '',
    ...(query['watch'] === true && { resourceVersionMatch }),
  };
}

/** Of a streaming list: the list in pages that takes its place is the one that counts. */
function isNotOffered(error: unknown): boolean {
  const source = statusErrorOf(error);
  return source !== undefined && isInvalidRequest(source.status);
}

function isInitialEventsEnd(event: WatchEntry<KubernetesObject>): boolean {
  return event.type === 'BOOKMARK' && event.initialEventsEnd;
}

/**
 * A page whose worker was lost is requested again, by itself. A prefetched page that failed for reasons that may lie in
 * the prefetching is requested once more when it is its turn.
 */
function isRetriable(error: unknown, isPrefetched: boolean): boolean {
  const code = error instanceof KubeflectError ? error.code : undefined;
  if (code === 'KUBEFLECT_WORKER_LOST') return true;
  if (!isPrefetched) return false;
  if (error instanceof TransportError || code === 'KUBEFLECT_CREDENTIALS_FAILED') return true;
  return error instanceof ApiStatusError && error.status.code === TOO_MANY_REQUESTS;
}
