/** metadata.managedFields: which manager last wrote which field, kept as kube-apiserver keeps it for everything but apply. */

import type { KubeObject } from '../control.js';
import { isRecord } from '../json.js';
import { compareObjects } from '../ownership/comparison.js';
import {
  compareText,
  difference,
  type FieldSet,
  fieldPath,
  parseFieldsV1,
  recursiveDifference,
  union,
  writeFieldsV1,
} from '../ownership/field-set.js';
import { ownershipOf } from '../ownership/ownership-schema.js';
import { apiVersionOf, type Resource } from '../resources/resource.js';
import { structOfKind } from '../schemas/struct-schema.js';
import { orderTyped } from './field-order.js';

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

export interface TrackedWrite {
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'schema' | 'hasStatus' | 'isCustom'>;
  /** Undefined for a create. */
  readonly previous?: KubeObject | undefined;
  /** What the client sent or patched, decoded and defaulted, but not yet prepared by the server. */
  readonly next: KubeObject;
  readonly manager: string;
  /** Now, as the wire writes it. */
  readonly time: string;
  readonly subresource?: string | undefined;
}

interface ManagedEntry extends Omit<ManagedFieldsEntry, 'fieldsV1'> {
  readonly fields: FieldSet;
}

/** More update managers than this are merged, the oldest first. */
const MAX_UPDATE_MANAGERS = 10;
const OLD_UPDATES_MANAGER = 'ancient-changes';

/** Fields that are the server's own and that nobody manages. */
const UNMANAGED: FieldSet = [
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['metadata', field]),
]
  .map(fieldPath)
  .reduce(union);

/** The managedFields of `next` after the write; undefined means the object has none. */
export function trackManagedFields(write: TrackedWrite): ManagedFieldsEntry[] | undefined {
  const { resource, previous, next, subresource } = write;
  const entries = knownEntries(write);
  // An object that lost its managedFields is not tracked again before someone applies it.
  if (previous !== undefined && entries.length === 0) return undefined;

  const comparison = compareObjects(
    typed(resource, previous ?? {}),
    typed(resource, next),
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

  const own = difference(written, UNMANAGED);
  const tracked = own.size === 0 ? left : withOwn(left, own, write);
  const sorted = capped(tracked).sort(compareEntries).map(encodeEntry);
  return sorted.length === 0 ? undefined : sorted;
}

/** The object as it would be had its managers written without a clock: equal before and after, a write was none. */
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

/** What a client sends counts, unless it says nothing or writes to a subresource; `[{}]` asks for a fresh start. */
function knownEntries({ previous, next, subresource }: TrackedWrite): ManagedEntry[] {
  const live = decodeEntries(previous?.metadata?.['managedFields']);
  if (subresource !== undefined) return live;
  const sent = next.metadata?.['managedFields'];
  const isReset = Array.isArray(sent) && sent.length === 1 && isRecord(sent[0]) && isBlank(sent[0]);
  if (isReset) return [];
  const decoded = decodeEntries(sent);
  return decoded.length > 0 ? decoded : live;
}

function isBlank(entry: Readonly<Record<string, unknown>>): boolean {
  return Object.values(entry).every((value) => value === null || value === undefined || value === '');
}

function decodeEntries(entries: unknown): ManagedEntry[] {
  if (!Array.isArray(entries)) return [];
  return entries.filter(isRecord).map((entry) => {
    const { fieldsV1, ...rest } = entry as ManagedFieldsEntry;
    return { ...rest, fields: parseFieldsV1(fieldsV1) };
  });
}

/** In the form of the wire: only there does one see what is set and what is merely zero. */
function typed(resource: TrackedWrite['resource'], object: KubeObject): KubeObject {
  const { kind, apiVersion, ...rest } = object;
  const { managedFields, ...metadata } = rest.metadata ?? {};
  if (structOfKind(resource) !== undefined) return orderTyped(resource, { ...rest, metadata });
  return Object.keys(rest).length === 0 ? {} : { ...rest, metadata };
}

/** What the endpoint does not take over is not owned by who sent it. */
function resetFields(resource: TrackedWrite['resource'], subresource: string | undefined): FieldSet {
  if (subresource !== 'status') return resource.hasStatus ? fieldPath(['status']) : new Map();
  const paths = [['spec']];
  if (resource.isCustom) paths.push(['metadata']);
  switch (structOfKind(resource)) {
    case 'Pod':
      paths.push(['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']);
      break;
    case 'apps.Deployment':
      paths.push(['metadata', 'labels']);
      break;
  }
  return paths.map(fieldPath).reduce(union);
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
  const before = entries.find((other) => isSameManager(other, entry));
  const others = entries.filter((other) => other !== before);
  return [...others, before === undefined ? entry : { ...entry, fields: union(own, before.fields) }];
}

function isSameManager(a: ManagedEntry, b: ManagedEntry): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    (a.subresource ?? '') === (b.subresource ?? '')
  );
}

/** Merges the oldest updates of one version into one entry until few enough are left. */
function capped(entries: readonly ManagedEntry[]): ManagedEntry[] {
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

/** Appliers first, then the oldest. */
function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
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
