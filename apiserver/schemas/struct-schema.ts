/** The table of Go structs, parsed on first use. */

import { GO_STRUCTS } from './go-structs.js';

export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'quantity'
  | 'time'
  | 'micro-time'
  | 'int-or-string'
  | 'bytes'
  | 'any';

export type Shape =
  | { readonly type: 'scalar'; readonly scalar: Scalar }
  | { readonly type: 'struct'; readonly name: string; readonly isAtomic: boolean }
  | {
      readonly type: 'list';
      readonly element: Shape;
      readonly ownership: 'atomic' | 'set' | 'map';
      /** The keys of a map list. */
      readonly keys: readonly string[];
    }
  | { readonly type: 'map'; readonly element: Shape; readonly isAtomic: boolean };

/** How a strategic merge patch treats the field. */
export interface PatchStrategy {
  readonly merges: boolean;
  readonly mergeKey: string;
  readonly retainsKeys: boolean;
  readonly replaces: boolean;
}

export interface FieldSchema {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isPointer: boolean;
  readonly shape: Shape;
  readonly patch: PatchStrategy;
}

/** Fields in the order of the wire. */
export type StructSchema = ReadonlyMap<string, FieldSchema>;

const SCALARS: Readonly<Record<string, Scalar>> = {
  '': 'string',
  b: 'bool',
  i: 'int32',
  l: 'int64',
  f: 'float64',
  q: 'quantity',
  t: 'time',
  m: 'micro-time',
  x: 'int-or-string',
  y: 'bytes',
  r: 'any',
};

const PACKAGES: Readonly<Record<string, string>> = {
  '': '',
  apps: 'apps.',
  autoscaling: 'autoscaling.',
  batch: 'batch.',
  'coordination.k8s.io': 'coordination.',
  'discovery.k8s.io': 'discovery.',
  'events.k8s.io': 'events.',
  'apiextensions.k8s.io': 'apiextensions.',
};

// name, optional, pointer, list keys, map ownership, colon, element, patch strategy
const FIELD = /^([^?*:[{~]+)(\?)?(\*)?(?:\[([^\]]*)\]|\{(!?)\}|:)?([^~]*)(?:~(.*))?$/;

const parsed = new Map<string, StructSchema>();

/** The struct of a built-in kind; undefined for a custom resource. */
export function structOfKind(type: { readonly group: string; readonly kind: string }): string | undefined {
  const prefix = PACKAGES[type.group];
  if (prefix === undefined || !Object.hasOwn(GO_STRUCTS, prefix + type.kind)) return undefined;
  return prefix + type.kind;
}

export function structSchema(name: string): StructSchema {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const declaration = GO_STRUCTS[name];
  if (declaration === undefined) throw new Error(`no Go struct ${name}; this is a bug in go-structs.ts`);
  const fields = declaration === '' ? [] : declaration.split(' ').map(parseField);
  const schema: StructSchema = new Map(fields.map((field) => [field.name, field]));
  parsed.set(name, schema);
  return schema;
}

function parseField(token: string): FieldSchema {
  const match = FIELD.exec(token);
  if (match === null) throw new Error(`unreadable field ${token}; this is a bug in go-structs.ts`);
  const [, name = '', optional, pointer, listKeys, mapMark, element = '', patch] = match;
  return {
    name,
    isOptional: optional !== undefined,
    isPointer: pointer !== undefined,
    shape: parseShape(element, listKeys, mapMark),
    patch: parseStrategy(patch ?? ''),
  };
}

function parseShape(element: string, listKeys: string | undefined, mapMark: string | undefined): Shape {
  const inner = parseElement(element);
  if (listKeys !== undefined) {
    const hasKeys = listKeys !== '' && listKeys !== '=';
    return {
      type: 'list',
      element: inner,
      ownership: hasKeys ? 'map' : listKeys === '=' ? 'set' : 'atomic',
      keys: hasKeys ? listKeys.split(',') : [],
    };
  }
  if (mapMark !== undefined) return { type: 'map', element: inner, isAtomic: mapMark === '!' };
  return inner;
}

function parseElement(type: string): Shape {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return { type: 'scalar', scalar };
  if (type.startsWith('[]')) {
    return { type: 'list', element: parseElement(type.slice(2)), ownership: 'atomic', keys: [] };
  }
  return { type: 'struct', name: type.replace(/!$/, ''), isAtomic: type.endsWith('!') };
}

function parseStrategy(tag: string): PatchStrategy {
  const key = tag.replace(/[+$-]+$/, '');
  return {
    merges: key !== '' || tag.includes('+'),
    mergeKey: key,
    retainsKeys: tag.includes('$'),
    replaces: tag.includes('-'),
  };
}
