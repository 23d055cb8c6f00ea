import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../../store/entry.js';
import type { ReflectorStore } from '../../store/reflector-store.js';
import { KubeflectError } from '../../util/errors.js';
import type { Rejected, WatchEntry } from '../lister-watcher.js';
import {
  type Consumed,
  type EventSink,
  errorEvent,
  isOurs,
  isPresent,
  type Reporter,
  rejection,
} from './event-sink.js';
import type { StreamCursor } from './resource-version-cursor.js';

/**
 * Applies a watch's events to the reflector's store, in order.
 *
 * What cannot be read or stored ends the stream without moving the version past it, so that it comes again. The
 * exception are keys already known to be unreadable (`unreadableKeys`, from the last list): asking again would only
 * repeat the list for ever, so the store keeps what it has until a readable version comes.
 */
export class StoreSink<T extends KubernetesObject> implements EventSink<T> {
  readonly #store: ReflectorStore<T>;
  readonly #cursor: StreamCursor;
  readonly #unreadableKeys: Set<string>;
  readonly #report: Reporter;

  constructor(store: ReflectorStore<T>, cursor: StreamCursor, unreadableKeys: Set<string>, report: Reporter) {
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
    if (!this.#cursor.bookmark(resourceVersion)) return this.#stale(resourceVersion);
    try {
      this.#store.bookmark?.(resourceVersion);
    } catch (cause) {
      return this.#storeFailed('unable to store a bookmark', cause);
    }
    return 'accepted';
  }

  #reject(rejected: Rejected): Consumed {
    this.#report({ type: 'rejected', level: 'error', rejected });
    const { key } = rejected;
    const isKnown = key !== undefined && this.#unreadableKeys.has(key) && isPresent(rejected);
    return isKnown || !isOurs(rejected) ? 'skipped' : rejection(rejected);
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
