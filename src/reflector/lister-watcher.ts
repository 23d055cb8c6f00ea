import type { KubernetesObject } from '../kube/object.js';
import type { Rejected } from '../kube/rejected-object.js';
import type { Status } from '../kube/status.js';
import type { Entry } from '../store/entry.js';

export type { Rejected } from '../kube/rejected-object.js';

export interface ListOptions {
  /** `''` requests the most recent state, `'0'` any state that the server has. */
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
 * What a list yields. Exactly one `end` completes a page; a stream that ends without it is a truncated list and counts
 * as failed. `begin` is optional: typed lists have their metadata before their items. `restart` discards what was
 * yielded of this page so far: the source lost its connection and requests the page again.
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

/** The type that every object must have; an absent field is not checked. */
export interface ExpectedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/**
 * How the reflector reaches a server. Both methods yield batches; the reflector requests the next batch only after it
 * applied the last, which is the back-pressure. Failures are thrown as `ApiStatusError` (an HTTP error response) or
 * `TransportError` (no response); returning from a watch is a clean close. Aborting the signal ends the iteration
 * promptly. The implementation checks the type of each object, since only it has the decoded object.
 */
export interface ListerWatcher<T extends KubernetesObject> {
  list(options: ListOptions, signal: AbortSignal, expected?: ExpectedObject): AsyncIterable<ListChunk<T>>;
  watch(options: WatchOptions, signal: AbortSignal, expected?: ExpectedObject): AsyncIterable<WatchChunk<T>>;
  /** True if this source does not support streaming lists (client-go's duck-typed opt-out). */
  readonly isWatchListUnsupported?: boolean;
}
