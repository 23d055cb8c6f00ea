/** Which parts of an object are owned one by one and which are atomic, with their types. */

import { isRecord } from '../json.js';
import type { Resource } from '../resources/resource.js';
import { type Scalar, type Shape, structOfKind, structSchema } from '../schemas/struct-schema.js';

export type Ownership =
  | { readonly type: 'scalar'; readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped' }
  | {
      readonly type: 'fields';
      /** Owned together, not field by field. */
      readonly isAtomic: boolean;
      /** Undefined for an undeclared field. */
      readonly declared: (field: string) => Ownership | undefined;
      /** The type of undeclared fields; undefined where there may be none. */
      readonly element: Ownership | undefined;
    }
  | {
      readonly type: 'list';
      /**
       * Items of an `atomic` list are owned together, those of a `set` by value, those of a `keyed` list by their
       * keys.
       */
      readonly relation: 'atomic' | 'set' | 'keyed';
      readonly keys: readonly ListKey[];
      readonly element: Ownership;
    }
  /** Any type: objects are owned field by field, everything else is atomic. */
  | { readonly type: 'deduced' }
  /** Any type, atomic. */
  | { readonly type: 'untyped' };

export interface ListKey {
  readonly name: string;
  /** The default of the key; undefined if there is none. */
  readonly default: unknown;
}

/** How a value is owned. */
export type OwnedAs = 'leaf' | 'list' | 'fields';

type Fields = Extract<Ownership, { type: 'fields' }>;
type JsonSchema = Readonly<Record<string, unknown>>;

const DEDUCED: Ownership = { type: 'deduced' };
const UNTYPED: Ownership = { type: 'untyped' };
const STRING: Ownership = { type: 'scalar', scalar: 'string' };
const METADATA: Shape = { type: 'struct', name: 'meta.ObjectMeta', isAtomic: false };

const SCALARS: Readonly<Record<Scalar, Ownership>> = {
  string: STRING,
  bytes: STRING,
  bool: { type: 'scalar', scalar: 'boolean' },
  int32: { type: 'scalar', scalar: 'numeric' },
  int64: { type: 'scalar', scalar: 'numeric' },
  float64: { type: 'scalar', scalar: 'numeric' },
  quantity: { type: 'scalar', scalar: 'untyped' },
  time: { type: 'scalar', scalar: 'untyped' },
  'micro-time': { type: 'scalar', scalar: 'untyped' },
  'int-or-string': { type: 'scalar', scalar: 'untyped' },
  any: UNTYPED,
};

export function ownershipOf(resource: Pick<Resource, 'group' | 'kind' | 'schema'>): Ownership {
  const struct = structOfKind(resource);
  const root =
    struct === undefined
      ? ofSchema(resource.schema, false)
      : ofShape({ type: 'struct', name: struct, isAtomic: false });
  return withObjectFields(root, struct === undefined);
}

/** Undefined where the object must not have the field. */
export function fieldOf(ownership: Ownership, field: string): Ownership | undefined {
  switch (ownership.type) {
    case 'fields':
      return ownership.declared(field) ?? ownership.element;
    case 'deduced':
    case 'untyped':
      return ownership;
    default:
      return undefined;
  }
}

/** The type at a path element of `fieldsV1`. */
export function below(ownership: Ownership, element: string): Ownership {
  if (element.startsWith('f:')) return fieldOf(ownership, element.slice(2)) ?? UNTYPED;
  return ownership.type === 'list' ? ownership.element : UNTYPED;
}

export function isDeclared(ownership: Ownership, field: string): boolean {
  return ownership.type === 'fields' && ownership.declared(field) !== undefined;
}

/** A null has no type of its own and is treated as the declared one. */
export function ownedAs(ownership: Ownership, value: unknown): OwnedAs {
  switch (ownership.type) {
    case 'scalar':
    case 'untyped':
      return 'leaf';
    case 'fields':
      return ownership.isAtomic ? 'leaf' : 'fields';
    case 'list':
      return ownership.relation === 'atomic' ? 'leaf' : 'list';
    case 'deduced':
      return value === null || isRecord(value) ? 'fields' : 'leaf';
  }
}

function ofShape(shape: Shape): Ownership {
  switch (shape.type) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'struct':
      return {
        type: 'fields',
        isAtomic: shape.isAtomic,
        declared: (field) => {
          const declared = structSchema(shape.name).get(field);
          return declared === undefined ? undefined : ofShape(declared.shape);
        },
        element: undefined,
      };
    case 'map':
      return {
        type: 'fields',
        isAtomic: shape.isAtomic,
        declared: () => undefined,
        element: ofShape(shape.element),
      };
    case 'list':
      return {
        type: 'list',
        relation: shape.ownership === 'map' ? 'keyed' : shape.ownership,
        keys: shape.keys.map((name) => ({ name, default: keyDefault(shape.element, name) })),
        element: ofShape(shape.element),
      };
  }
}

