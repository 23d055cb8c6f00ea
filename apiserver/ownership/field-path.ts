/** Paths of fields in words: `.spec.containers[name="main"].image`. */

import { isRecord, LongInteger, parseJson } from '../json.js';

/** Of elements as `fieldsV1` spells them. */
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
