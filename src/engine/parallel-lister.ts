import type { KubernetesObject } from '../kube/object.js';
import { ApiStatusError, isExpired, statusErrorOf } from '../kube/status.js';
import type {
  ListChunk,
  ListerWatcher,
  ListOptions,
  WatchChunk,
  WatchOptions,
} from '../reflector/lister-watcher.js';
import { onAbort } from '../util/abort.js';
import { type Clock, sleep } from '../util/clock.js';
import { KubeflectError, TransportError } from '../util/errors.js';
import type { Slice, SliceScheduler } from '../util/slice-scheduler.js';
import { streamingListNotAllowed } from './encoding-choice.js';
import { MergedChunks } from './merged-chunks.js';
import { PROOF_OBJECTS } from './shard-evidence.js';
import type { WorkerListerWatcher } from './worker-lister-watcher.js';

/** How long a probe holds that a streaming list made, for the list that takes its place. */
const PROBE_VALID_MS = 2000;
/** How often the lists are begun anew at another version, because the server did not have the first one any more. */
const VERSION_ATTEMPTS = 2;
/** How often a page of one stream is requested before the list fails. */
const PAGE_ATTEMPTS = 5;
const RETRY_MS = 100;
const TOO_MANY_REQUESTS = 429;

/**
 * Why a collection is listed by one stream, though it may be several: `not-filtered`, the server sends objects of other
 * shards, or refuses `shardSelector`; `small`, a shard has less than a page of a few objects; `expired`, the server
 * did not keep the version for as long as the lists took.
 */
export type SingleStreamReason = 'not-filtered' | 'small' | 'expired';

/** Of an informer with `streams`. */
export interface StreamsStats {
  /** As in the options. */
  readonly of: number;
  /** By how many streams the collection was last listed; undefined before the first list. */
  readonly used: number | undefined;
  /** Why it was one. */
  readonly reason: SingleStreamReason | undefined;
}

export interface ParallelListerOptions<T extends KubernetesObject> {
  /** Lists by one stream, and watches. */
  readonly whole: WorkerListerWatcher<T>;
  /** List one shard of the collection each. */
  readonly parts: readonly WorkerListerWatcher<T>[];
  /** A lister of the first shard that knows nothing about the server yet. */
  readonly probe: () => WorkerListerWatcher<T>;
  readonly slices: SliceScheduler;
  readonly clock: Clock;
}

/** The server does not leave out what is of other shards. */
class NotFilteredError extends Error {}

/**
 * Lists one collection by several streams in parallel, each of a shard of it, if the server filters; the collection is
 * watched by one stream.
 *
 * First a probe: a list of a few objects of one shard. It shows whether the server filters, and has the version at which
 * every shard is listed then, exactly (`resourceVersionMatch=Exact`). So the shards together are one state of the
 * collection, as one list would have it, whatever is changed meanwhile, and the watch begins at its version. A page whose
 * connection is lost is requested again at that version.
 */
