/**
 * The ownable fields of an object, and the object without some of them. After sigs.k8s.io/structured-merge-diff
 * (Apache-2.0).
 */

import { isRecord } from '../json.js';
import { isEmpty } from './comparison.js';
import { type FieldSet, FieldSetBuilder } from './field-set.js';
import { itemElement, itemsByElement, itemsOf } from './list-items.js';
import { below, isDeclared, type Ownership, ownedAs } from './ownership-schema.js';

/** The fields that a manager owns after applying this object. */
export function fieldsOf(object: unknown, ownership: Ownership): FieldSet {
  const builder = new FieldSetBuilder();
  collect(builder, [], object, ownership);
  return builder.build();
}

/**
 * The value without the fields of `set` and everything below them. A container that loses all its content becomes
 * null.
 */
export function withoutFields(value: unknown, set: FieldSet, ownership: Ownership): unknown {
  const as = ownedAs(ownership, value);
  if (as === 'leaf') return value;
  if (ownership.type === 'list') {
    const kept = itemsOf(value).flatMap((item) => {
      const node = set.get(itemElement(item, ownership));
      if (node?.isMember === true) return [];
      return node === undefined ? [item] : [withoutFields(item, node.below, ownership.element)];
    });
    return kept.length === 0 ? null : kept;
  }
  const kept = Object.entries(isRecord(value) ? value : {}).flatMap(([key, member]) => {
    const element = `f:${key}`;
    const node = set.get(element);
    if (node?.isMember === true) return [];
    return [
      [key, node === undefined ? member : withoutFields(member, node.below, below(ownership, element))],
    ];
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** Adds each declared field that has paths below it: removing all fields of a struct removes the struct. */
export function withDeclaredFields(set: FieldSet, ownership: Ownership): FieldSet {
  return new Map(
    [...set].map(([element, node]) => {
      const isStruct =
        node.below.size > 0 && element.startsWith('f:') && isDeclared(ownership, element.slice(2));
      return [
        element,
        {
          isMember: node.isMember || isStruct,
          below: withDeclaredFields(node.below, below(ownership, element)),
        },
      ];
    }),
  );
}

function collect(
  builder: FieldSetBuilder,
  path: readonly string[],
  value: unknown,
  ownership: Ownership,
): void {
  const as = ownedAs(ownership, value);
  if (as === 'leaf') builder.insert(path);
  else if (ownership.type === 'list') {
    for (const [element, items] of itemsByElement(value, ownership)) {
      const place = [...path, element];
      if (items.length === 1) collect(builder, place, items[0], ownership.element);
      builder.insert(place);
    }
  } else if (isRecord(value)) {
    for (const [key, member] of Object.entries(value)) {
      const element = `f:${key}`;
      const place = [...path, element];
      collect(builder, place, member, below(ownership, element));
      const isBare = isEmpty(member) && !Array.isArray(member);
      if (isBare || !isDeclared(ownership, key)) builder.insert(place);
    }
  }
}
