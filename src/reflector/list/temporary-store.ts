import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { EntryList } from '../../store/reflector-store.js';
import type { Rejected, WatchEntry } from '../lister-watcher.js';
import {
  type Consumed,
  type EventSink,
  errorEvent,
  isExisting,
  isExpectedType,
  type Reporter,
  rejection,
} from '../watch/event-sink.js';
import { ResourceVersionCursor } from '../watch/resource-version-cursor.js';
import { EntriesByKey } from './entries-by-key.js';

/** So many ADDED events at once are initial ones, even if their versions ascend. */
const BULK = 64;

/**
 * Accumulates a streaming list until its end bookmark; the reflector's store must not see half a collection.
 * Entries are kept unchanged: nothing is transformed or decoded here, so that the store does it once.
 *
 * Initial events have no order of versions, so a repetition is recognized by the key's own version.
 */
export class TemporaryStore<T extends KubernetesObject> implements EventSink<T> {
  readonly #entries = new EntriesByKey<T>();
  /** Versions of deletions, so that a repeated older event does not bring an object back. */
  readonly #deleted = new Map<string, string>();
  readonly #unreadableKeys = new Set<string>();
  readonly #report: Reporter;
  readonly #cursor = new ResourceVersionCursor({ synced: '', applied: '' }, '');
  /** ADDED events since `takeInitialEvents`, and the last of them. */
  #added = 0;
  #lastAdded: Entry<T> | undefined;
  /** The version of `#lastAdded` at the last `takeInitialEvents`. */
  #lastVersion: string | undefined;

  constructor(report: Reporter) {
    this.#report = report;
  }

  /** First those that arrived in the order of their keys, then the others. */
  get entries(): EntryList<T> {
    return this.#entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get resourceVersion(): string {
    return this.#cursor.position.synced;
  }

  /** Keys that exist and could not be read. */
  get unreadableKeys(): Set<string> {
    return this.#unreadableKeys;
  }

  /**
   * True if events since the last call belong to the initial events. A server that ignores `sendInitialEvents` and
   * sends the changes of objects has ADDED events too, but few at a time and in the order of their versions.
   */
  takeInitialEvents(): boolean {
    const added = this.#added;
    const version = this.#lastAdded?.resourceVersion;
    const order =
      version === undefined || this.#lastVersion === undefined
        ? undefined
        : compareResourceVersion(version, this.#lastVersion);
    this.#added = 0;
    this.#lastAdded = undefined;
    this.#lastVersion = version ?? this.#lastVersion;
    return added > 0 && this.#cursor.isInitialState && (order !== 1 || added >= BULK);
  }

  consume(event: WatchEntry<T>): Consumed {
    switch (event.type) {
      case 'ERROR':
        return errorEvent(event);
      case 'REJECTED':
        return this.#reject(event.rejected);
      case 'BOOKMARK':
        this.#cursor.bookmark(event.resourceVersion);
        return event.initialEventsEnd ? 'initial-events-end' : 'accepted';
      default:
        return this.#apply(event.type, event.entry);
    }
  }

  #apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: Entry<T>): Consumed {
    const { key } = entry;
    // Most initial events are in the order of their keys.
    const isNew = type !== 'DELETED' && this.#deleted.size === 0 && this.#entries.append(entry);
    if (!isNew && !this.#change(type, entry)) return 'skipped';
    this.#unreadableKeys.delete(key);
    if (type === 'ADDED') {
      this.#added++;
      this.#lastAdded = entry;
    }
    // The version is read only if it counts: entries that are bytes decode a string each time.
    if (type !== 'ADDED' || !this.#cursor.isInitialState) this.#cursor.observe(type, entry.resourceVersion);
    return 'accepted';
  }

  /** False if the event is older than what is known of its key. */
  #change(type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: Entry<T>): boolean {
    const { key } = entry;
    const known = this.#entries.get(key)?.resourceVersion ?? this.#deleted.get(key);
    const order = known === undefined ? undefined : compareResourceVersion(entry.resourceVersion, known);
    if (order !== undefined && order <= 0) {
      this.#report({ type: 'stale-event', level: 'debug', resourceVersion: entry.resourceVersion });
      return false;
    }
    if (type === 'DELETED') {
      this.#entries.delete(key);
      this.#deleted.set(key, entry.resourceVersion);
    } else {
      this.#entries.set(entry);
      this.#deleted.delete(key);
    }
    return true;
  }

  #reject(rejected: Rejected): Consumed {
    this.#report({ type: 'rejected', level: 'error', rejected });
    if (!isExpectedType(rejected)) return 'skipped';
    if (rejected.key === undefined || !isExisting(rejected)) return rejection(rejected);
    this.#entries.delete(rejected.key);
    this.#unreadableKeys.add(rejected.key);
    return 'skipped';
  }
}
