/** Reads and fills in members of JSON objects, without changing the input. */

import { isRecord } from '../json.js';

export type Json = Readonly<Record<string, unknown>>;

/** For fields that are pointers in Go: only missing ones are filled in. */
export function fillMissing(value: Json, defaults: Json): Json {
  const missing = Object.entries(defaults).filter(([key]) => value[key] === undefined || value[key] === null);
  return missing.length === 0 ? value : { ...value, ...Object.fromEntries(missing) };
}

/** For fields that are values in Go: an empty string and a zero are filled in too. */
export function fillEmpty(value: Json, defaults: Json): Json {
  const empty = Object.entries(defaults).filter(([key]) => isEmpty(value[key]));
  return empty.length === 0 ? value : { ...value, ...Object.fromEntries(empty) };
}

/** The object with `change` applied to one member, if that member is an object. */
export function withObject(value: Json, key: string, change: (member: Json) => Json): Json {
  const member = value[key];
  return isRecord(member) ? { ...value, [key]: change(member) } : value;
}

/** The object with `change` applied to each item of one list. */
export function withItems(value: Json, key: string, change: (item: Json) => Json): Json {
  const list = value[key];
  if (!Array.isArray(list)) return value;
  return { ...value, [key]: list.map((item) => (isRecord(item) ? change(item) : item)) };
}

export function objectAt(value: Json, key: string): Json {
  const member = value[key];
  return isRecord(member) ? member : {};
}

export function itemsAt(value: Json, key: string): readonly Json[] {
  const list = value[key];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0;
}
