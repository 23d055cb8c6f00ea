/** Field paths in messages: `.spec.containers[name="main"].image`. */

import { isRecord, LongInteger, parseJson } from '../json.js';

/** Takes elements in `fieldsV1` format. */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join('');
}

export function printElement(element: string): string {
  if (element.startsWith('f:')) return `.${element.slice(2)}`;
  const value = parseJson(element.slice(2));
  if (!element.startsWith('k:') || !isRecord(value)) return `[=${printValue(value)}]`;
  const keys = Object.entries(value).map(([name, member]) => `${name}=${printValue(member)}`);
  return `[${keys.join(',')}]`;
}

function printValue(value: unknown): string {
  if (value instanceof LongInteger) return value.digits;
  return JSON.stringify(value);
}
