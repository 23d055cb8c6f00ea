/** metadata.managedFields of all writes but apply: which manager last wrote which field. */

import type { KubeObject } from '../control/kube-object.js';
import { isRecord } from '../json.js';
import { compareObjects } from '../ownership/comparison.js';
import { difference, type FieldSet, recursiveDifference, union } from '../ownership/field-set.js';
import {
  capped,
  decodeEntries,
  encodeEntries,
  identityOf,
  type ManagedEntry,
  type ManagedFieldsEntry,
} from '../ownership/managed-entries.js';
import { ownershipOf } from '../ownership/ownership-schema.js';
import { apiVersionOf } from '../resources/resource.js';
import { resetFields, type TrackedResource, trackedForm, UNMANAGED_FIELDS } from './tracked-fields.js';

export interface TrackedWrite {
  readonly resource: TrackedResource;
  /** Undefined for a create. */
  readonly previous?: KubeObject | undefined;
  /** What the client sent or patched, decoded and defaulted, before the server's own changes. */
  readonly next: KubeObject;
  readonly manager: string;
  /** The current time in RFC 3339. */
  readonly time: string;
  readonly subresource?: string | undefined;
}

/** The managedFields of `next` after the write; undefined if it has none. */
export function trackManagedFields(write: TrackedWrite): ManagedFieldsEntry[] | undefined {
  const { resource, previous, next, subresource } = write;
  const entries = knownEntries(write);
  // An object without managedFields is not tracked again until it is applied.
  if (previous !== undefined && entries.length === 0) return undefined;

  const comparison = compareObjects(
    trackedForm(resource, previous ?? {}),
    trackedForm(resource, next),
    ownershipOf(resource),
  );
  const ignored = resetFields(resource, subresource);
  const [added, modified, removed] = [comparison.added, comparison.modified, comparison.removed].map((set) =>
    recursiveDifference(set, ignored),
  ) as [FieldSet, FieldSet, FieldSet];
  const written = union(modified, added);
  const left = entries
    .map((entry) => ({ ...entry, fields: difference(difference(entry.fields, written), removed) }))
    .filter((entry) => entry.fields.size > 0);

  const own = difference(written, UNMANAGED_FIELDS);
  return encodeEntries(capped(own.size === 0 ? left : withOwn(left, own, write)));
}

/** The object without the times of its managedFields. If it is equal before and after, the write is a no-op. */
export function withoutTimes(object: KubeObject): KubeObject {
  const entries = object.metadata?.['managedFields'];
  if (!Array.isArray(entries)) return object;
  const timeless = entries.map((entry) => {
    if (!isRecord(entry)) return entry;
    const { time, ...rest } = entry;
    return rest;
  });
  return { ...object, metadata: { ...object.metadata, managedFields: timeless } };
}

/**
 * The managedFields that the client sent count, unless there are none or it writes to a subresource; `[]` and
 * `[{}]` reset them.
 */
function knownEntries({ previous, next, subresource }: TrackedWrite): ManagedEntry[] {
  const live = decodeEntries(previous?.metadata?.['managedFields']);
  if (subresource !== undefined) return live;
  const sent = next.metadata?.['managedFields'];
  const isReset = Array.isArray(sent) && sent.length <= 1 && sent.every((entry) => isBlank(entry));
  if (isReset) return [];
  const decoded = decodeEntries(sent);
  return decoded.length > 0 ? decoded : live;
}

function isBlank(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  return Object.values(entry).every((value) => value === null || value === undefined || value === '');
}

function withOwn(entries: readonly ManagedEntry[], own: FieldSet, write: TrackedWrite): ManagedEntry[] {
  const entry: ManagedEntry = {
    manager: write.manager === '' ? 'unknown' : write.manager,
    operation: 'Update',
    apiVersion: apiVersionOf(write.resource),
    time: write.time,
    fields: own,
    ...(write.subresource === undefined ? {} : { subresource: write.subresource }),
  };
  const before = entries.find((other) => identityOf(other) === identityOf(entry));
  const others = entries.filter((other) => other !== before);
  return [...others, before === undefined ? entry : { ...entry, fields: union(own, before.fields) }];
}
