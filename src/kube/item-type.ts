import { isRecord } from './object.js';
import type { ExpectedType } from './object-check.js';

/** Kind and apiVersion of an object. */
export interface ObjectType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The type of a list's items, which do not carry it: `PodList` holds `Pod`. Undefined if the list does not have it. */
export function itemTypeOf({
  kind,
  apiVersion,
}: {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
}): ObjectType | undefined {
  const isTyped = typeof kind === 'string' && kind.endsWith('List') && kind !== 'List';
  if (!isTyped || typeof apiVersion !== 'string') return undefined;
  return { kind: kind.slice(0, -'List'.length), apiVersion };
}

/** The item with the type of its list, unless it has its own. The fields are in the order in which events have them. */
export function withType<T>(item: T, type: ExpectedType): T {
  if (!isRecord(item) || item['kind'] !== undefined || item['apiVersion'] !== undefined) return item;
  return type.kind === undefined && type.apiVersion === undefined ? item : { ...type, ...item };
}
