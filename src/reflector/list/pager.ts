import type { KubernetesObject } from '../../kube/object.js';
import { isExpired, statusErrorOf } from '../../kube/status.js';
import type { Entry } from '../../store/entry.js';
import type { EntryList } from '../../store/reflector-store.js';
import type { Clock } from '../../util/clock.js';
import { KubeflectError } from '../../util/errors.js';
import { type Slice, sliceSchedulerOf } from '../../util/slice-scheduler.js';
import type { ListChunk, ListOptions, Rejected } from '../lister-watcher.js';
import { stalled } from '../retry/failure.js';
import { isExpectedType, type Reporter } from '../watch/event-sink.js';
import { SourceReader } from '../watch/source-reader.js';

/** Requests one page: client-go's ListPageFunc. */
export type ListPageFunction<T extends KubernetesObject> = (
  options: ListOptions,
  signal: AbortSignal,
) => AsyncIterable<ListChunk<T>>;

export interface PagedList<T extends KubernetesObject> {
  /** May be iterated more than once. */
  readonly entries: EntryList<T>;
  readonly size: number;
  /** The first page's. */
  readonly resourceVersion: string;
  readonly isPaginated: boolean;
  /** Keys of items that exist and could not be read. */
  readonly unreadableKeys: Set<string>;
  /** Items that could not be read, and how many of them have no key. */
  readonly unreadable: number;
  readonly unidentified: number;
}

interface ListPagerOptions<T extends KubernetesObject> {
  readonly listPage: ListPageFunction<T>;
  /** 0 is no limit. */
  readonly pageSize: number;
  /** List the complete collection without pages if a later page's token has expired. @default true */
  readonly fullListIfExpired?: boolean;
  /** A page that is silent for this long fails the list. */
  readonly listIdleTimeoutMs: number;
  readonly clock: Clock;
  readonly report: Reporter;
  /** Aborting fails the list. */
  readonly signal: AbortSignal;
}

/** Silence of a list is reported after this time, long before it fails. */
const REPORT_AFTER_MS = 10_000;

type PageEnd<T extends KubernetesObject> = Extract<ListChunk<T>, { type: 'end' }>;

/**
 * client-go's ListPager: requests page after page and joins them. If a later page's token has expired, the complete
 * collection is requested once more, in one piece and at the original version.
 *
 * Pages are kept as the chunks they came in; nothing is copied.
 */
export class ListPager<T extends KubernetesObject> {
  readonly #options: ListPagerOptions<T>;
  readonly #slice: Slice;
  /** Of the page that is being read. */
  #reader: SourceReader<ListChunk<T>> | undefined;

  constructor(options: ListPagerOptions<T>) {
    this.#options = options;
    const { clock } = options;
    this.#slice = sliceSchedulerOf(clock).open();
  }

  async list(options: ListOptions): Promise<PagedList<T>> {
    try {
      return await this.#pages(options);
    } finally {
      this.#reader?.close();
    }
  }

  async #pages(options: ListOptions): Promise<PagedList<T>> {
    const { pageSize, fullListIfExpired = true, report } = this.#options;
    const limit = options.limit ?? pageSize;
    const items = new ListAccumulator<T>(report);
    let page = await this.#page(withLimit(options, limit), items);
    const { resourceVersion } = page;
    const isPaginated = page.continue !== '';
    while (page.continue !== '') {
      // The API rejects a version or a match together with a token: the token carries both.
      const next = withLimit({ resourceVersion: '', continue: page.continue }, limit);
      try {
        page = await this.#page(next, items);
      } catch (error) {
        if (!fullListIfExpired || !hasExpired(error)) throw error;
        return this.#fullList(options);
      }
      if (page.continue === next.continue) {
        const message = 'a page of the list returned its own continue token as that of the next page';
        throw new KubeflectError('KUBEFLECT_LIST_FAILED', message);
      }
    }
    return items.list(resourceVersion, isPaginated);
  }

  async #fullList(options: ListOptions): Promise<PagedList<T>> {
    const items = new ListAccumulator<T>(this.#options.report);
    const { continue: _, limit: __, ...unlimited } = options;
    const page = await this.#page(unlimited, items);
    // As in client-go, the fallback's result counts as paginated: the first attempt was.
    return items.list(page.resourceVersion, true);
  }

  async #page(options: ListOptions, items: ListAccumulator<T>): Promise<PageEnd<T>> {
    const { listPage, clock, signal } = this.#options;
    this.#reader?.close();
    const reader = new SourceReader({ open: (own) => listPage(options, own), clock, signal });
    this.#reader = reader;
    items.beginPage();
    for (;;) {
      const chunk = await this.#read(reader);
      if (chunk === undefined) {
        const message = 'a page of the list ended before its end marker: the response is truncated';
        throw new KubeflectError('KUBEFLECT_LIST_FAILED', message);
      }
      if (chunk.type === 'end') return chunk;
      if (chunk.type === 'restart') items.restartPage();
      if (chunk.type === 'items') items.add(chunk.entries, chunk.rejected);
    }
  }

  /** The next chunk of the page, or undefined at its end. */
  async #read(reader: SourceReader<ListChunk<T>>): Promise<ListChunk<T> | undefined> {
    this.#slice.pause();
    const { clock, listIdleTimeoutMs, report } = this.#options;
    const timer = clock.schedule(
      () => report({ type: 'waiting-for-list', level: 'warning', waitedMs: REPORT_AFTER_MS }),
      REPORT_AFTER_MS,
    );
    const read = await reader.next(clock.now() + listIdleTimeoutMs).finally(() => timer.cancel());
    if (!this.#slice.take()) await this.#slice.renew();
    if (read.type === 'timeout') throw stalled('the list went silent').error;
    return read.type === 'chunk' ? read.chunk : undefined;
  }
}

