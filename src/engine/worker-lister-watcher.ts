import type { Credentials } from '../auth/credentials.js';
import type { KubernetesObject } from '../kube/object.js';
import { collectionPath, queryText, type Resource } from '../kube/resource.js';
import { ApiStatusError, type Status } from '../kube/status.js';
import type { StreamMessage } from '../pool/stream-handle.js';
import type { OpenOptions, StreamOrder, StreamPool } from '../pool/worker-pool.js';
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
import type { DecodingOptions, Encoding, StreamLimits } from '../wire/stream-task.js';
import { AuthorizedStream } from './authorized-stream.js';
import { type OpenPage, PagePrefetcher } from './page-prefetcher.js';

/** 4 MiB: about a page of pods, so that a page that was asked for early can be complete before it is read. */
const LIST_CREDITS = 16;
/** 2 MiB. More would only be older news: without credit a watch merges by key. */
const WATCH_CREDITS = 8;
/** How often in a row one page may lose its worker before the list has failed. */
const PAGE_ATTEMPTS = 5;

/** Throws if the batch is not as it was sent. */
export type ReadBatch<T extends KubernetesObject> = (buffer: ArrayBufferLike) => Iterable<EntryRow<T>>;

export interface WorkerListerWatcherOptions<T extends KubernetesObject> {
  readonly pool: StreamPool;
  readonly resource: Resource;
  /** Absent: all namespaces, or a cluster-scoped kind. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** `full`: never with a limit. */
  readonly list: 'paged' | 'full';
  /** Asked for each stream. */
  readonly credentials: Credentials;
  readonly decoding: DecodingOptions;
  /** Streaming lists may be in JSON too, which costs the server twice what its pages do. */
  readonly streamsJson: boolean;
  /** Asked for each stream: what the answer may be written in. */
  readonly encodings: () => readonly Encoding[];
  /** The server has answered in this. */
  readonly onEncoding: (encoding: Encoding) => void;
  readonly limits: StreamLimits;
  /** Reads the batches of one stream, in order. */
  readonly openReader: (epoch: number) => ReadBatch<T>;
  /** Of `KnownTables`: what need not be sent again. */
  readonly known: () => Readonly<Record<string, number>>;
  /** The server has accepted a watch. Must not throw. */
  readonly onConnect?: () => void;
}

