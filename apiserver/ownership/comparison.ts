/**
 * Compares two objects; the result are sets of ownable fields. After sigs.k8s.io/structured-merge-diff
 * (Apache-2.0).
 */

import { equalJson, isRecord } from '../json.js';
import { type FieldSet, FieldSetBuilder } from './field-set.js';
import { itemsByElement } from './list-items.js';
import { below, type OwnedAs, type Ownership, ownedAs } from './ownership-schema.js';

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

/** True if there are no ownable fields below it. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
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

  /** Undefined means that a side does not have the path; null is a value. */
  compare(path: readonly string[], before: unknown, after: unknown, ownership: Ownership): void {
    // A fast path: most of an object is usually unchanged.
    if (before !== undefined && after !== undefined && equalJson(before, after)) return;
    const kinds = new Set<OwnedAs>();
    if (before !== undefined) kinds.add(ownedAs(ownership, before));
    if (after !== undefined) kinds.add(ownedAs(ownership, after));
    const isLeaf = kinds.has('leaf') || (isEmpty(before) && isEmpty(after));
    if (isLeaf) this.#compareLeaf(path, before, after);
    else if (before === undefined) this.#insert('added', path);
    else if (after === undefined) this.#insert('removed', path);
    if (kinds.has('fields')) this.#compareFields(path, before, after, ownership);
    else if (kinds.has('list')) this.#compareLists(path, before, after, ownership);
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
      const element = `f:${key}`;
      this.compare([...path, element], leftMember, rightMember, below(ownership, element));
    }
  }

  #compareLists(path: readonly string[], before: unknown, after: unknown, ownership: Ownership): void {
    if (ownership.type !== 'list') return;
    const left = itemsByElement(before, ownership);
    const right = itemsByElement(after, ownership);
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      const leftItems = left.get(element) ?? [];
      const rightItems = right.get(element) ?? [];
      const place = [...path, element];
      if (leftItems.length <= 1 && rightItems.length <= 1) {
        this.compare(place, leftItems[0], rightItems[0], ownership.element);
      } else if (leftItems.length > 1 && rightItems.length > 1) {
        if (!equalJson(leftItems, rightItems)) this.#insert('modified', place);
      } else if (leftItems.length > 1) {
        if (rightItems.length === 1) this.compare(place, undefined, rightItems[0], ownership.element);
        this.#insert('removed', place);
      } else {
        if (leftItems.length === 1) this.compare(place, leftItems[0], undefined, ownership.element);
        this.#insert('added', place);
      }
    }
  }

  #insert(outcome: Outcome, path: readonly string[]): void {
    if (path.length > 0) this.#sets[outcome].insert(path);
  }
}