interface PageStart {
  readonly chunks: number;
  readonly size: number;
  readonly unidentified: number;
  readonly unexpected: number;
  readonly unreadableKeys: ReadonlySet<string>;
}

/** The chunks of one list so far, and what could not be read of it. */
class ListAccumulator<T extends KubernetesObject> {
  readonly #report: Reporter;
  readonly #chunks: (readonly Entry<T>[])[] = [];
  #unreadableKeys = new Set<string>();
  #size = 0;
  #unidentified = 0;
  /** Items of another type. */
  #unexpected = 0;
  #pageStart: PageStart = { chunks: 0, size: 0, unidentified: 0, unexpected: 0, unreadableKeys: new Set() };

  constructor(report: Reporter) {
    this.#report = report;
  }

  beginPage(): void {
    this.#pageStart = {
      chunks: this.#chunks.length,
      size: this.#size,
      unidentified: this.#unidentified,
      unexpected: this.#unexpected,
      unreadableKeys: new Set(this.#unreadableKeys),
    };
  }

  /** Discards everything since `beginPage`. */
  restartPage(): void {
    const { chunks, size, unidentified, unexpected, unreadableKeys } = this.#pageStart;
    this.#chunks.length = chunks;
    this.#size = size;
    this.#unidentified = unidentified;
    this.#unexpected = unexpected;
    this.#unreadableKeys = new Set(unreadableKeys);
  }

  add(entries: readonly Entry<T>[], rejected: readonly Rejected[] = []): void {
    this.#chunks.push(entries);
    this.#size += entries.length;
    for (const item of rejected) {
      this.#report({ type: 'rejected', level: 'error', rejected: item });
      if (item.reason === 'table') {
        throw new KubeflectError('KUBEFLECT_LIST_FAILED', `the list is a Table: ${item.message}`);
      }
      if (!isExpectedType(item)) this.#unexpected++;
      else if (item.key === undefined) this.#unidentified++;
      else this.#unreadableKeys.add(item.key);
    }
  }

  list(resourceVersion: string, isPaginated: boolean): PagedList<T> {
    const chunks = this.#chunks;
    // A list of nothing but other types is more likely the response to another request than an empty collection.
    const unidentified = this.#unidentified + (this.#size === 0 ? this.#unexpected : 0);
    return {
      entries: { [Symbol.iterator]: () => new ChunkIterator(chunks) },
      size: this.#size,
      resourceVersion,
      isPaginated,
      unreadableKeys: this.#unreadableKeys,
      unreadable: this.#unreadableKeys.size + unidentified,
      unidentified,
    };
  }
}

/** Iterates chunk by chunk. A generator costs five times as much, and every relist iterates all objects. */
class ChunkIterator<E> implements Iterator<E> {
  readonly #chunks: readonly (readonly E[])[];
  #chunk = 0;
  #position = 0;

  constructor(chunks: readonly (readonly E[])[]) {
    this.#chunks = chunks;
  }

  next(): IteratorResult<E, undefined> {
    for (;;) {
      const chunk = this.#chunks[this.#chunk];
      if (chunk === undefined) return { done: true, value: undefined };
      if (this.#position < chunk.length) return { done: false, value: chunk[this.#position++] as E };
      this.#chunk++;
      this.#position = 0;
    }
  }
}

function withLimit(options: ListOptions, limit: number): ListOptions {
  return limit > 0 ? { ...options, limit } : options;
}

/**
 * Gone and a bare 410 count, too. client-go's pager goes by the reason Expired alone, and its reflector then lists all
 * pages again, which never ends if tokens expire before the last page.
 */
function hasExpired(error: unknown): boolean {
  const source = statusErrorOf(error);
  return source !== undefined && isExpired(source.status);
}
