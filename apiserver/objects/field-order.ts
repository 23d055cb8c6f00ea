/**
 * The field order of kube-apiserver's JSON: built-in kinds as their Go structs are declared, custom resources
 * with sorted keys.
 */

import type { KubeObject } from '../control/kube-object.js';
import { isRecord, sortKeys } from '../json.js';
import type { Resource } from '../resources/resource.js';
import {
  type FieldSchema,
  type Scalar,
  type Shape,
  structOfKind,
  structSchema,
} from '../schemas/struct-schema.js';

/** Go's encoding of an unset field without `omitempty`. */
const ZERO_VALUES: Readonly<Record<Scalar, unknown>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
  quantity: '0',
  time: null,
  'micro-time': null,
  'int-or-string': 0,
  bytes: null,
  any: null,
};

/**
 * An object of a built-in kind in the field order of its Go struct, without empty fields that Go omits and with
 * those that it always encodes. `kind` and `apiVersion` come first, if present; fields that the struct does not
 * have come last. An object of another kind is ordered as a custom resource.
 */
export function orderTyped(resource: Pick<Resource, 'group' | 'kind'>, object: KubeObject): KubeObject {
  const struct = structOfKind(resource);
  if (struct === undefined) return orderCustom(object);
  const { kind, apiVersion, ...rest } = object;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...orderStruct(rest, struct),
  };
}

export function orderCustom(object: KubeObject): KubeObject {
  return sortKeys(object) as KubeObject;
}

/** Only ObjectMeta, in the order of built-in kinds. */
export function orderMetadata(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return orderStruct(metadata, 'meta.ObjectMeta');
}

function orderStruct(value: Readonly<Record<string, unknown>>, struct: string): Record<string, unknown> {
  const schema = structSchema(struct);
  const entries: [string, unknown][] = [];
  for (const field of schema.values()) {
    const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (!isLeftOut(field, member)) entries.push([field.name, orderMember(field, member)]);
  }
  for (const [key, member] of Object.entries(value)) {
    if (!schema.has(key)) entries.push([key, member]);
  }
  return Object.fromEntries(entries);
}

function isLeftOut(field: FieldSchema, value: unknown): boolean {
  if (!field.isOptional) return false;
  if (value === undefined || value === null) return true;
  if (field.isPointer) return false;
  if (Array.isArray(value)) return value.length === 0;
  if (field.shape.type === 'map') return isRecord(value) && Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

function orderMember(field: FieldSchema, value: unknown): unknown {
  if (value === undefined || value === null) {
    return field.isPointer || field.shape.type === 'list' || field.shape.type === 'map'
      ? null
      : zeroOf(field.shape);
  }
  return orderValue(field.shape, value);
}

function orderValue(shape: Shape, value: unknown): unknown {
  if (value === undefined || value === null) return zeroOf(shape);
  switch (shape.type) {
    case 'scalar':
      return value;
    case 'struct':
      // Some schemas may be a boolean or a list.
      return isRecord(value) ? orderStruct(value, shape.name) : value;
    case 'list':
      return Array.isArray(value) ? value.map((item) => orderValue(shape.element, item)) : value;
    case 'map':
      if (!isRecord(value)) return value;
      return Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, orderValue(shape.element, value[key])]),
      );
  }
}

function zeroOf(shape: Shape): unknown {
  switch (shape.type) {
    case 'scalar':
      return ZERO_VALUES[shape.scalar];
    case 'struct':
      return orderStruct({}, shape.name);
    default:
      return null;
  }
}
