import { parsePath } from '../../src/kube/path.js';
import { isRecord } from './rejected-object.js';

/** Removes what stands under a path, in place but for the object that held it. Arrays on the way are walked. */
export type PathDropper = (root: object) => void;

export function pathDropper(path: string): PathDropper {
  const fields = parsePath(path);
  return (root) => void without(root, fields, 0);
}

/** The value without what the path names: itself, or a copy if it had the field. */
function without(value: unknown, fields: readonly string[], depth: number): unknown {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = without(value[i], fields, depth);
    return value;
  }
  const field = fields[depth];
  if (field === undefined || !isRecord(value) || !Object.hasOwn(value, field)) return value;
  if (depth === fields.length - 1 && depth > 0) {
    // Not `delete`: unless it was the last one, V8 makes a hash table of the object, and packing it takes twice as long.
    const { [field]: _, ...rest } = value;
    return rest;
  }
  if (depth === fields.length - 1) {
    delete (value as Record<string, unknown>)[field];
    return value;
  }
  const before = value[field];
  const after = without(before, fields, depth + 1);
  if (after !== before) put(value, field, after);
  return value;
}

function put(object: object, field: string, value: unknown): void {
  if (field === '__proto__') {
    Object.defineProperty(object, field, { value, writable: true, enumerable: true, configurable: true });
  } else (object as Record<string, unknown>)[field] = value;
}
