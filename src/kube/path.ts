import { KubeflectError } from '../util/errors.js';

/**
 * Splits a path such as `spec.nodeName` or `metadata.labels['app.kubernetes.io/name']` into its field names.
 * Names with dots are put in brackets and quotes.
 */
export function parsePath(path: string): readonly string[] {
  const fields: string[] = [];
  const token = /\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\.?([^.[\]'"]+)/y;
  let position = 0;
  while (position < path.length) {
    token.lastIndex = position;
    const match = token.exec(path);
    if (match === null || (position === 0 && path.startsWith('.'))) throw invalidPath(path);
    fields.push(match[3] ?? (match[1] ?? match[2] ?? '').replace(/\\(.)/g, '$1'));
    position = token.lastIndex;
    if (position < path.length && path[position] !== '.' && path[position] !== '[') throw invalidPath(path);
  }
  if (fields.length === 0) throw invalidPath(path);
  return fields;
}

/**
 * The values found under a path, as strings: none if a field is missing or null; one for a string, number or boolean;
 * one per element for an array on the way or at the end. Objects have no value.
 */
export function valuesAtPath(root: unknown, fields: readonly string[]): readonly string[] {
  const values: string[] = [];
  collect(root, fields, 0, values);
  return values;
}

function collect(value: unknown, fields: readonly string[], depth: number, values: string[]): void {
  if (Array.isArray(value)) {
    for (const element of value) collect(element, fields, depth, values);
    return;
  }
  const field = fields[depth];
  if (field === undefined) {
    if (typeof value === 'string') values.push(value);
    else if (typeof value === 'number' || typeof value === 'boolean') values.push(String(value));
    return;
  }
  // Own fields only: an object may lack a field called `constructor`.
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, field)) {
    collect((value as Record<string, unknown>)[field], fields, depth + 1, values);
  }
}

function invalidPath(path: string): KubeflectError {
  return new KubeflectError(
    'KUBEFLECT_OPTION_INVALID',
    `expected a path such as "spec.nodeName" or "metadata.labels['app']", received ${JSON.stringify(path)}`,
  );
}
