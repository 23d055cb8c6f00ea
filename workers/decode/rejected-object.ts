import { type RejectionReason, rejectObject } from '../../src/kube/rejected-object.js';
import type { ControlRow } from '../../src/wire/batch.js';
import { type DocumentIdentity, readJsonIdentity } from './document-identity.js';

/** Reads what it can of a document, without parsing it: `readJsonIdentity` or `readProtobufIdentity`. */
export type IdentityReader = (bytes: Uint8Array, document: 'item' | 'event') => DocumentIdentity;

/** What a rejected object becomes: a row without an object, with the reason and what could be read of its metadata. */
export type RejectedRow = Extract<ControlRow, { type: 'rejected' }>;

/** For an object that was parsed, but failed a check. */
export function rejectParsed(
  reason: RejectionReason,
  message: string,
  object: unknown,
  eventType: string | undefined,
): RejectedRow {
  return { type: 'rejected', ...rejectObject(reason, message, object, eventType) };
}

/** For a document that was not, or cannot be, parsed. `bytes` may be only its beginning. */
export function rejectUnparsed(
  message: string,
  bytes: Uint8Array,
  document: 'item' | 'event',
  read: IdentityReader = readJsonIdentity,
): RejectedRow {
  const { eventType, ...metadata } = read(bytes, document);
  return rejectParsed('undecodable', message, { metadata }, eventType);
}
