import { compareResourceVersion } from '../kube/compare-resource-version.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from './entry.js';
import type { Indexer } from './indexer.js';
import type { Delta } from './queue/delta.js';

/** What applying a delta changed in the store, in the terms of a handler. */
export type Change<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly entry: Entry<T> }
  | {
      readonly type: 'update';
      readonly before: Entry<T>;
      readonly entry: Entry<T>;
      readonly isResync: boolean;
    }
  | {
      readonly type: 'delete';
      readonly entry: Entry<T>;
      /** What was stored: older than `entry` if changes before the deletion were merged into it. */
      readonly before: Entry<T>;
      readonly finalStateUnknown: boolean;
    };

/**
 * Why a delta changed nothing: `stale`, the store holds a newer version of the object; `unchanged`, it holds this
 * version; `unknown`, a deletion of an object that is not stored; `rejected`, `prepare` returned no entry.
 */
export type Skipped = 'stale' | 'unchanged' | 'unknown' | 'rejected';

/**
 * Applies a delta to the store (client-go's processDeltas). The version of a key never goes back.
 * `prepare` is called at most once, and only for an entry that will be stored or passed to handlers.
 */
export function applyDelta<T extends KubernetesObject>(
  indexer: Indexer<T>,
  delta: Delta<T>,
  prepare: (entry: Entry<T>) => Entry<T> | undefined = (entry) => entry,
): Change<T> | Skipped {
  const { entry } = delta;
  // Looked up and read once: entries that are bytes decode a string each time.
  const before = indexer.getByKey(entry.key);
  if (delta.type === 'Deleted') {
    if (before === undefined) {
      if (!delta.finalStateUnknown) indexer.advance(entry.resourceVersion);
      return 'unknown';
    }
    if (delta.finalStateUnknown) {
      indexer.deleteByKey(entry.key);
      return { type: 'delete', entry, before, finalStateUnknown: true };
    }
    if (isOlder(entry.resourceVersion, before.resourceVersion)) return 'stale';
    indexer.delete(entry);
    return { type: 'delete', entry: prepare(entry) ?? before, before, finalStateUnknown: false };
  }
  if (before === undefined) {
    const prepared = prepare(entry);
    if (prepared === undefined) return 'rejected';
    indexer.put(undefined, prepared, prepared.resourceVersion);
    return { type: 'add', entry: prepared };
  }
  const { resourceVersion } = entry;
  const beforeVersion = before.resourceVersion;
  const isSame = resourceVersion !== '' && resourceVersion === beforeVersion && entry.uid === before.uid;
  const isResync = delta.type === 'Sync' && (isSame || before === entry);
  if (isResync) return { type: 'update', before, entry: before, isResync };
  if (isSame) {
    // As the first event of a warm start, whose state is stored already, and its version is not.
    if (delta.type !== 'Replaced') indexer.advance(resourceVersion);
    return 'unchanged';
  }
  // A replace is authoritative even if versions went back, as after a restored backup.
  if (delta.type !== 'Replaced' && isOlder(resourceVersion, beforeVersion)) return 'stale';
  const prepared = prepare(entry);
  if (prepared === undefined) return 'rejected';
  indexer.put(before, prepared, resourceVersion);
  return { type: 'update', before, entry: prepared, isResync };
}

/** True if both are the same state of the same object. False for entries without a version. */
export function isSameVersion(a: Entry, b: Entry): boolean {
  // Read once: entries that are bytes decode a string each time, and a relist calls this for every object.
  const { resourceVersion } = a;
  return resourceVersion !== '' && resourceVersion === b.resourceVersion && a.uid === b.uid;
}

function isOlder(resourceVersion: string, than: string): boolean {
  const order = compareResourceVersion(resourceVersion, than);
  return order !== undefined && order < 0;
}
