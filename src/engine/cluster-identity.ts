import { ApiStatusError } from '../kube/status.js';

/** How often in a row a watch is requested again because the server does not know its flow schemas yet. */
const UNKNOWN_LIMIT = 5;
/** A server that has just started knows its flow schemas within a second. */
const UNKNOWN_RETRY_MS = 1000;

/**
 * Recognizes a cluster that was created anew at the same address. Its versions restart at 1, and a watch from a version
 * that it has not reached is accepted and silent: nothing else shows that the cache belongs to a cluster that is gone.
 *
 * API servers name in each response the flow schema by which they admitted the request, and its priority level, by their
 * UIDs. In another cluster both are other ones. In the same cluster one of them may change, if an administrator changes
 * the flow schemas; if both change at once, the collection is listed once for nothing.
 *
 * A server that has just started accepts requests before it has read its flow schemas; the UIDs are empty then. A watch
 * from before the start must not remain open on it, since it may be another cluster's.
 */
export class ClusterIdentity {
  #admittedBy: readonly string[] = [];
  #unknown = 0;

  /** A list begins: its watches belong to the same cluster, whichever it is. */
  reset(): void {
    this.#admittedBy = [];
    this.#unknown = 0;
  }

  /**
   * The server has accepted a watch. Throws if the watches before were accepted by another cluster, or if that cannot be
   * told yet.
   */
  check(admittedBy: readonly string[]): void {
    if (admittedBy.length === 0) return;
    const previous = this.#admittedBy;
    const known = admittedBy.filter((uid) => uid !== '');
    if (known.length === 0) {
      if (previous.length > 0 && ++this.#unknown <= UNKNOWN_LIMIT) throw notKnownYet();
      return;
    }
    this.#unknown = 0;
    this.#admittedBy = known;
    if (previous.length > 0 && !known.some((uid) => previous.includes(uid))) throw versionOfAnotherCluster();
  }
}

/** What a server responds if it no longer has a version: the reflector lists again. */
function versionOfAnotherCluster(): ApiStatusError {
  const message =
    'the cluster at this address may be another one than before: its flow schema and priority level have other UIDs';
  return new ApiStatusError({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message });
}

/** What a server responds if it is not ready yet: the reflector requests the watch again. */
function notKnownYet(): ApiStatusError {
  const message = 'the API server has just started and does not know its flow schemas yet';
  const status = { kind: 'Status', status: 'Failure', reason: 'TooManyRequests', code: 429, message };
  return new ApiStatusError(status, UNKNOWN_RETRY_MS);
}