export class ParallelLister<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly #options: ParallelListerOptions<T>;
  #lists = 0;
  #used: number | undefined;
  #reason: SingleStreamReason | undefined;
  #probed: { readonly version: string; readonly atMs: number } | undefined;

  constructor(options: ParallelListerOptions<T>) {
    this.#options = options;
  }

  get streams(): StreamsStats {
    return { of: this.#options.parts.length, used: this.#used, reason: this.#reason };
  }

  get lists(): number {
    return this.#lists + this.#options.whole.lists;
  }

  get listed(): number {
    const { whole, parts } = this.#options;
    return parts.reduce((sum, { listed }) => sum + listed, whole.listed);
  }

  get events(): number {
    return this.#options.whole.events;
  }

  get unknownFields(): number {
    const { whole, parts } = this.#options;
    return parts.reduce((sum, { unknownFields }) => sum + unknownFields, whole.unknownFields);
  }

  get openWatches(): number {
    return this.#options.whole.openWatches;
  }

  get decoder(): WorkerListerWatcher<T>['decoder'] {
    return this.#options.whole.decoder ?? this.#options.parts[0]?.decoder;
  }

  get encoding(): WorkerListerWatcher<T>['encoding'] {
    return this.#options.whole.encoding ?? this.#options.parts[0]?.encoding;
  }

  get shards(): WorkerListerWatcher<T>['shards'] {
    return this.#options.whole.shards;
  }

  list(options: ListOptions, signal: AbortSignal): AsyncIterable<ListChunk<T>> {
    const isFirstPage = options.continue === undefined && options.resourceVersionMatch === undefined;
    return isFirstPage ? this.#list(options, signal) : this.#options.whole.list(options, signal);
  }

  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchChunk<T>> {
    const { whole } = this.#options;
    if (options.sendInitialEvents !== true) return whole.watch(options, signal);
    return afterwards(async () => {
      const version = await this.#probe(signal);
      if (signal.aborted) return undefined;
      if (version !== undefined) {
        this.#probed = { version, atMs: this.#options.clock.now() };
        throw streamingListNotAllowed('the collection is listed by several streams');
      }
      this.#used = 1;
      return whole.watch(options, signal)[Symbol.asyncIterator]();
    });
  }

  async *#list(options: ListOptions, signal: AbortSignal): AsyncGenerator<ListChunk<T>> {
    const { whole } = this.#options;
    for (let attempt = 0; attempt < VERSION_ATTEMPTS; attempt++) {
      const version = await this.#version(signal);
      if (version === undefined || signal.aborted) break;
      whole.beginList();
      this.#lists++;
      try {
        yield* this.#parallel(version, options.limit, signal);
        return;
      } catch (error) {
        const reason = reasonOf(error);
        if (reason === undefined || signal.aborted) throw error;
        this.#reason = reason;
        yield { type: 'restart' };
        if (reason === 'not-filtered') break;
      }
    }
    this.#used = 1;
    yield* whole.list(options, signal);
  }

  async #version(signal: AbortSignal): Promise<string | undefined> {
    const probed = this.#probed;
    this.#probed = undefined;
    const isValid = probed !== undefined && this.#options.clock.now() - probed.atMs < PROBE_VALID_MS;
    return isValid ? probed.version : this.#probe(signal);
  }

  /** The version at which the shards are to be listed; undefined if one stream is to list all of them. */
  async #probe(signal: AbortSignal): Promise<string | undefined> {
    const probe = this.#options.probe();
    const page: ListOptions = { resourceVersion: '', limit: PROOF_OBJECTS };
    let end: Extract<ListChunk<T>, { type: 'end' }> | undefined;
    try {
      for await (const chunk of probe.list(page, signal)) if (chunk.type === 'end') end = chunk;
    } catch (error) {
      // What one stream is refused as well, it reports itself.
      if (!(error instanceof ApiStatusError)) throw error;
      this.#reason = 'not-filtered';
      return undefined;
    }
    if (end === undefined) {
      if (signal.aborted) return undefined;
      throw new KubeflectError('KUBEFLECT_LIST_FAILED', 'the list of a shard is truncated');
    }
    const isFiltered = probe.shards.filtering === 'server';
    if (!isFiltered) this.#reason = probe.shards.filtering === undefined ? 'small' : 'not-filtered';
    else if (end.continue === '') this.#reason = 'small';
    return isFiltered && end.continue !== '' ? end.resourceVersion : undefined;
  }

  /** All shards at this version, as one page. */
  async *#parallel(
    version: string,
    limit: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ListChunk<T>> {
    const { parts } = this.#options;
    const own = new AbortController();
    const release = onAbort(signal, () => own.abort());
    const merged = new MergedChunks<ListChunk<T>>(parts.length);
    const first: ListOptions = {
      resourceVersion: version,
      resourceVersionMatch: 'Exact',
      ...(limit !== undefined && { limit }),
    };
    for (const part of parts) {
      const add = (chunk: ListChunk<T>): void => merged.add(chunk);
      this.#listPart(part, first, version, add, own.signal).then(
        () => merged.end(),
        (error: unknown) => merged.fail(error),
      );
    }
    try {
      yield { type: 'begin', resourceVersion: version, continue: '' };
      for (;;) {
        const chunk = await merged.next();
        if (chunk === undefined) break;
        yield chunk;
      }
      if (signal.aborted) return;
      this.#used = parts.length;
      this.#reason = undefined;
      yield { type: 'end', resourceVersion: version, continue: '' };
    } finally {
      release();
      own.abort();
    }
  }

  /** Passes on complete pages only, so that one that is lost can be requested again. */
  async #listPart(
    part: WorkerListerWatcher<T>,
    first: ListOptions,
    version: string,
    add: (chunk: ListChunk<T>) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const slice = this.#options.slices.open();
    const { dropped } = part.shards;
    let options = first;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const page = await readPage(part.list(options, signal), slice);
      slice.pause();
      if (signal.aborted) return;
      if (page.end === undefined) {
        if (attempt >= PAGE_ATTEMPTS) throw page.error;
        await sleep(this.#options.clock, RETRY_MS * 2 ** attempt, signal);
        continue;
      }
      if (part.shards.dropped > dropped)
        throw new NotFilteredError('the server sent objects of other shards');
      if (page.end.resourceVersion !== version) {
        const message = `a list at exactly version ${version} was answered at ${page.end.resourceVersion}`;
        throw new NotFilteredError(message);
      }
      for (const chunk of page.items) add(chunk);
      if (page.end.continue === '') return;
      attempt = 0;
      const { limit } = first;
      options = { resourceVersion: '', continue: page.end.continue, ...(limit !== undefined && { limit }) };
    }
  }
}

