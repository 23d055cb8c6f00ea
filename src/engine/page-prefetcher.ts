import type { StreamMessage } from '../pool/stream-handle.js';
import type { ListOptions } from '../reflector/lister-watcher.js';
import type { AuthorizedStream } from './authorized-stream.js';

export interface PagePrefetcherOptions {
  /** How many pages may be requested ahead. */
  readonly ahead: number;
  readonly open: (page: ListOptions, onArrival: (message: StreamMessage) => void) => AuthorizedStream;
}

/** A page whose stream is open. */
export interface OpenPage {
  readonly options: ListOptions;
  readonly stream: AuthorizedStream;
  readonly isPrefetched: boolean;
  /** The continue token, once it has arrived; empty on the last page. */
  token: string | undefined;
}

/**
 * Requests the next pages of a list as soon as their continue tokens have arrived, each on the least busy thread, so
 * that the server and the other threads work while a page is read. Pages are taken in the order of the list.
 */
export class PagePrefetcher {
  readonly #ahead: number;
  readonly #open: PagePrefetcherOptions['open'];
  /** The page that was taken last. */
  #current: OpenPage | undefined;
  /** Each continues the one before it, the first `#current`. */
  #pages: OpenPage[] = [];

  constructor(options: PagePrefetcherOptions) {
    this.#ahead = options.ahead;
    this.#open = options.open;
  }

  /** The page for these options, prefetched or requested now. Other prefetched pages are discarded. */
  take(options: ListOptions): OpenPage {
    const [first] = this.#pages;
    if (first !== undefined && isSame(first.options, options)) {
      this.#pages.shift();
      this.#current = first;
      this.#extend();
      return first;
    }
    this.discard();
    const page = this.#openPage(options, false);
    this.#current = page;
    return page;
  }

  /** Stops the prefetched pages. */
  discard(): void {
    this.#current = undefined;
    for (const { stream } of this.#pages.splice(0)) stream.stop();
  }

  /** The same, unless the next page is taken in the current microtask. */
  discardAfter(page: OpenPage): void {
    queueMicrotask(() => {
      if (this.#current === page) this.discard();
    });
  }

  #openPage(options: ListOptions, isPrefetched: boolean): OpenPage {
    const onArrival = (message: StreamMessage): void => {
      if (message.type !== 'begin' && message.type !== 'end') return;
      page.token = message.continue;
      this.#extend();
    };
    const page: OpenPage = {
      options,
      stream: this.#open(options, onArrival),
      isPrefetched,
      token: undefined,
    };
    return page;
  }

  #extend(): void {
    while (this.#pages.length < this.#ahead) {
      const last = this.#pages.at(-1) ?? this.#current;
      if (last?.token === undefined || last.token === '' || last.options.limit === undefined) return;
      const options: ListOptions = { resourceVersion: '', continue: last.token, limit: last.options.limit };
      try {
        this.#pages.push(this.#openPage(options, true));
      } catch {
        // No credentials at the moment. If that persists, `take` throws it when the page's turn comes.
        return;
      }
    }
  }
}

function isSame(a: ListOptions, b: ListOptions): boolean {
  return (
    a.continue === b.continue &&
    a.limit === b.limit &&
    a.resourceVersion === b.resourceVersion &&
    a.resourceVersionMatch === b.resourceVersionMatch
  );
}
