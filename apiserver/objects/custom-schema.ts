/** Custom resources and the schema of their version. CEL rules are not evaluated. */

import type { KubeObject } from '../control/kube-object.js';
import { defaulted, type NullHandling, StructuralPruner } from '../custom/pruning.js';
import { validateListTypes, validateValue } from '../custom/schema-validation.js';
import { isRecord } from '../json.js';
import type { Resource } from '../resources/resource.js';
import type { StatusCause } from '../status-error.js';
import { invalidValue } from '../validation/cause.js';
import { orderMetadata } from './field-order.js';
import { decodeMetadata } from './typed-decoding.js';

export interface PrunedObject {
  readonly object: KubeObject;
  /** Paths of fields that were dropped, as in `unknown field "spec.nope"`. */
  readonly unknownFields: readonly string[];
}

type Schema = Resource['schema'];

/** After errors for these reasons, kube-apiserver does not evaluate CEL rules. */
const BLOCKING_REASONS: ReadonlySet<string | undefined> = new Set([
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueNotSupported',
]);

/**
 * Throws an Error with Go's message when metadata is invalid; empty fields of metadata are removed. Does not
 * change `object`.
 */
export function pruneAndDefault(
  schema: Schema,
  object: KubeObject,
  nulls: NullHandling = 'dropped',
): PrunedObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const decoded = decodeMetadata(metadata ?? {}, 'metadata');
  const former = new StructuralPruner(decodeMetadata, nulls);
  const content = defaulted(former.pruned(rest, schema, ''), schema) as Record<string, unknown>;
  return {
    object: {
      ...(apiVersion === undefined ? {} : { apiVersion }),
      ...(kind === undefined ? {} : { kind }),
      metadata: orderMetadata(decoded.metadata),
      ...content,
    },
    unknownFields: [
      ...decoded.unknownFields,
      ...former.unknownFields.sort(),
      ...former.unknownMetadataFields.sort(),
    ],
  };
}

/** Empty when the object is valid. */
export function validateSchema(schema: Schema, object: KubeObject): StatusCause[] {
  const { apiVersion, kind, metadata, ...content } = object;
  const causes = [...validateValue(content, schema, ''), ...validateListTypes(content, schema, '')];
  const isBlocked = causes.some((cause) => BLOCKING_REASONS.has(cause.reason)) && hasRules(schema);
  if (!isBlocked) return causes;
  const message =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [...causes, invalidValue('<nil>', null, message)];
}

function hasRules(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const rules = schema['x-kubernetes-validations'];
  if (Array.isArray(rules) && rules.length > 0) return true;
  const properties = isRecord(schema['properties']) ? Object.values(schema['properties']) : [];
  return [...properties, schema['items'], schema['additionalProperties']].some(hasRules);
}
