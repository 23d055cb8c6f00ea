/** Sets of field paths, in `fieldsV1` format. After sigs.k8s.io/structured-merge-diff (Apache-2.0). */

import { isRecord } from '../json.js';

/**
 * One element of a path and what is below it. Elements are spelled as on the wire:
 *
 *   f:name   a field        k:{"name":"c"}   an item by its keys        v:"x"   an item of a set
 */
interface FieldNode {
  /** The path that ends here is in the set. */
  readonly isMember: boolean;
  readonly below: FieldSet;
}

export type FieldSet = ReadonlyMap<string, FieldNode>;

export const EMPTY_FIELD_SET: FieldSet = new Map();

export function union(a: FieldSet, b: FieldSet): FieldSet {
  const result = new Map(a);
  for (const [element, node] of b) {
    const other = result.get(element);
    result.set(
      element,
      other === undefined
        ? node
        : { isMember: node.isMember || other.isMember, below: union(other.below, node.below) },
    );
  }
  return result;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return pruned([...a], (element, node) => {
    const other = b.get(element);
    if (other === undefined) return { isMember: false, below: EMPTY_FIELD_SET };
    return { isMember: node.isMember && other.isMember, below: intersection(node.below, other.below) };
  });
}

/** Without the paths of `b`; paths below a path of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return pruned([...a], (element, node) => {
    const other = b.get(element);
    if (other === undefined) return node;
    return { isMember: node.isMember && !other.isMember, below: difference(node.below, other.below) };
  });
}

/** Without the paths of `b` and all paths below them. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return pruned([...a], (element, node) => {
    const other = b.get(element);
    if (other === undefined) return node;
    if (other.isMember) return { isMember: false, below: EMPTY_FIELD_SET };
    return { isMember: node.isMember, below: recursiveDifference(node.below, other.below) };
  });
}

/** The set of one path of field names, e.g. `['metadata', 'labels']`. */
export function fieldPath(names: readonly string[]): FieldSet {
  const [first, ...rest] = names;
  if (first === undefined) return EMPTY_FIELD_SET;
  return new Map([[`f:${first}`, { isMember: rest.length === 0, below: fieldPath(rest) }]]);
}

/** The paths of the set: on each level those that end there, in order, and then longer ones. */
export function pathsOf(set: FieldSet): readonly (readonly string[])[] {
  const elements = [...set].sort(([a], [b]) => compareElements(a, b));
  return [
    ...elements.filter(([, { isMember }]) => isMember).map(([element]) => [element]),
    ...elements.flatMap(([element, { below }]) => pathsOf(below).map((path) => [element, ...path])),
  ];
}

/** A set that grows path by path. */
export class FieldSetBuilder {
  readonly #below = new Map<string, FieldSetBuilder>();
  #isMember = false;

  insert(path: readonly string[]): void {
    let builder: FieldSetBuilder = this;
    for (const element of path) {
      const next = builder.#below.get(element) ?? new FieldSetBuilder();
      builder.#below.set(element, next);
      builder = next;
    }
    builder.#isMember = true;
  }

  build(): FieldSet {
    return new Map(
      [...this.#below].map(([element, builder]) => [
        element,
        { isMember: builder.#isMember, below: builder.build() },
      ]),
    );
  }
}

export function parseFieldsV1(fields: unknown): FieldSet {
  if (!isRecord(fields)) return EMPTY_FIELD_SET;
  const elements = Object.entries(fields).filter(([element]) => element !== '.');
  return new Map(
    elements.map(([element, below]) => {
      const isLeaf = !isRecord(below) || Object.keys(below).length === 0;
      const isMember = isLeaf || Object.hasOwn(below, '.');
      return [element, { isMember, below: parseFieldsV1(below) }];
    }),
  );
}

/** Fields by name, then items by their keys, then items by value. */
export function writeFieldsV1(set: FieldSet): Record<string, unknown> {
  const elements = [...set].sort(([a], [b]) => compareElements(a, b));
  return Object.fromEntries(
    elements.map(([element, { isMember, below }]) => [
      element,
      { ...(isMember && below.size > 0 ? { '.': {} } : {}), ...writeFieldsV1(below) },
    ]),
  );
}

function pruned(
  entries: readonly [string, FieldNode][],
  change: (element: string, node: FieldNode) => FieldNode,
): FieldSet {
  return new Map(
    entries
      .map(([element, node]) => [element, change(element, node)] as const)
      .filter(([, node]) => node.isMember || node.below.size > 0),
  );
}

const ELEMENT_RANK = 'fkvi';

function compareElements(a: string, b: string): number {
  const rank = ELEMENT_RANK.indexOf(a.charAt(0)) - ELEMENT_RANK.indexOf(b.charAt(0));
  if (rank !== 0) return rank;
  if (a.startsWith('f:')) return compareStrings(a, b);
  return compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)));
}

function compareValues(a: unknown, b: unknown): number {
  if (isRecord(a) && isRecord(b)) return compareKeys(Object.entries(a), Object.entries(b));
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  // Numbers come before strings.
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return compareStrings(String(a), String(b));
}

function compareKeys(a: readonly [string, unknown][], b: readonly [string, unknown][]): number {
  for (const [index, [name, value]] of a.entries()) {
    const [otherName, otherValue] = b[index] ?? [];
    if (otherName === undefined) return 1;
    const order = compareStrings(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** By code units, as Go compares ASCII; a missing string comes first. */
export function compareStrings(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
