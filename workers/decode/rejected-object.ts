import { metaNamespaceKey } from '../../src/kube/key.js';
import type { ControlRow } from '../../src/wire/batch.js';
import { type DocumentIdentity, readJsonIdentity } from './document-identity.js';

/** Reads what it can of a document; that of JSON is `readJsonIdentity`. */
export type IdentityReader = (bytes: Uint8Array, document: 'item' | 'event') => DocumentIdentity;

export type RejectedRow = Extract<ControlRow, { type: 'rejected' }>;

export type Reason = RejectedRow['reason'];

/** Of an object that was parsed, and is not what it has to be. */
export function rejectParsed(
  reason: Reason,
  message: string,
  object: unknown,
  eventType: string | undefined,
): RejectedRow {
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {};
  const { name, namespace, resourceVersion } = metadata;
  return {
    type: 'rejected',
    reason,
    message,
    ...(eventType !== undefined && { eventType }),
    ...(isText(name) && { key: metaNamespaceKey(isText(namespace) ? namespace : '', name) }),
    ...(isText(resourceVersion) && { resourceVersion }),
  };
}

/** Of a document that was not, or cannot be, parsed. `bytes` may be only its beginning. */
export function rejectUnread(
  message: string,
  bytes: Uint8Array,
  document: 'item' | 'event',
  read: IdentityReader = readJsonIdentity,
): RejectedRow {
  const { eventType, ...metadata } = read(bytes, document);
  return rejectParsed('undecodable', message, { metadata }, eventType);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
