import type { KubernetesObject } from '../../kube/object.js';
import { ApiStatusError } from '../../kube/status.js';
import { KubeflectError } from '../../util/errors.js';
import type { Rejected, WatchEntry } from '../lister-watcher.js';
import type { ReflectorReport } from '../reflector-report.js';
import { type Failure, failureOf } from '../retry/failure.js';

/**
 * What became of one event:
 * - `accepted`: it is in the store, or was a bookmark.
 * - `skipped`: it was reported, or is a repetition; it does not count and does not advance the version.
 * - `initial-events-end`: the bookmark that ends a streaming list.
 * - a failure: the stream ends here, and nothing after this event may be read from it.
 */
export type Consumed = 'accepted' | 'skipped' | 'initial-events-end' | Failure;

/** Where the events of a stream go: the reflector's store, or a streaming list's temporary store. */
export interface EventSink<T extends KubernetesObject> {
  consume(event: WatchEntry<T>): Consumed;
}

export type Reporter = (report: ReflectorReport) => void;

/**
 * False for an object of another type and for a bookmark, which the store never holds: skipping them is safe. Anything
 * else may be an object of the collection.
 */
export function isExpectedType(rejected: Rejected): boolean {
  if (rejected.eventType === 'BOOKMARK') return false;
  switch (rejected.reason) {
    case 'wrong-type':
    case 'wrong-gvk':
    case 'table':
      return false;
    case 'unknown-event':
      return rejected.key !== undefined;
    default:
      return true;
  }
}

/** The event shows that the object still exists: the store may keep an older version of it. */
export function isExisting(rejected: Rejected): boolean {
  return rejected.eventType === 'ADDED' || rejected.eventType === 'MODIFIED';
}

export function rejection(rejected: Rejected): Failure {
  const message = `${rejected.reason}: ${rejected.message}`;
  return { kind: 'unreadable', error: new KubeflectError('KUBEFLECT_REJECTED', message) };
}

export function errorEvent(event: Extract<WatchEntry<KubernetesObject>, { type: 'ERROR' }>): Failure {
  return failureOf(new ApiStatusError(event.status));
}
