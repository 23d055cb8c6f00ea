/** Converts a workload to the Scale of its `scale` subresource, and back. */

import type { KubeObject } from '../control/kube-object.js';
import { isRecord } from '../json.js';
import { difference, type FieldSet, fieldPath, intersection } from '../ownership/field-set.js';
import {
  decodeEntries,
  encodeEntries,
  identityOf,
  type ManagedEntry,
  type ManagedFieldsEntry,
} from '../ownership/managed-entries.js';
import { SCALE } from '../resources/built-in-resources.js';
import { apiVersionOf, type Resource, type ScalePaths } from '../resources/resource.js';
import { formatSelector } from '../selectors/label-selector.js';
import { valueAt } from '../selectors/selectable-field.js';
import type { StatusCause } from '../status-error.js';
import { invalidValue } from '../validation/cause.js';

type ScalableResource = Pick<Resource, 'group' | 'version'> & { readonly scale: ScalePaths };

const REPLICAS_OF_SCALE = fieldPath(['spec', 'replicas']);
const KEPT_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const;

/** Without managedFields, as in a response; `replicas` is zero where the workload has none. */
export function scaleOf({ scale }: ScalableResource, object: KubeObject): KubeObject {
  const { metadata = {} } = object;
  const selector = scale.selector === undefined ? '' : valueAt(object, withoutDot(scale.selector));
  return {
    kind: SCALE.kind,
    apiVersion: apiVersionOf(SCALE),
    metadata: Object.fromEntries(
      KEPT_METADATA.filter((field) => metadata[field] !== undefined).map((field) => [field, metadata[field]]),
    ),
    spec: { replicas: replicasAt(object, scale.specReplicas) ?? 0 },
    status: {
      replicas: replicasAt(object, scale.statusReplicas) ?? 0,
      selector: isRecord(selector) ? formatSelector(selector) : String(selector ?? ''),
    },
  };
}

/** Undefined if the field is missing. */
export function replicasAt(object: KubeObject, path: string): number | undefined {
  const value = valueAt(object, withoutDot(path));
  return typeof value === 'number' ? value : undefined;
}

/** The desired and actual replicas of a custom resource must be counts, whatever its schema allows. */
export function validateReplicas(
  { scale }: Pick<Resource, 'scale'>,
  object: KubeObject,
): readonly StatusCause[] {
  if (scale === undefined) return [];
  return [scale.specReplicas, scale.statusReplicas].flatMap((path) => {
    const replicas = replicasAt(object, path) ?? 0;
    return replicas < 0 ? [invalidValue(path, replicas, 'should be a non-negative integer')] : [];
  });
}

/** A copy with that many desired replicas. */
export function withReplicas({ scale }: ScalableResource, object: KubeObject, replicas: number): KubeObject {
  return withValue(object, stepsOf(scale.specReplicas), replicas) as KubeObject;
}

/** The managers of the workload's replicas are those of the Scale's. */
export function managersOfScale(
  { scale }: ScalableResource,
  object: KubeObject,
): ManagedFieldsEntry[] | undefined {
  const replicas = fieldPath(stepsOf(scale.specReplicas));
  const owners = decodeEntries(object.metadata?.['managedFields']).filter((entry) => owns(entry, replicas));
  return encodeEntries(
    owners.map((entry) => ({ ...entry, apiVersion: apiVersionOf(SCALE), fields: REPLICAS_OF_SCALE })),
  );
}

/** The managers of the workload after its Scale was written: the replicas belong to the managers they have there. */
export function managersAfterScale(
  resource: ScalableResource,
  object: KubeObject,
  ofScale: unknown,
): ManagedFieldsEntry[] | undefined {
  const replicas = fieldPath(stepsOf(resource.scale.specReplicas));
  const scalers = new Map(
    decodeEntries(ofScale)
      .filter((entry) => owns(entry, REPLICAS_OF_SCALE))
      // The identity of an Update entry includes its apiVersion, so none of them matches here.
      .map((entry) => [identityOf(entry), entry]),
  );
  const kept = decodeEntries(object.metadata?.['managedFields']).flatMap((entry) => {
    if (!owns(entry, replicas) || scalers.delete(identityOf(entry))) return [entry];
    const fields = difference(entry.fields, replicas);
    return fields.size === 0 ? [] : [{ ...entry, fields }];
  });
  // Managers that are new to the workload have no time.
  const added = [...scalers.values()].map(({ time, ...entry }) => ({
    ...entry,
    apiVersion: apiVersionOf(resource),
    fields: replicas,
  }));
  return encodeEntries([...kept, ...added]);
}

function owns({ fields }: ManagedEntry, path: FieldSet): boolean {
  return intersection(fields, path).size > 0;
}

function withValue(value: unknown, [step, ...rest]: readonly string[], leaf: unknown): unknown {
  if (step === undefined) return leaf;
  const fields = isRecord(value) ? value : {};
  const member = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: withValue(member, rest, leaf) };
}

function stepsOf(path: string): readonly string[] {
  return withoutDot(path).split('.');
}

function withoutDot(path: string): string {
  return path.replace(/^\./, '');
}
