/** The annotation in which client-side apply keeps what it applied, for the migration to server-side apply. */

import type { KubeObject } from '../control/kube-object.js';
import { encodeJson, isRecord, parseJson, sortKeys } from '../json.js';
import { compareObjects } from '../ownership/comparison.js';
import { difference, type FieldSet } from '../ownership/field-set.js';
import { fieldsOf } from '../ownership/object-fields.js';
import { ownershipOf } from '../ownership/ownership-schema.js';
import { typeProblems } from '../ownership/type-problems.js';
import { apiVersionOf } from '../resources/resource.js';
import { type TrackedResource, trackedForm } from './tracked-fields.js';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** The limit for all annotations together, keys and values. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** The fields that client-side apply set and that are unchanged; undefined without a usable annotation. */
export function allowedByLastApplied(resource: TrackedResource, live: KubeObject): FieldSet | undefined {
  const applied = parseApplied(live.metadata?.annotations?.[ANNOTATION]);
  if (applied === undefined || applied.apiVersion !== apiVersionOf(resource)) return undefined;
  const ownership = ownershipOf(resource);
  if (typeProblems(applied, ownership).length > 0) return undefined;
  const { kind, apiVersion, ...config } = applied;
  const { added, modified, removed } = compareObjects(config, trackedForm(resource, live), ownership);
  return [modified, added, removed].reduce(difference, fieldsOf(config, ownership));
}

/** Updates an existing annotation, so that client-side and server-side apply can alternate. */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const before = object.metadata?.annotations;
  if (!isRecord(before) || !before[ANNOTATION]) return object;
  const { [ANNOTATION]: _old, ...others } = before;
  const annotations = { ...others, [ANNOTATION]: printApplied(applied) };
  const isTooLarge = sizeOf(annotations) > MAX_ANNOTATION_BYTES;
  return { ...object, metadata: { ...object.metadata, annotations: isTooLarge ? others : annotations } };
}

function parseApplied(annotation: unknown): KubeObject | undefined {
  if (typeof annotation !== 'string' || annotation === '') return undefined;
  try {
    const applied = parseJson(annotation);
    return isRecord(applied) ? applied : undefined;
  } catch {
    return undefined;
  }
}

function printApplied(applied: KubeObject): string {
  const annotations = applied.metadata?.annotations;
  if (!isRecord(annotations)) return `${encodeJson(sortKeys(applied))}\n`;
  const { [ANNOTATION]: _own, ...others } = annotations;
  const metadata = { ...applied.metadata, annotations: others };
  return `${encodeJson(sortKeys({ ...applied, metadata }))}\n`;
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
}
