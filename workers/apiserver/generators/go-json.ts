/** JSON as Go's encoder writes it: compact, `<`, `>`, `&`, U+2028 and U+2029 escaped. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** `declared` is the order of the fields of a Go struct; `sorted` that of an unstructured object. */
export type KeyOrder = 'declared' | 'sorted';

export function goJson(value: Json, order: KeyOrder): string {
  const text = JSON.stringify(order === 'sorted' ? withSortedKeys(value) : value);
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Maps are written with sorted keys everywhere, in typed objects too. Keys must not look like array indexes. */
export function sortedMap<T extends Json>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withSortedKeys(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  return sortedMap(
    Object.fromEntries(
      Object.entries(value as JsonObject).map(([key, inner]) => [key, withSortedKeys(inner)]),
    ),
  );
}
