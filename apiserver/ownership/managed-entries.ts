/** The entries of metadata.managedFields: a manager and operation, with the fields owned. */

import { encodeJson, isRecord } from '../json.js';
import { compareStrings, type FieldSet, parseFieldsV1, union, writeFieldsV1 } from './field-set.js';

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

export interface ManagedEntry extends Omit<ManagedFieldsEntry, 'fieldsType' | 'fieldsV1'> {
  readonly fields: FieldSet;
}

/** More update managers than this are merged, the oldest first. */
const MAX_UPDATE_MANAGERS = 10;
const OLD_UPDATES_MANAGER = 'ancient-changes';

/** Of two entries with the same identity the last one counts; if one is invalid, the result is empty. */
export function decodeEntries(entries: unknown): ManagedEntry[] {
  const decoded = new Map<string, ManagedEntry>();
  for (const entry of Array.isArray(entries) ? entries.filter(isRecord) : []) {
    const { fieldsType, fieldsV1, ...rest } = entry as ManagedFieldsEntry;
    const isKnown = rest.operation === 'Apply' || rest.operation === 'Update';
    if (!isKnown || !rest.apiVersion || fieldsType !== 'FieldsV1') return [];
    const managed = { ...rest, fields: parseFieldsV1(fieldsV1) };
    decoded.set(identityOf(managed), managed);
  }
  return [...decoded.values()];
}

/** In wire order and format; undefined when there are none. */
export function encodeEntries(entries: readonly ManagedEntry[]): ManagedFieldsEntry[] | undefined {
  return entries.length === 0 ? undefined : [...entries].sort(compareEntries).map(encodeEntry);
}

/** Identifies an entry. The identity of an Apply entry does not include its version. */
export function identityOf({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  return encodeJson({
    manager,
    operation,
    apiVersion: operation === 'Apply' ? undefined : apiVersion,
    subresource: subresource || undefined,
  });
}

/** Merges the oldest updates of one version into one entry until the limit is met. */
export function capped(entries: readonly ManagedEntry[]): ManagedEntry[] {
  const updates = entries.filter((entry) => entry.operation === 'Update').sort(compareEntries);
  const kept = new Set(entries);
  const oldest = new Map<string, ManagedEntry>();
  let surplus = updates.length - MAX_UPDATE_MANAGERS;
  for (const entry of updates) {
    if (surplus <= 0) break;
    const version = entry.apiVersion ?? '';
    const bucket = [...kept].find((other) => isBucket(other, version)) ?? oldest.get(version);
    if (bucket === undefined || bucket === entry) {
      oldest.set(version, entry);
      continue;
    }
    kept.delete(bucket);
    kept.delete(entry);
    kept.add({
      manager: OLD_UPDATES_MANAGER,
      operation: 'Update',
      apiVersion: version,
      ...(entry.time === undefined ? {} : { time: entry.time }),
      fields: union(entry.fields, bucket.fields),
    });
    surplus--;
  }
  return [...kept];
}

function isBucket(entry: ManagedEntry, version: string): boolean {
  return entry.manager === OLD_UPDATES_MANAGER && entry.apiVersion === version && !entry.subresource;
}

/** Apply entries first, then by time. */
function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareStrings(a.operation, b.operation) ||
    compareStrings(a.time, b.time) ||
    compareStrings(a.manager, b.manager) ||
    compareStrings(a.apiVersion, b.apiVersion) ||
    compareStrings(a.subresource, b.subresource)
  );
}

/** In the field order of the wire. */
function encodeEntry({
  manager,
  operation,
  apiVersion,
  time,
  subresource,
  fields,
}: ManagedEntry): ManagedFieldsEntry {
  return {
    ...(manager === undefined ? {} : { manager }),
    ...(operation === undefined ? {} : { operation }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: writeFieldsV1(fields),
    ...(subresource === undefined || subresource === '' ? {} : { subresource }),
  };
}
