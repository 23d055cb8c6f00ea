/**
 * Decodes an object of a built-in kind as Go does: unknown fields are dropped, values must fit their types, times
 * and quantities are canonicalized.
 */

import type { KubeObject } from '../control/kube-object.js';
import { canonicalQuantity } from '../formats/quantity.js';
import { canonicalMicroTime, canonicalTime } from '../formats/time-format.js';
import { goJsonKind } from '../go-json-error.js';
import { isRecord, LongInteger } from '../json.js';
import type { Resource } from '../resources/resource.js';
import { type Scalar, type Shape, structOfKind, structSchema } from '../schemas/struct-schema.js';

export interface DecodedObject {
  readonly object: KubeObject;
  /** Paths of fields that were dropped, as in `unknown field "spec.containers[0].foo"`. */
  readonly unknownFields: readonly string[];
}

/** Throws an Error with Go's message when a value does not fit. A custom resource is returned unchanged. */
export function decodeTyped(resource: Pick<Resource, 'group' | 'kind'>, object: KubeObject): DecodedObject {
  const struct = structOfKind(resource);
  if (struct === undefined) return { object, unknownFields: [] };
  const decoder = new TypedDecoder();
  const { kind, apiVersion, ...rest } = object;
  const decoded = decoder.struct(rest, struct, { goPath: '', fieldPath: '' });
  return {
    object: {
      ...(kind === undefined ? {} : { kind }),
      ...(apiVersion === undefined ? {} : { apiVersion }),
      ...decoded,
    },
    unknownFields: decoder.unknownFields,
  };
}

/** Only ObjectMeta, as in custom resources, at `fieldPath`. Throws as `decodeTyped` does. */
export function decodeMetadata(
  metadata: Readonly<Record<string, unknown>>,
  fieldPath: string,
): { metadata: Record<string, unknown>; unknownFields: readonly string[] } {
  const decoder = new TypedDecoder();
  const decoded = decoder.struct(metadata, 'meta.ObjectMeta', { goPath: '', fieldPath });
  return { metadata: decoded, unknownFields: decoder.unknownFields };
}

interface Position {
  /** The struct that declares the field. */
  readonly struct: string;
  /** Field names without indices and map keys, as in Go's errors. */
  readonly goPath: string;
  /** With indices and map keys, as in warnings. */
  readonly fieldPath: string;
}

const INTEGER_LIMITS: Readonly<Record<string, bigint>> = { int32: 2n ** 31n, int64: 2n ** 63n };

const GO_SCALARS: Readonly<Record<Scalar, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  float64: 'float64',
  quantity: 'resource.Quantity',
  time: 'string',
  'micro-time': 'string',
  'int-or-string': 'int32',
  bytes: '[]uint8',
  any: 'interface {}',
};

class TypedDecoder {
  readonly unknownFields: string[] = [];

  struct(
    value: Readonly<Record<string, unknown>>,
    struct: string,
    at: Pick<Position, 'goPath' | 'fieldPath'>,
  ): Record<string, unknown> {
    const schema = structSchema(struct);
    const entries: [string, unknown][] = [];
    for (const [key, member] of Object.entries(value)) {
      const fieldPath = at.fieldPath === '' ? key : `${at.fieldPath}.${key}`;
      const field = schema.get(key);
      if (field === undefined) this.unknownFields.push(fieldPath);
      else if (member !== null && member !== undefined) {
        const goPath = at.goPath === '' ? key : `${at.goPath}.${key}`;
        entries.push([key, this.#value(field.shape, member, { struct, goPath, fieldPath })]);
      }
    }
    return Object.fromEntries(entries);
  }

  #value(shape: Shape, value: unknown, at: Position): unknown {
    switch (shape.type) {
      case 'scalar':
        return decodeScalar(shape.scalar, value, at);
      case 'struct':
        if (isRecord(value)) return this.struct(value, shape.name, at);
        // A schema may be a boolean or a list.
        if (shape.name === 'apiextensions.JSONSchemaProps') return value;
        throw misfit(shape, value, at);
      case 'list':
        if (!Array.isArray(value)) throw misfit(shape, value, at);
        return value.map((item, index) =>
          this.#element(shape.element, item, { ...at, fieldPath: `${at.fieldPath}[${index}]` }),
        );
      case 'map':
        if (!isRecord(value)) throw misfit(shape, value, at);
        return Object.fromEntries(
          Object.entries(value).map(([key, member]) => [
            key,
            this.#element(shape.element, member, { ...at, fieldPath: `${at.fieldPath}.${key}` }),
          ]),
        );
    }
  }

  /** A null element is the zero value of its type. */
  #element(shape: Shape, value: unknown, at: Position): unknown {
    if (value !== null) return this.#value(shape, value, at);
    if (shape.type === 'struct') return {};
    return shape.type === 'scalar' && shape.scalar === 'string' ? '' : null;
  }
}

