import type { StreamMessage } from '../pool/stream-handle.js';
import type { ListOptions } from '../reflector/lister-watcher.js';
import type { AuthorizedStream } from './authorized-stream.js';

export interface PagePrefetcherOptions {
  /** How many pages may be on their way before they are asked for. */
  readonly ahead: number;
  readonly open: (page: ListOptions, onArrival: (message: StreamMessage) => void) => AuthorizedStream;
}

/** A page whose stream is open. */
export interface OpenPage {
  readonly options: ListOptions;
  readonly stream: AuthorizedStream;
  readonly isPrefetched: boolean;
  /** The token of the page after it, once that is known; empty on the last page. */
  token: string | undefined;
}

/**
 * Opens the next pages of a list as soon as their tokens are known, each on the thread that is least busy, so that the server and the other
 * threads work while a page is read. Pages are handed out in the order of the list, to whoever asks for exactly them.
 */
export class PagePrefetcher {
  readonly #ahead: number;
  readonly #open: PagePrefetcherOptions['open'];
  /** The page handed out last. */
  #current: OpenPage | undefined;
  /** A chain: each begins where the one before ends, the first where `#current` does. */
  #pages: OpenPage[] = [];

  constructor(options: PagePrefetcherOptions) {
    this.#ahead = options.ahead;
    this.#open = options.open;
  }

  /** The page that was asked for; pages that do not lead on from it are let go. */
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

  /** Lets go of the pages that nobody has asked for. */
  discard(): void {
    this.#current = undefined;
    for (const { stream } of this.#pages.splice(0)) stream.stop();
  }

  /** The same, unless the page after this one is asked for in the same breath. */
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
        // Without credentials for the moment. Whoever asks for the page in its turn is told, if it is still so.
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
