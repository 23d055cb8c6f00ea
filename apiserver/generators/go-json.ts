/** Generated objects as JSON values, and encoded in the two key orders of the wire. */

import { encodeJson, sortKeys } from '../json.js';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** `declared` is the field order of a Go struct; `sorted` that of an unstructured object. */
export type KeyOrder = 'declared' | 'sorted';

export function goJson(value: Json, order: KeyOrder): string {
  return encodeJson(order === 'sorted' ? sortKeys(value) : value);
}

/** Maps have sorted keys everywhere, in typed objects too. Keys must not look like array indexes. */
export function sortedMap<T extends Json>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