function decodeScalar(scalar: Scalar, value: unknown, at: Position): unknown {
  switch (scalar) {
    case 'any':
      return value;
    case 'string':
      if (typeof value === 'string') return value;
      break;
    case 'bool':
      if (typeof value === 'boolean') return value;
      break;
    case 'float64':
      if (typeof value === 'number' || value instanceof LongInteger) return value;
      break;
    case 'int32':
    case 'int64':
      if (typeof value !== 'number' && !(value instanceof LongInteger)) break;
      return checkedInteger(value, scalar, at);
    case 'int-or-string':
      if (typeof value === 'string') return value;
      if (typeof value !== 'number') break;
      return checkedInteger(value, 'int32', at);
    case 'quantity':
      return canonicalQuantity(value);
    case 'time':
      if (typeof value === 'string') return canonicalTime(value);
      break;
    case 'micro-time':
      if (typeof value === 'string') return canonicalMicroTime(value);
      break;
    case 'bytes':
      if (typeof value === 'string') return canonicalBase64(value);
      break;
  }
  throw misfit({ type: 'scalar', scalar }, value, at);
}

function checkedInteger(value: number | LongInteger, type: 'int32' | 'int64', at: Position): unknown {
  const digits = value instanceof LongInteger ? value.digits : String(value);
  const limit = INTEGER_LIMITS[type] ?? 0n;
  if (/^-?[0-9]+$/.test(digits)) {
    const integer = BigInt(digits);
    if (integer >= -limit && integer < limit) return value;
  }
  throw new Error(
    `json: cannot unmarshal number ${digits} into Go struct field ${placeOf(at)} of type ${type}`,
  );
}

function canonicalBase64(base64: string): string {
  const characters = base64.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9+/]/.exec(characters.replace(/={1,2}$/, ''))?.index;
  if (bad !== undefined) throw new Error(`illegal base64 data at input byte ${bad}`);
  if (characters.length % 4 !== 0) {
    throw new Error(`illegal base64 data at input byte ${characters.length - (characters.length % 4)}`);
  }
  return Buffer.from(characters, 'base64').toString('base64');
}

function misfit(shape: Shape, value: unknown, at: Position): Error {
  return new Error(
    `json: cannot unmarshal ${goJsonKind(value)} into Go struct field ${placeOf(at)} of type ${goType(shape)}`,
  );
}

function placeOf({ struct, goPath }: Position): string {
  return `${struct.split('.').at(-1)}.${goPath}`;
}

/** Every API package is called v1. */
function goType(shape: Shape): string {
  switch (shape.type) {
    case 'scalar':
      return GO_SCALARS[shape.scalar];
    case 'struct':
      return `v1.${shape.name.split('.').at(-1)}`;
    case 'list':
      return `[]${goType(shape.element)}`;
    case 'map':
      return shape.element.type === 'scalar' && shape.element.scalar === 'quantity'
        ? 'v1.ResourceList'
        : `map[string]${goType(shape.element)}`;
  }
}