/** The zero value of its type, as OpenAPI declares for every key; the protocol of ports is TCP. */
function keyDefault(item: Shape, key: string): unknown {
  if (item.type !== 'struct') return undefined;
  if (key === 'protocol') return 'TCP';
  const shape = structSchema(item.name).get(key)?.shape;
  return shape?.type === 'scalar' && shape.scalar !== 'string' ? 0 : '';
}

/** Adds the fields that every object has besides those of its schema. */
function withObjectFields(root: Ownership, isCustom: boolean): Fields {
  return {
    type: 'fields',
    isAtomic: false,
    declared: (field) => {
      if (field === 'apiVersion' || field === 'kind') return STRING;
      if (isCustom && field === 'metadata') return ofShape(METADATA);
      return root.type === 'fields' ? root.declared(field) : undefined;
    },
    element: root.type === 'fields' ? root.element : DEDUCED,
  };
}

/** `keepsUnknown` is inherited from the enclosing schemas: whether undeclared fields are preserved. */
function ofSchema(schema: unknown, keepsUnknown: boolean): Ownership {
  if (!isRecord(schema)) return DEDUCED;
  const keeps = keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema['type']) {
    case 'object':
      return ofObjectSchema(schema, keeps);
    case 'array':
      return ofListSchema(schema, keeps);
    case 'integer':
    case 'number':
      return SCALARS.int64;
    case 'boolean':
      return SCALARS.bool;
    case 'string':
      return ['', 'byte'].includes(String(schema['format'] ?? '')) ? STRING : SCALARS.time;
    default:
      return isRecord(schema['properties']) ? ofObjectSchema(schema, keeps) : DEDUCED;
  }
}

function ofObjectSchema(schema: JsonSchema, keepsUnknown: boolean): Ownership {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const own: Fields = {
    type: 'fields',
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    declared: (field) =>
      Object.hasOwn(properties, field) ? ofSchema(properties[field], keepsUnknown) : undefined,
    element: ofUndeclared(schema, keepsUnknown),
  };
  if (schema['x-kubernetes-embedded-resource'] !== true) return own;
  return { ...withObjectFields(own, true), isAtomic: own.isAtomic };
}

/** An object whose schema declares no fields may have any. */
function ofUndeclared(schema: JsonSchema, keepsUnknown: boolean): Ownership | undefined {
  const additional = schema['additionalProperties'];
  if (additional !== undefined) return additional === false ? undefined : ofSchema(additional, keepsUnknown);
  const saysNothing = schema['properties'] === undefined && schema['x-kubernetes-embedded-resource'] !== true;
  return keepsUnknown || saysNothing ? DEDUCED : undefined;
}

function ofListSchema(schema: JsonSchema, keepsUnknown: boolean): Ownership {
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const items = schema['items'];
  const properties = isRecord(items) && isRecord(items['properties']) ? items['properties'] : {};
  const keyOf = (name: string): ListKey => {
    const property = properties[name];
    return { name, default: isRecord(property) ? property['default'] : undefined };
  };
  return {
    type: 'list',
    relation: type === 'set' ? 'set' : type === 'map' ? 'keyed' : 'atomic',
    keys: type === 'map' && Array.isArray(keys) ? keys.map(String).map(keyOf) : [],
    element: isRecord(items) ? ofSchema(items, keepsUnknown) : UNTYPED,
  };
}
