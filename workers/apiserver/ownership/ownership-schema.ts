/** Which parts of an object are owned one by one and which as a whole. */

import { isRecord } from '../json.js';
import type { Resource } from '../resources/resource.js';
import { type Shape, structOfKind, structSchema } from '../schemas/struct-schema.js';

export type Ownership =
  /** Owned as a whole. */
  | { readonly type: 'leaf' }
  /** Objects field by field, all else as a whole. */
  | { readonly type: 'deduced' }
  | { readonly type: 'fields'; readonly of: (field: string) => Ownership }
  | { readonly type: 'set' }
  | { readonly type: 'items'; readonly keys: readonly string[]; readonly element: Ownership };

type JsonSchema = Readonly<Record<string, unknown>>;

const LEAF: Ownership = { type: 'leaf' };
const DEDUCED: Ownership = { type: 'deduced' };
const METADATA: Shape = { type: 'struct', name: 'meta.ObjectMeta', isAtomic: false };

export function ownershipOf(resource: Pick<Resource, 'group' | 'kind' | 'schema'>): Ownership {
  const struct = structOfKind(resource);
  if (struct !== undefined) return ofShape({ type: 'struct', name: struct, isAtomic: false });
  const root = ofSchema(resource.schema);
  return {
    type: 'fields',
    of: (field) => (field === 'metadata' ? ofShape(METADATA) : fieldOf(root, field)),
  };
}

/** What is below one field of an object. */
export function fieldOf(ownership: Ownership, field: string): Ownership {
  return ownership.type === 'fields' ? ownership.of(field) : DEDUCED;
}

function ofShape(shape: Shape): Ownership {
  switch (shape.type) {
    case 'scalar':
      return LEAF;
    case 'struct':
      if (shape.isAtomic) return LEAF;
      return {
        type: 'fields',
        of: (field) => {
          const declared = structSchema(shape.name).get(field);
          return declared === undefined ? LEAF : ofShape(declared.shape);
        },
      };
    case 'map':
      return shape.isAtomic ? LEAF : { type: 'fields', of: () => ofShape(shape.element) };
    case 'list':
      if (shape.ownership === 'set') return { type: 'set' };
      if (shape.ownership === 'atomic') return LEAF;
      return { type: 'items', keys: shape.keys, element: ofShape(shape.element) };
  }
}

function ofSchema(schema: unknown): Ownership {
  if (!isRecord(schema)) return DEDUCED;
  switch (schema['type']) {
    case 'object':
      return ofObjectSchema(schema);
    case 'array':
      return ofListSchema(schema);
    default:
      return schema['type'] === undefined && schema['x-kubernetes-int-or-string'] !== true ? DEDUCED : LEAF;
  }
}

function ofObjectSchema(schema: JsonSchema): Ownership {
  if (schema['x-kubernetes-map-type'] === 'atomic') return LEAF;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const additional = schema['additionalProperties'];
  return {
    type: 'fields',
    of: (field) => ofSchema(Object.hasOwn(properties, field) ? properties[field] : additional),
  };
}

function ofListSchema(schema: JsonSchema): Ownership {
  const keys = schema['x-kubernetes-list-map-keys'];
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { type: 'set' };
    case 'map':
      return {
        type: 'items',
        keys: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [],
        element: ofSchema(schema['items']),
      };
    default:
      return LEAF;
  }
}
