import { metaNamespaceKey } from './key.js';
import { isNonEmptyString, isRecord } from './object.js';

/** Why an object was rejected. */
export const REJECTION_REASONS = [
  'wrong-type',
  'wrong-gvk',
  'table',
  'no-metadata',
  'unknown-event',
  'undecodable',
  'hook',
  'quarantined',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/**
 * An item or event that failed the type check or could not be decoded. Never silently lost: the reflector reports it
 * and decides.
 */
export interface Rejected {
  readonly reason: RejectionReason;
  readonly message: string;
  /** As in the event, if it could be read. Without it a lost deletion cannot be ruled out. */
  readonly eventType?: string;
  /** Absent if namespace and name could not be read. */
  readonly key?: string;
  readonly resourceVersion?: string;
}

/** Describes a rejected object, which may be any value, by what can be read of its metadata. */
export function rejectObject(
  reason: RejectionReason,
  message: string,
  object: unknown,
  eventType: string | undefined,
): Rejected {
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {};
  const { name, namespace, resourceVersion } = metadata;
  return {
    reason,
    message,
    ...(eventType !== undefined && { eventType }),
    ...(isNonEmptyString(name) && {
      key: metaNamespaceKey(isNonEmptyString(namespace) ? namespace : '', name),
    }),
    ...(isNonEmptyString(resourceVersion) && { resourceVersion }),
  };
}