type Items<T extends KubernetesObject> = Extract<ListChunk<T>, { type: 'items' }>;

interface Page<T extends KubernetesObject> {
  readonly items: readonly Items<T>[];
  /** Undefined if the page is not complete. */
  readonly end: Extract<ListChunk<T>, { type: 'end' }> | undefined;
  readonly error: unknown;
}

async function readPage<T extends KubernetesObject>(
  chunks: AsyncIterable<ListChunk<T>>,
  slice: Slice,
): Promise<Page<T>> {
  let items: Items<T>[] = [];
  try {
    for await (const chunk of chunks) {
      if (!slice.take()) await slice.renew();
      if (chunk.type === 'end') return { items, end: chunk, error: undefined };
      if (chunk.type === 'restart') items = [];
      if (chunk.type === 'items') items.push(chunk);
      slice.pause();
    }
  } catch (error) {
    if (!isRetriable(error)) throw error;
    return { items, end: undefined, error };
  }
  const error = new KubeflectError('KUBEFLECT_LIST_FAILED', 'a page of a shard is truncated');
  return { items, end: undefined, error };
}

function isRetriable(error: unknown): boolean {
  if (error instanceof TransportError) return true;
  return error instanceof ApiStatusError && error.status.code === TOO_MANY_REQUESTS;
}

function reasonOf(error: unknown): SingleStreamReason | undefined {
  if (error instanceof NotFilteredError) return 'not-filtered';
  const source = statusErrorOf(error);
  return source !== undefined && isExpired(source.status) ? 'expired' : undefined;
}

/** Iterates what `open` resolves with. No generator: a watch yields each event through this. */
function afterwards<C>(open: () => Promise<AsyncIterator<C> | undefined>): AsyncIterable<C> {
  let inner: AsyncIterator<C> | undefined;
  const done: IteratorResult<C, undefined> = { done: true, value: undefined };
  const iterator: AsyncIterator<C> = {
    next: () => {
      if (inner !== undefined) return inner.next();
      return open().then((opened) => {
        inner = opened;
        return opened === undefined ? done : opened.next();
      });
    },
    return: async () => {
      await inner?.return?.();
      return done;
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
