import type { KubernetesObject } from '../../kube/object.js';
import type { EntryList } from '../../store/reflector-store.js';
import { KubeflectError } from '../../util/errors.js';
import type { WatchEntry } from '../lister-watcher.js';
import {
  type Consumed,
  type EventSink,
  errorEvent,
  isExpectedType,
  type Reporter,
  rejection,
} from '../watch/event-sink.js';

/**
 * A collection as an earlier process left it, to be confirmed by the server: in place of the first list.
 *
 * The watch begins just before the last event that the earlier process applied. A server whose history is the same
 * sends that event first. One that was restored from a backup, or created anew, cannot: it sends another event, or a
 * bookmark, or nothing.
 */
export interface WarmStart<T extends KubernetesObject> {
  readonly entries: EntryList<T>;
  readonly size: number;
  /** From here the watch starts: the version before that of the last applied event. */
  readonly resourceVersion: string;
  /** Whether an event is that last one. */
  isLastEvent(event: Extract<WatchEntry<T>, { type: 'ADDED' | 'MODIFIED' | 'DELETED' }>): boolean;
}

/** Receives a warm start's watch until the server has confirmed the collection. */
export class WarmStartSink<T extends KubernetesObject> implements EventSink<T> {
  readonly #warmStart: WarmStart<T>;
  readonly #report: Reporter;
  /** The event by which the server confirmed the collection. */
  confirmation: WatchEntry<T> | undefined;

  constructor(warmStart: WarmStart<T>, report: Reporter) {
    this.#warmStart = warmStart;
    this.#report = report;
  }

  consume(event: WatchEntry<T>): Consumed {
    if (event.type === 'ERROR') return errorEvent(event);
    if (event.type === 'REJECTED') {
      this.#report({ type: 'rejected', level: 'error', rejected: event.rejected });
      return isExpectedType(event.rejected) ? rejection(event.rejected) : 'skipped';
    }
    if (event.type === 'BOOKMARK' || !this.#warmStart.isLastEvent(event)) {
      const message = `the first event after ${this.#warmStart.resourceVersion} is another one than before`;
      return { kind: 'other-history', error: new KubeflectError('KUBEFLECT_SNAPSHOT_REJECTED', message) };
    }
    this.confirmation = event;
    return 'initial-events-end';
  }
}
