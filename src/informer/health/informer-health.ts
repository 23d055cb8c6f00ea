import type { KubeflectError } from '../../util/errors.js';

export type InformerState = 'new' | 'syncing' | 'synced' | 'stopped';

/** A look at an informer, made to be returned from a health endpoint. Ages are in milliseconds. */
export interface InformerHealth {
  readonly name: string;
  readonly state: InformerState;
  readonly objects: number;
  /** Up to here the store is complete. */
  readonly resourceVersion: string;
  /** Since a list, an event or a bookmark was last applied; undefined before the first. A server that sends bookmarks keeps it near a minute. */
  readonly lastAppliedAgeMs: number | undefined;
  /** The same without bookmarks: large in a quiet collection. */
  readonly lastEventAgeMs: number | undefined;
  /** Of bookmarks alone: about a minute, for as long as the watch is alive. */
  readonly lastBookmarkAgeMs: number | undefined;
  /** Deltas that wait to be applied. */
  readonly queued: number;
  /** Objects whose latest state could not be read, or on which the transform failed: the store holds an older state, or none. */
  readonly rejected: number;
  readonly handlers: readonly HandlerHealth[];
  readonly lastError: { readonly error: KubeflectError; readonly ageMs: number } | undefined;
}

export interface HandlerHealth {
  readonly name: string;
  readonly hasSynced: boolean;
  readonly pending: number;
  /** True if the handler is so far behind that states are merged by key. */
  readonly isMerging: boolean;
  /** How long the asynchronous call that is running has taken so far. */
  readonly callAgeMs: number | undefined;
}
