/**
 * Why a snapshot is not used, and the informer lists as if there were none:
 *
 *     absent        there is none                              options      of an informer with other options
 *     broken        damaged, truncated, or not a snapshot      server       of another cluster
 *     format        of another version of this package         expired      the server no longer has its version (410)
 *     key           of another encryption key, or of none      future       the server has not reached its version
 *     permissions   another user may have written it           history      the server has another history: a backup
 *     size          larger than `maxBytes`                     unconfirmed  the server did not confirm it in time
 *     locked        another process uses the directory         failed       it could not be read for another reason
 */
export type SnapshotRejectionReason =
  | 'absent'
  | 'broken'
  | 'format'
  | 'key'
  | 'permissions'
  | 'size'
  | 'locked'
  | 'options'
  | 'server'
  | 'expired'
  | 'future'
  | 'history'
  | 'unconfirmed'
  | 'failed';

/** Thrown within the reader of snapshots. The message has no object data. */
export class SnapshotRejection extends Error {
  readonly reason: SnapshotRejectionReason;

  constructor(reason: SnapshotRejectionReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function broken(message: string): SnapshotRejection {
  return new SnapshotRejection('broken', message);
}
