/**
 * Server-side apply: merges an object into the live one by field ownership, after
 * k8s.io/apimachinery/pkg/util/managedfields and sigs.k8s.io/structured-merge-diff (Apache-2.0).
 */

import type { KubeObject } from '../control/kube-object.js';
import { equalJson, isRecord } from '../json.js';
import { compareObjects } from '../ownership/comparison.js';
import {
  difference,
  EMPTY_FIELD_SET,
  type FieldSet,
  intersection,
  recursiveDifference,
  union,
} from '../ownership/field-set.js';
import {
  decodeEntries,
  encodeEntries,
  identityOf,
  type ManagedEntry,
  type ManagedFieldsEntry,
} from '../ownership/managed-entries.js';
import { mergeApplied } from '../ownership/merge.js';
import { fieldsOf, withDeclaredFields, withoutFields } from '../ownership/object-fields.js';
import { type Ownership, ownershipOf } from '../ownership/ownership-schema.js';
import { apiVersionOf } from '../resources/resource.js';
import { type ApplyConflict, ApplyConflictError } from './apply-conflict.js';
import { allowedByLastApplied, withLastApplied } from './last-applied.js';
import { trackManagedFields } from './managed-fields.js';
import { resetFields, type TrackedResource, trackedForm, UNMANAGED_FIELDS } from './tracked-fields.js';

export interface Application {
  readonly resource: TrackedResource;
  /** Undefined if the object does not exist yet. */
  readonly live: KubeObject | undefined;
  /** As the client sent it, after the type check. */
  readonly applied: KubeObject;
  readonly manager: string;
  /** Takes over fields of other managers. */
  readonly isForced: boolean;
  /** The current time in RFC 3339. */
  readonly time: string;
  readonly subresource: string | undefined;
}

export interface Applied {
  /** With its type, before decoding and defaulting. */
  readonly object: KubeObject;
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

/** The manager of all fields that existed before the first apply, if the object had no managedFields. */
const BEFORE_FIRST_APPLY = 'before-first-apply';
/** The manager that takes over from client-side apply. */
const KUBECTL = 'kubectl';

/** Throws an ApplyConflictError. Does not change `live` and `applied`. */
export function applyObject(application: Application): Applied {
  const { manager } = application;
  if (manager !== KUBECTL) return applyOnce(application);
  const { object, managedFields } = applyAsKubectl(application);
  return { object: withLastApplied(object, application.applied), managedFields };
}

/** Fields that kubectl itself applied client-side before are no conflicts. */
function applyAsKubectl(application: Application): Applied {
  try {
    return applyOnce(application);
  } catch (error) {
    if (!(error instanceof ApplyConflictError)) throw error;
    const allowed = allowedByLastApplied(application.resource, application.live ?? {});
    if (allowed === undefined) throw error;
    const left = error.conflicts
      .map(({ owner, fields }) => ({ owner, fields: difference(fields, allowed) }))
      .filter(({ fields }) => fields.size > 0);
    if (left.length > 0) throw new ApplyConflictError(left);
    return applyOnce({ ...application, isForced: true });
  }
}

function applyOnce(application: Application): Applied {
  const { resource, applied, time } = application;
  const ownership = ownershipOf(resource);
  const live = trackedForm(resource, application.live ?? {});
  const config = withoutType(applied);
  const ignored = resetFields(resource, application.subresource);
  const entries = entriesBefore(application);

  const own = ownEntry(application, recursiveDifference(fieldsOf(config, ownership), ignored));
  const before = entries.find((entry) => identityOf(entry) === identityOf(own));
  const others = entries.filter((entry) => entry !== before);
  const merged = pruned(mergeApplied(live, config, ownership), {
    last: before?.fields ?? EMPTY_FIELD_SET,
    owned: [own, ...others].map(({ fields }) => fields).reduce(union),
    ownership,
  }) as KubeObject;

  const comparison = compareObjects(live, merged, ownership);
  const written = recursiveDifference(union(comparison.modified, comparison.added), ignored);
  const removed = recursiveDifference(comparison.removed, ignored);
  if (!application.isForced) rejectConflicts(others, written);
  const left = others
    .map((entry) => ({ ...entry, fields: difference(difference(entry.fields, written), removed) }))
    .filter(({ fields }) => fields.size > 0);

  // The time is that of the last change to the object; a manager that only shares existing fields has none.
  const changedAt = equalJson(live, merged) ? before?.time : time;
  const managed = {
    ...own,
    fields: difference(own.fields, UNMANAGED_FIELDS),
    ...(changedAt === undefined ? {} : { time: changedAt }),
  };
  return {
    object: { ...merged, kind: resource.kind, apiVersion: apiVersionOf(resource) },
    managedFields: encodeEntries(managed.fields.size === 0 ? left : [...left, managed]),
  };
}

function entriesBefore({ resource, live, time, subresource }: Application): ManagedEntry[] {
  const entries = decodeEntries(live?.metadata?.['managedFields']);
  if (entries.length > 0 || live === undefined) return entries;
  const tracked = { resource, next: live, manager: BEFORE_FIRST_APPLY, time, subresource };
  return decodeEntries(trackManagedFields(tracked));
}

function ownEntry({ manager, resource, subresource }: Application, fields: FieldSet): ManagedEntry {
  return {
    manager,
    operation: 'Apply',
    apiVersion: apiVersionOf(resource),
    fields,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function rejectConflicts(others: readonly ManagedEntry[], written: FieldSet): void {
  const conflicts: ApplyConflict[] = others
    .map((owner) => ({ owner, fields: intersection(owner.fields, written) }))
    .filter(({ fields }) => fields.size > 0);
  if (conflicts.length > 0) throw new ApplyConflictError(conflicts);
}

/** Without the fields that the manager applied last time, does not apply now, and no other manager owns. */
function pruned(
  merged: unknown,
  { last, owned, ownership }: { last: FieldSet; owned: FieldSet; ownership: Ownership },
): unknown {
  if (last.size === 0) return merged;
  const all = withDeclaredFields(fieldsOf(merged, ownership), ownership);
  const candidates = withDeclaredFields(last, ownership);
  const declaredFieldsOf = (value: unknown): FieldSet =>
    withDeclaredFields(fieldsOf(value, ownership), ownership);

  const bare = withoutFields(merged, candidates, ownership);
  const kept = union(declaredFieldsOf(bare), withDeclaredFields(owned, ownership));
  const withOwned = withoutFields(merged, difference(all, kept), ownership);
  const gone = intersection(difference(all, declaredFieldsOf(withOwned)), candidates);
  return withoutFields(merged, gone, ownership);
}

function withoutType(object: KubeObject): KubeObject {
  const { kind, apiVersion, ...rest } = object;
  if (!isRecord(rest.metadata)) return rest;
  const { managedFields, ...metadata } = rest.metadata;
  return { ...rest, metadata };
}
