/** The items of a list whose items are owned one by one, by their path elements in `fieldsV1`. */

import { encodeJson, isRecord } from '../json.js';
import type { Ownership } from './ownership-schema.js';

type List = Extract<Ownership, { type: 'list' }>;

/** Items with equal keys share an element. */
export function itemsByElement(list: unknown, ownership: List): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of itemsOf(list)) {
    const element = itemElement(item, ownership);
    items.set(element, [...(items.get(element) ?? []), item]);
  }
  return items;
}

/** Empty for anything but a list. */
export function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** `k:{"name":"c"}` or `v:"x"`. */
export function itemElement(item: unknown, { relation, keys }: List): string {
  if (relation !== 'keyed') return `v:${encodeJson(item)}`;
  const fields = isRecord(item) ? item : {};
  const values = keys
    .map(({ name, default: missing }): [string, unknown] => [
      name,
      Object.hasOwn(fields, name) ? fields[name] : missing,
    ])
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:${encodeJson(Object.fromEntries(values))}`;
}
