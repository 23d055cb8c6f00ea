import { ApiStatusError } from '../kube/status.js';

/**
 * Recognizes a cluster that was created anew at the same address. Its versions restart at 1, and a watch from a version
 * that it has not reached is accepted and silent: nothing else shows that the cache belongs to a cluster that is gone.
 *
 * API servers name in each response the flow schema by which they admitted the request, by its UID. It is another one
 * in another cluster, and otherwise changes only if an administrator changes the flow schemas, which costs one list.
 */
export class ClusterIdentity {
  #flowSchema: string | undefined;

  /** A list begins: its watches belong to the same cluster, whichever it is. */
  reset(): void {
    this.#flowSchema = undefined;
  }

  /** The server has accepted a watch. Throws if the watches before were accepted by another cluster. */
  check(flowSchema: string | undefined): void {
    if (flowSchema === undefined) return;
    const previous = this.#flowSchema;
    this.#flowSchema = flowSchema;
    if (previous !== undefined && previous !== flowSchema) throw versionOfAnotherCluster();
  }
}

/** What a server responds if it no longer has a version: the reflector lists again. */
function versionOfAnotherCluster(): ApiStatusError {
  const message =
    'the cluster at this address may be another one than before: its flow schema has another UID';
  return new ApiStatusError({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message });
}
