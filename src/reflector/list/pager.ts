import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import { KubeflectError } from '../../util/errors.js';
import type { ListChunk, ListOptions, Rejected } from '../lister-watcher.js';
import { statusOf } from '../retry/failure.js';
import { isOurs, type Reporter } from '../watch/event-sink.js';

/** The next chunk of a page, or undefined at its end. Throws what the source throws. */
export type PageReader<T extends KubernetesObject> = () => Promise<ListChunk<T> | undefined>;

export interface PagedList<T extends KubernetesObject> {
  /** May be walked more than once. */
  readonly entries: Iterable<Entry<T>>;
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

interface PagerOptions<T extends KubernetesObject> {
  /** Opens one request and gives its reader. */
  readonly openPage: (options: ListOptions) => PageReader<T>;
  /** 0 is no limit. */
  readonly pageSize: number;
  /** Ask for the whole collection if a later page's token has expired. @default true */
  readonly fullListIfExpired?: boolean;
  readonly report: Reporter;
}

/**
 * client-go's ListPager: asks for page after page and joins them. If a later page's token has expired, the whole
 * collection is asked for once more, in one piece and at the original version.
 *
 * Pages are kept as the chunks they came in; nothing is copied.
 */
export class ListPager<T extends KubernetesObject> {
  readonly #openPage: (options: ListOptions) => PageReader<T>;
  readonly #pageSize: number;
  readonly #fullListIfExpired: boolean;
  readonly #report: Reporter;

  constructor(options: PagerOptions<T>) {
    this.#openPage = options.openPage;
    this.#pageSize = options.pageSize;
    this.#fullListIfExpired = options.fullListIfExpired ?? true;
    this.#report = options.report;
  }

  async list(options: ListOptions): Promise<PagedList<T>> {
    const limit = options.limit ?? this.#pageSize;
    const gathered = new Gathered<T>(this.#report);
    let page = await this.#page(withLimit(options, limit), gathered);
    const { resourceVersion } = page;
    const isPaginated = page.continue !== '';
    while (page.continue !== '') {
      // The API refuses a version or a match together with a token: the token carries both.
      const next = withLimit({ resourceVersion: '', continue: page.continue }, limit);
      try {
        page = await this.#page(next, gathered);
      } catch (error) {
        if (!this.#fullListIfExpired || !isExpiredReason(error)) throw error;
        return this.#fullList(options);
      }
      if (page.continue === next.continue) {
        const message = 'a page of the list gives its own token as that of the next page';
        throw new KubeflectError('KUBEFLECT_LIST_FAILED', message);
      }
    }
    return gathered.list(resourceVersion, isPaginated);
  }

  async #fullList(options: ListOptions): Promise<PagedList<T>> {
    const gathered = new Gathered<T>(this.#report);
    const { continue: _, limit: __, ...unlimited } = options;
    const page = await this.#page(unlimited, gathered);
    // As in client-go, the answer to the fallback counts as paged: the first attempt was.
    return gathered.list(page.resourceVersion, true);
  }

  async #page(options: ListOptions, gathered: Gathered<T>): Promise<Extract<ListChunk<T>, { type: 'end' }>> {
    const read = this.#openPage(options);
    gathered.beginPage();
    for (;;) {
      const chunk = await read();
      if (chunk === undefined) {
        const message = 'a page of the list ended before its end marker; the answer was cut';
        throw new KubeflectError('KUBEFLECT_LIST_FAILED', message);
      }
      if (chunk.type === 'end') return chunk;
      if (chunk.type === 'restart') gathered.restartPage();
      if (chunk.type === 'items') gathered.add(chunk.entries, chunk.rejected);
    }
  }
}

interface PageStart {
  readonly chunks: number;
  readonly size: number;
  readonly unidentified: number;
  readonly foreign: number;
  readonly unreadableKeys: ReadonlySet<string>;
}

/** The chunks of one list so far. */
class Gathered<T extends KubernetesObject> {
  readonly #report: Reporter;
  readonly #chunks: (readonly Entry<T>[])[] = [];
  #unreadableKeys = new Set<string>();
  #size = 0;
  #unidentified = 0;
  /** Items of another kind. */
  #foreign = 0;
  #pageStart: PageStart = { chunks: 0, size: 0, unidentified: 0, foreign: 0, unreadableKeys: new Set() };

  constructor(report: Reporter) {
    this.#report = report;
  }

  beginPage(): void {
    this.#pageStart = {
      chunks: this.#chunks.length,
      size: this.#size,
      unidentified: this.#unidentified,
      foreign: this.#foreign,
      unreadableKeys: new Set(this.#unreadableKeys),
    };
  }

  /** Forgets what came since `beginPage`. */
  restartPage(): void {
    const { chunks, size, unidentified, foreign, unreadableKeys } = this.#pageStart;
    this.#chunks.length = chunks;
    this.#size = size;
    this.#unidentified = unidentified;
    this.#foreign = foreign;
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
      if (!isOurs(item)) this.#foreign++;
      else if (item.key === undefined) this.#unidentified++;
      else this.#unreadableKeys.add(item.key);
    }
  }

  list(resourceVersion: string, isPaginated: boolean): PagedList<T> {
    const chunks = this.#chunks;
    // A list of nothing but another kind is more likely the answer to another question than the news that all is gone.
    const unidentified = this.#unidentified + (this.#size === 0 ? this.#foreign : 0);
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

/** One chunk after the other. A generator would do, at five times the cost, and every relist walks all objects. */
class ChunkIterator<E> implements Iterator<E> {
  readonly #chunks: readonly (readonly E[])[];
  #chunk = 0;
  #place = 0;

  constructor(chunks: readonly (readonly E[])[]) {
    this.#chunks = chunks;
  }

  next(): IteratorResult<E, undefined> {
    for (;;) {
      const chunk = this.#chunks[this.#chunk];
      if (chunk === undefined) return { done: true, value: undefined };
      if (this.#place < chunk.length) return { done: false, value: chunk[this.#place++] as E };
      this.#chunk++;
      this.#place = 0;
    }
  }
}

function withLimit(options: ListOptions, limit: number): ListOptions {
  return limit > 0 ? { ...options, limit } : options;
}

/** By reason alone, as client-go's pager: Gone, or a bare 410, is the caller's business. */
function isExpiredReason(error: unknown): boolean {
  return statusOf(error)?.status.reason === 'Expired';
}
