import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { ReflectorStore } from '../../store/reflector-store.js';
import { KubeflectError } from '../../util/errors.js';
import type { Rejected, WatchEntry } from '../lister-watcher.js';
import { applyBookmark } from './bookmark.js';
import {
  type Consumed,
  type EventSink,
  errorEvent,
  isExisting,
  isExpectedType,
  type Reporter,
  rejection,
} from './event-sink.js';
import type { ResourceVersionCursor } from './resource-version-cursor.js';

/**
 * Turns the events of a watch into calls of the reflector's store, in order (client-go's handleAnyWatch). The store of
 * an informer is its queue, which makes a delta of each call:
 *
 *     ADDED      store.add        Added        (RealFIFO, in src/store/queue/real-fifo.ts)
 *     MODIFIED   store.update     Updated
 *     DELETED    store.delete     Deleted
 *     BOOKMARK   store.bookmark   Bookmark
 *     ERROR      –                             the stream fails
 *
 * What cannot be read or stored ends the stream without advancing the version past it, so that it is sent again. The
 * exception are keys already known to be unreadable (`unreadableKeys`, from the last list): another watch would only
 * repeat them forever, so the store keeps what it has until a readable version comes.
 */
export class EventToDelta<T extends KubernetesObject> implements EventSink<T> {
  readonly #store: ReflectorStore<T>;
  readonly #cursor: ResourceVersionCursor;
  readonly #unreadableKeys: Set<string>;
  readonly #report: Reporter;

  constructor(
    store: ReflectorStore<T>,
    cursor: ResourceVersionCursor,
    unreadableKeys: Set<string>,
    report: Reporter,
  ) {
    this.#store = store;
    this.#cursor = cursor;
    this.#unreadableKeys = unreadableKeys;
    this.#report = report;
  }

  consume(event: WatchEntry<T>): Consumed {
    switch (event.type) {
      case 'ERROR':
        return errorEvent(event);
      case 'REJECTED':
        return this.#reject(event.rejected);
      case 'BOOKMARK':
        return this.#bookmark(event.resourceVersion);
      default:
        return this.#apply(event.type, event.entry);
    }
  }

  #apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: Entry<T>): Consumed {
    const { key, resourceVersion } = entry;
    const verdict = this.#cursor.judge(type, key, resourceVersion);
    if (verdict === 'stale') return this.#stale(resourceVersion);
    if (verdict === 'unsound') {
      const message = `an event at ${resourceVersion} came after the bookmark ${this.#cursor.position.synced}`;
      return {
        kind: 'unsound-bookmark',
        error: new KubeflectError('KUBEFLECT_UNSOUND_BOOKMARK', message),
      };
    }
    try {
      if (type === 'ADDED') this.#store.add(entry);
      else if (type === 'MODIFIED') this.#store.update(entry);
      else this.#store.delete(entry);
    } catch (cause) {
      return this.#storeFailed(`unable to store a ${type} event`, cause);
    }
    if (this.#unreadableKeys.size > 0) this.#unreadableKeys.delete(key);
    this.#cursor.advance(type, key, resourceVersion);
    return 'accepted';
  }

  #bookmark(resourceVersion: string): Consumed {
    try {
      const isNew = applyBookmark(resourceVersion, this.#cursor, this.#store);
      return isNew ? 'accepted' : this.#stale(resourceVersion);
    } catch (cause) {
      return this.#storeFailed('unable to store a bookmark', cause);
    }
  }

  #reject(rejected: Rejected): Consumed {
    this.#report({ type: 'rejected', level: 'error', rejected });
    const { key } = rejected;
    const isKnown = key !== undefined && this.#unreadableKeys.has(key) && isExisting(rejected);
    return isKnown || !isExpectedType(rejected) ? 'skipped' : rejection(rejected);
  }

  #stale(resourceVersion: string): Consumed {
    this.#report({ type: 'stale-event', level: 'debug', resourceVersion });
    return 'skipped';
  }

  #storeFailed(message: string, cause: unknown): Consumed {
    const error = new KubeflectError('KUBEFLECT_STORE_FAILED', message, { cause });
    this.#report({ type: 'store-failed', level: 'error', error });
    return { kind: 'store', error };
  }
}
