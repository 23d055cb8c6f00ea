/**
 * Rows of a batch that carry no object. The payload of such a row is a msgpack array:
 *
 *     bookmark   [resource version, 1 at the end of the initial events, else 0]
 *     error      [the Status, as bytes of object-packer.ts without definitions]
 *     rejected   [reason, message, event type, key, resource version]      0 stands for what is not known
 */

import { REJECTION_REASONS, type Rejected } from '../kube/rejected-object.js';
import { failBatch, type Packable, pack, packableString, unpack, unpackedString } from './msgpack.js';
import { ObjectPacker } from './object-packer.js';
import { ObjectReader } from './object-reader.js';

export type ControlRow =
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'error'; readonly status: Readonly<Record<string, unknown>> }
  | ({ readonly type: 'rejected' } & Rejected);

const UNKNOWN = 0;

/** The bytes are only borrowed: they are overwritten by the next call. */
export function packControlRow(row: ControlRow): Uint8Array {
  switch (row.type) {
    case 'bookmark':
      return pack([packableString(row.resourceVersion), row.initialEventsEnd ? 1 : 0]);
    case 'error':
      return pack([new ObjectPacker({ tables: false }).pack(row.status)]);
    case 'rejected': {
      const { reason, message, eventType, key, resourceVersion } = row;
      return pack([
        reason,
        packableString(message),
        packOptional(eventType),
        packOptional(key),
        packOptional(resourceVersion),
      ]);
    }
  }
}

/**
 * The row in the bytes from `start` up to `end`; throws `KUBEFLECT_BATCH_INVALID` if they are not exactly one of this
 * type.
 */
export function unpackControlRow(
  type: ControlRow['type'],
  bytes: Buffer,
  start: number,
  end: number,
): ControlRow {
  const fields = unpack(bytes, start, end);
  if (!Array.isArray(fields)) return failBatch('an array', typeof fields);
  switch (type) {
    case 'bookmark':
      return {
        type,
        resourceVersion: unpackedString(fields[0]),
        initialEventsEnd: fields[1] === 1,
      };
    case 'error':
      return { type, status: unpackStatus(fields[0]) };
    case 'rejected': {
      const [reason, message, eventType, key, resourceVersion] = fields;
      return {
        type,
        reason: REJECTION_REASONS.find((known) => known === reason) ?? failBatch('a reason', typeof reason),
        message: unpackedString(message),
        ...(eventType !== UNKNOWN && { eventType: unpackedString(eventType) }),
        ...(key !== UNKNOWN && { key: unpackedString(key) }),
        ...(resourceVersion !== UNKNOWN && { resourceVersion: unpackedString(resourceVersion) }),
      };
    }
  }
}

function packOptional(string: string | undefined): Packable {
  return string === undefined ? UNKNOWN : packableString(string);
}

function unpackStatus(packed: unknown): Readonly<Record<string, unknown>> {
  if (!(packed instanceof Uint8Array)) return failBatch('a Status', typeof packed);
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  const status = new ObjectReader('').read(bytes, 0, bytes.length);
  if (typeof status !== 'object' || status === null) return failBatch('a Status', typeof status);
  return status as Readonly<Record<string, unknown>>;
}