/** Lists and watches one collection on the threads of a pool. A page of a list is one stream, and so is a watch. */
export class WorkerListerWatcher<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly #options: WorkerListerWatcherOptions<T>;
  readonly #prefetcher: PagePrefetcher;
  #lists = 0;
  #listed = 0;
  #events = 0;
  readonly #watches = new Set<AuthorizedStream>();
  #decoder: 'simd' | 'json' | undefined;
  #encoding: Encoding | undefined;
  #unknownFields = 0;

  constructor(options: WorkerListerWatcherOptions<T>) {
    this.#options = options;
    this.#prefetcher = new PagePrefetcher({
      ahead: Math.max(1, options.pool.parallelism - 1),
      open: (page, onArrival) => this.#openPage(page, onArrival),
    });
  }

  /** How often the whole collection was asked for, in pages or as a stream. */
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

  /** What the last stream was decoded with; undefined before the first. */
  get decoder(): 'simd' | 'json' | undefined {
    return this.#decoder;
  }

  /** What the last stream was written in; undefined before the first. */
  get encoding(): Encoding | undefined {
    return this.#encoding;
  }

  /** Fields in protobuf that no schema knows: those of a newer server. They are left out. */
  get unknownFields(): number {
    return this.#unknownFields;
  }

  list(options: ListOptions, signal: AbortSignal): AsyncIterable<ListChunk<T>> {
    if (options.continue === undefined) this.#lists++;
    const page = this.#prefetcher.take(options);
    return this.#readPage(page, signal);
  }

  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchChunk<T>> {
    const isList = options.sendInitialEvents === true;
    if (isList && !this.#mayStream(this.#options.encodings()))
      return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(notStreamed()) }) };
    if (isList) this.#lists++;
    const path = this.#path({ ...options, watch: true });
    const stream = this.#open({ verb: 'watch', path, credits: WATCH_CREDITS });
    onAbort(signal, () => {
      this.#watches.delete(stream);
      stream.stop();
    });
    return this.#readWatch(stream, isList, signal);
  }

  #mayStream(encodings: readonly Encoding[]): boolean {
    return this.#options.streamsJson || encodings.includes('protobuf');
  }

  #openPage(options: ListOptions, onArrival: (message: StreamMessage) => void): AuthorizedStream {
    const { list } = this.#options;
    const { limit, ...unlimited } = options;
    // Pages are asked for at the most recent version: with a version and a limit, an API server answers either without
    // pages (from its cache, at '0') or at exactly that version, which may be long past.
    const paged = { ...options, resourceVersion: options.resourceVersionMatch && options.resourceVersion };
    const path = this.#path(limit === undefined || list === 'full' ? unlimited : paged);
    return this.#open({ verb: 'list', path, credits: LIST_CREDITS }, { onArrival });
  }

  #open(order: Pick<StreamOrder, 'verb' | 'path' | 'credits'>, options: OpenOptions = {}): AuthorizedStream {
    const { credentials, decoding, encodings, limits, pool, known } = this.#options;
    return new AuthorizedStream(credentials, (connection) =>
      pool.open({ ...order, connection, decoding, encodings: encodings(), limits, known: known() }, options),
    );
  }

  #path(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
    const { resource, namespace, labelSelector, fieldSelector } = this.#options;
    return collectionPath(resource, namespace) + queryText({ labelSelector, fieldSelector, ...query });
  }

  /** Not itself a generator: the page must be let go of even if it is never read. */
  #readPage(page: OpenPage, signal: AbortSignal): AsyncIterable<ListChunk<T>> {
    const reading = { stream: page.stream };
    onAbort(signal, () => {
      reading.stream.stop();
      this.#prefetcher.discardAfter(page);
    });
    return this.#chunksOf(page, reading, signal);
  }

  async *#chunksOf(
    page: OpenPage,
    reading: { stream: AuthorizedStream },
    signal: AbortSignal,
  ): AsyncGenerator<ListChunk<T>> {
    let readBatch: ReadBatch<T> | undefined;
    let attempts = page.isPrefetched ? 0 : 1;
    for (;;) {
      let message: StreamMessage | undefined;
      try {
        message = await reading.stream.next();
      } catch (error) {
        const isTakenBack =
          !signal.aborted && attempts < PAGE_ATTEMPTS && isAskedAgain(error, attempts === 0);
        if (!isTakenBack) throw error;
        attempts++;
        reading.stream = this.#openPage(page.options, () => {});
        readBatch = undefined;
        yield { type: 'restart' };
        continue;
      }
      if (message === undefined) return;
      this.#note(message);
      if (message.type === 'batch') {
        readBatch ??= this.#options.openReader(reading.stream.epoch);
        yield this.#items(readBatch(message.buffer));
      }
      if (message.type === 'begin' || message.type === 'end') yield message;
      if (message.type === 'end') return;
    }
  }

  #note(message: StreamMessage): void {
    if (message.type === 'unknown-fields') this.#unknownFields += message.count;
    if (message.type !== 'open') return;
    this.#decoder = message.decoder;
    this.#encoding = message.encoding;
    this.#options.onEncoding(message.encoding);
  }

  #items(rows: Iterable<EntryRow<T>>): ListChunk<T> {
    const entries: Entry<T>[] = [];
    const rejected: Rejected[] = [];
    for (const row of rows) {
      if (row instanceof SlabEntry) entries.push(row);
      else if (row.type === 'rejected') rejected.push(row);
    }
    this.#listed += entries.length;
    return { type: 'items', entries, rejected };
  }

  async *#readWatch(
    stream: AuthorizedStream,
    isList: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<WatchChunk<T>> {
    try {
      yield* this.#watchChunks(stream, isList, signal);
    } finally {
      this.#watches.delete(stream);
    }
  }

  /** `isList`: it begins with everything, up to a bookmark that says so. */
  async *#watchChunks(
    stream: AuthorizedStream,
    isList: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<WatchChunk<T>> {
    let isListing = isList;
    let readBatch: ReadBatch<T> | undefined;
    for (;;) {
      const message = await stream.next();
      if (message === undefined || message.type === 'end') return;
      this.#note(message);
      if (message.type === 'open') {
        if (isList && !this.#mayStream([message.encoding])) {
          stream.stop();
          throw notStreamed();
        }
        if (!signal.aborted) this.#watches.add(stream);
        this.#options.onConnect?.();
        yield { type: 'open' };
      }
      if (message.type === 'batch') {
        readBatch ??= this.#options.openReader(stream.epoch);
        const events = Array.from(readBatch(message.buffer), watchEntry);
        this.#events += events.length;
        if (isListing) {
          const end = events.findIndex(isInitialEventsEnd);
          this.#listed += end < 0 ? events.length : end;
          isListing = end < 0;
        }
        yield { type: 'events', events };
        // They were applied, or nobody would ask for more. V8 keeps what variables of a suspended generator had, for as long as it likes,
        // and an entry keeps its slab.
        events.length = 0;
      }
    }
  }
}

/** What a server says that has no streaming lists: the collection is listed in pages then, and for a while nothing else is tried. */
function notStreamed(): ApiStatusError {
  const message = 'the server has no protobuf for this collection, and JSON is listed in pages';
  return new ApiStatusError({ kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422, message });
}

function isInitialEventsEnd(event: WatchEntry<KubernetesObject>): boolean {
  return event.type === 'BOOKMARK' && event.initialEventsEnd;
}

function watchEntry<T extends KubernetesObject>(row: EntryRow<T>): WatchEntry<T> {
  if (row instanceof SlabEntry) throw new Error('an item of a list in a watch: this is a bug in the worker');
  switch (row.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return row;
    case 'bookmark':
      return {
        type: 'BOOKMARK',
        resourceVersion: row.resourceVersion,
        initialEventsEnd: row.initialEventsEnd,
      };
    case 'error':
      return { type: 'ERROR', status: row.status as Status };
    case 'rejected':
      return { type: 'REJECTED', rejected: row };
  }
}

/**
 * A page is asked for again, alone, if its worker was lost. What failed only because it was asked for early, with others, is asked
 * for once more in its turn.
 */
function isAskedAgain(error: unknown, isPrefetch: boolean): boolean {
  const code = error instanceof KubeflectError ? error.code : undefined;
  if (code === 'KUBEFLECT_WORKER_LOST') return true;
  if (!isPrefetch) return false;
  if (error instanceof TransportError || code === 'KUBEFLECT_CREDENTIALS_FAILED') return true;
  return 'status' in Object(error) && (error as { status: Status }).status.code === 429;
}
