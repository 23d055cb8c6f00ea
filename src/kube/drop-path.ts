import { isRecord, setOwn } from './object.js';
import { parsePath } from './path.js';

/**
 * Removes the value at a path. Changes the object in place, except for the innermost one, which is copied. Walks
 * arrays.
 */
export type PathDropper = (root: object) => void;

export function pathDropper(path: string): PathDropper {
  const fields = parsePath(path);
  return (root) => void without(root, fields, 0);
}

/** The value without the path: itself, or a copy if it had the field. */
function without(value: unknown, fields: readonly string[], depth: number): unknown {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = without(value[i], fields, depth);
    return value;
  }
  const field = fields[depth];
  if (field === undefined || !isRecord(value) || !Object.hasOwn(value, field)) return value;
  if (depth === fields.length - 1 && depth > 0) {
    // Not `delete`: V8 turns the object into a hash table unless it was the last field, and packing takes twice as
    // long.
    const { [field]: _, ...rest } = value;
    return rest;
  }
  if (depth === fields.length - 1) {
    delete (value as Record<string, unknown>)[field];
    return value;
  }
  const before = value[field];
  const after = without(before, fields, depth + 1);
  if (after !== before) setOwn(value, field, after);
  return value;
}
