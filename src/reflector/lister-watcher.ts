import type { KubernetesObject } from '../kube/object.js';
import type { Rejected } from '../kube/rejected-object.js';
import type { Status } from '../kube/status.js';
import type { Entry } from '../store/entry.js';

export type { Rejected } from '../kube/rejected-object.js';

export interface ListOptions {
  /** `''` asks for the most recent state, `'0'` for anything the server has. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Absent: no limit. */
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions {
  readonly resourceVersion: string;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds: number;
  /** Set (with `resourceVersionMatch: 'NotOlderThan'`) for a streaming list. */
  readonly sendInitialEvents?: boolean;
  readonly resourceVersionMatch?: 'NotOlderThan';
}

/**
 * What a list yields. Exactly one `end` closes a complete page; a stream that ends without it is a truncated
 * list and counts as failed. `begin` is optional and early news: typed lists know their metadata before their items.
 * `restart` takes back what was yielded of this page so far: the source lost its connection and asks for the page again.
 */
export type ListChunk<T extends KubernetesObject> =
  | { readonly type: 'begin'; readonly resourceVersion: string; readonly continue: string }
  | { readonly type: 'restart' }
  | { readonly type: 'items'; readonly entries: readonly Entry<T>[]; readonly rejected?: readonly Rejected[] }
  | {
      readonly type: 'end';
      readonly resourceVersion: string;
      /** Empty on the last page. */
      readonly continue: string;
      readonly remainingItemCount?: number;
    };

export type WatchEntry<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }
  | { readonly type: 'REJECTED'; readonly rejected: Rejected };

/** `open` comes once, when the response has begun: the server accepted the watch. */
export type WatchChunk<T extends KubernetesObject> =
  | { readonly type: 'open' }
  | { readonly type: 'events'; readonly events: readonly WatchEntry<T>[] };

/** What every object must be; an absent field is not checked. */
export interface ExpectedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/**
 * How the reflector reaches a server. Both methods yield batches; the reflector asks for the next batch only after
 * it applied the last, which is the back-pressure. Failures are thrown as `ApiStatusError` (an HTTP answer) or
 * `TransportError` (no answer); returning from a watch is a clean close. Aborting the signal ends the iteration promptly.
 * Whoever implements this checks the type of each object, since only there is it at hand.
 */
export interface ListerWatcher<T extends KubernetesObject> {
  list(options: ListOptions, signal: AbortSignal, expected?: ExpectedObject): AsyncIterable<ListChunk<T>>;
  watch(options: WatchOptions, signal: AbortSignal, expected?: ExpectedObject): AsyncIterable<WatchChunk<T>>;
  /** True if this source is known not to do streaming lists (client-go's duck-typed opt-out). */
  readonly isWatchListUnsupported?: boolean;
}
