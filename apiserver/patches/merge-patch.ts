/**
 * JSON merge patch (RFC 7386), with the one deviation of kube-apiserver's library: nulls inside added values are
 * dropped, in lists too.
 */

import { isRecord } from '../json.js';

type Json = Readonly<Record<string, unknown>>;

export function mergePatch(target: Json, patch: Json): Record<string, unknown> {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergedMember(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergedMember(current: unknown, value: unknown): unknown {
  if (!isRecord(current)) return withoutNulls(value);
  return isRecord(value) ? mergePatch(current, value) : value;
}

/** Removes nulls at any depth. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}
