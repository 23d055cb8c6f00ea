import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { ListerWatcher } from '../../reflector/lister-watcher.js';
import { type Failure, failureOf } from '../../reflector/retry/failure.js';
import { errorEvent } from '../../reflector/watch/event-sink.js';
import { contentDigest } from '../../snapshot/snapshot-header.js';
import type { Entry } from '../../store/entry.js';
import type { Delta } from '../../store/queue/delta.js';
import { onAbort } from '../../util/abort.js';
import { type Clock, sleep } from '../../util/clock.js';
import { versionBefore } from './applied-anchors.js';

/** An API server sends a last bookmark two seconds before the end of a watch. */
const TIMEOUT_SECONDS = 4;
/** For a server that does not respond. */
const LIMIT_MS = 15_000;

/** A collection in which nothing has changed since it was listed. */
export interface QuietCollection<T extends KubernetesObject> {
  /** The object with the highest version. */
  readonly newest: Entry<T>;
  /** The store has the collection as of this version; not before that of the list. */
  readonly resourceVersion: string;
}

export type EarlierEvent<T extends KubernetesObject> = Delta<T> | 'too-old' | undefined;

/**
 * The last event of a collection before its list, which the list does not show: it may be the deletion of an object.
 * A watch from just before the newest object brings that object's event, and the events since, all of which the list
 * includes; a bookmark at the version of the store, or above, proves that there were no others.
 *
 * Undefined if that is not proved, because the collection changes again, the server cannot be reached or sends
 * something else; `too-old` if the server does not remember the event, and never will.
 */
export async function earlierEvent<T extends KubernetesObject>(
  listerWatcher: Pick<ListerWatcher<T>, 'watch'>,
  { newest, resourceVersion: upTo }: QuietCollection<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<EarlierEvent<T>> {
  const resourceVersion = versionBefore(newest.resourceVersion);
  if (resourceVersion === undefined) return 'too-old';
  const limit = new AbortController();
  const release = onAbort(signal, () => limit.abort());
  void sleep(clock, LIMIT_MS, limit.signal).then(() => limit.abort());
  const options = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: TIMEOUT_SECONDS };
  let last: Delta<T> | undefined;
  try {
    for await (const chunk of listerWatcher.watch(options, limit.signal)) {
      for (const event of chunk.type === 'open' ? [] : chunk.events) {
        if (event.type === 'ERROR') return kindOf(errorEvent(event));
        if (event.type === 'REJECTED') return undefined;
        if (event.type === 'BOOKMARK') {
          if (isAtMost(upTo, event.resourceVersion)) return last;
          continue;
        }
        const { type, entry } = event;
        // One that is newer than the store is an anchor as soon as the collection's own watch brings it.
        if (!isAtMost(entry.resourceVersion, upTo)) return undefined;
        const isExpected =
          last === undefined
            ? isSame(entry, newest)
            : !isAtMost(entry.resourceVersion, last.entry.resourceVersion);
        if (!isExpected) return undefined;
        last = { type: type === 'DELETED' ? 'Deleted' : 'Updated', entry, finalStateUnknown: false };
      }
    }
    return undefined;
  } catch (error) {
    return kindOf(failureOf(error));
  } finally {
    release();
    limit.abort();
  }
}

function kindOf({ kind }: Failure): 'too-old' | undefined {
  return kind === 'expired' ? 'too-old' : undefined;
}

function isAtMost(version: string, limit: string): boolean {
  const order = compareResourceVersion(version, limit);
  return order !== undefined && order <= 0;
}

/** The server has this history: the same content at the same version. */
function isSame<T extends KubernetesObject>(a: Entry<T>, b: Entry<T>): boolean {
  return (
    a.key === b.key &&
    a.uid === b.uid &&
    a.resourceVersion === b.resourceVersion &&
    contentDigest(a.object) === contentDigest(b.object)
  );
}
