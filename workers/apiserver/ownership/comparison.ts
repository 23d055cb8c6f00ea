/** What differs between two objects, as sets of the fields that can be owned: after sigs.k8s.io/structured-merge-diff (Apache-2.0). */

import { encodeJson, equalJson, isRecord } from '../json.js';
import { type FieldSet, FieldSetBuilder } from './field-set.js';
import { fieldOf, type Ownership } from './ownership-schema.js';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Outcome = 'added' | 'modified' | 'removed';

export function compareObjects(before: unknown, after: unknown, ownership: Ownership): Comparison {
  const walker = new ComparisonWalker();
  walker.compare([], before, after, ownership);
  return walker.result();
}

class ComparisonWalker {
  readonly #sets: Readonly<Record<Outcome, FieldSetBuilder>> = {
    added: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
  };

  result(): Comparison {
    return {
      added: this.#sets.added.build(),
      modified: this.#sets.modified.build(),
      removed: this.#sets.removed.build(),
    };
  }

  /** Undefined is a side that does not have the path at all; null is a value. */
  compare(path: readonly string[], before: unknown, after: unknown, ownership: Ownership): void {
    const shape = shapeOf(ownership, before, after);
    // What is empty on both sides has nothing below it to be owned.
    if (shape === 'leaf' || (isEmpty(before) && isEmpty(after))) {
      this.#compareLeaf(path, before, after);
      return;
    }
    if (shape === 'list') this.#compareLists(path, before, after, ownership);
    else this.#compareFields(path, before, after, ownership);
    if (before === undefined) this.#insert('added', path);
    else if (after === undefined) this.#insert('removed', path);
  }

  #compareLeaf(path: readonly string[], before: unknown, after: unknown): void {
    if (before === undefined) this.#insert('added', path);
    else if (after === undefined) this.#insert('removed', path);
    else if (!equalJson(before, after)) this.#insert('modified', path);
  }

  #compareFields(path: readonly string[], before: unknown, after: unknown, ownership: Ownership): void {
    const left = isRecord(before) ? before : {};
    const right = isRecord(after) ? after : {};
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const leftMember = Object.hasOwn(left, key) ? left[key] : undefined;
      const rightMember = Object.hasOwn(right, key) ? right[key] : undefined;
      this.compare([...path, `f:${key}`], leftMember, rightMember, fieldOf(ownership, key));
    }
  }

  #compareLists(path: readonly string[], before: unknown, after: unknown, ownership: Ownership): void {
    const left = itemsByElement(before, ownership);
    const right = itemsByElement(after, ownership);
    const element: Ownership = ownership.type === 'items' ? ownership.element : { type: 'leaf' };
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      const leftItems = left.get(key) ?? [];
      const rightItems = right.get(key) ?? [];
      const place = [...path, key];
      if (leftItems.length <= 1 && rightItems.length <= 1) {
        this.compare(place, leftItems[0], rightItems[0], element);
      } else if (leftItems.length > 1 && rightItems.length > 1) {
        if (!equalJson(leftItems, rightItems)) this.#insert('modified', place);
      } else if (leftItems.length > 1) {
        if (rightItems.length === 1) this.compare(place, undefined, rightItems[0], element);
        this.#insert('removed', place);
      } else {
        if (leftItems.length === 1) this.compare(place, leftItems[0], undefined, element);
        this.#insert('added', place);
      }
    }
  }

  #insert(outcome: Outcome, path: readonly string[]): void {
    if (path.length > 0) this.#sets[outcome].insert(path);
  }
}

function shapeOf(ownership: Ownership, before: unknown, after: unknown): 'leaf' | 'list' | 'fields' {
  switch (ownership.type) {
    case 'leaf':
      return 'leaf';
    case 'set':
    case 'items':
      return 'list';
    case 'fields':
      return 'fields';
    case 'deduced': {
      const hasOnlyObjects = [before, after].every((side) => side === undefined || isRecord(side));
      return hasOnlyObjects ? 'fields' : 'leaf';
    }
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Items that cannot be told apart share an element. */
function itemsByElement(list: unknown, ownership: Ownership): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const element = elementOf(item, ownership);
    items.set(element, [...(items.get(element) ?? []), item]);
  }
  return items;
}

function elementOf(item: unknown, ownership: Ownership): string {
  if (ownership.type !== 'items') return `v:${encodeJson(item)}`;
  const keys = [...ownership.keys].sort();
  const values = keys
    .filter((key) => isRecord(item) && item[key] !== undefined)
    .map((key) => [key, (item as Record<string, unknown>)[key]]);
  return `k:${encodeJson(Object.fromEntries(values))}`;
}
