import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from './entry.js';
import type { IndexBuckets } from './index-buckets.js';
import { ShardedMap } from './shards.js';

/** New indexes over a store, not yet visible in it. */
export class StagedIndexes<T extends KubernetesObject> {
  readonly indexes: Map<string, IndexBuckets<T>>;

  constructor(indexes: Map<string, IndexBuckets<T>>) {
    this.indexes = indexes;
  }

  put(entry: Entry<T>): void {
    for (const index of this.indexes.values()) index.set(undefined, entry);
  }
}

/**
 * The next content of a store, not yet visible in it: first every entry is `put`, then every entry is added to the
 * indexes and retained by `index`.
 */
export class StagedReplacement<T extends KubernetesObject> {
  readonly items: ShardedMap<Entry<T>, Key>;
  readonly indexes: Map<string, IndexBuckets<T>>;

  /** @param items entries that need not be `put` */
  constructor(indexes: Map<string, IndexBuckets<T>>, items: ShardedMap<Entry<T>, Key> = new ShardedMap()) {
    this.indexes = indexes;
    this.items = items;
  }

  /** False if the key was there already: a list may contain an object twice, and the later one counts. */
  put(entry: Entry<T>): boolean {
    return this.items.set(entry.key, entry);
  }

  index(entry: Entry<T>): void {
    entry.retain?.();
    for (const index of this.indexes.values()) index.set(undefined, entry);
  }
}
