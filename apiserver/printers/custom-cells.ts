/** The table cells of custom resources: the values at the JSONPath of each printer column. */

import { encodeJson, isRecord, LongInteger } from '../json.js';
import type { PrinterColumn } from '../resources/resource.js';
import { ageSince } from './human-duration.js';

type Step = (value: unknown) => readonly unknown[];

/** One cell for each column; null where there is nothing to show. */
export function customCells(object: unknown, columns: readonly PrinterColumn[], nowMs: number): unknown[] {
  return columns.map((column) => cellOf(column.type, findFirst(object, column.jsonPath), nowMs));
}

function cellOf(type: string, value: unknown, nowMs: number): unknown {
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return printed(value);
    case 'integer':
      if (value instanceof LongInteger) return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || value instanceof LongInteger ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageSince(value, nowMs);
    default:
      return null;
  }
}

function printed(value: unknown): string {
  if (typeof value === 'string') return value;
  return encodeJson(value);
}

function findFirst(object: unknown, jsonPath: string): unknown {
  return parseJsonPath(jsonPath).reduce<readonly unknown[]>(
    (found, step) => found.flatMap(step),
    [object],
  )[0];
}

/** The part of JSONPath that printer columns use: fields, quoted keys, indices, `*` and a filter by equality. */
function parseJsonPath(path: string): Step[] {
  const tokens = path.matchAll(
    /\.((?:\\.|[^.[\\])+)|\[(-?\d+)\]|\[\*\]|\['((?:\\.|[^'\\])*)'\]|\[\?\(@((?:\.[\w-]+)+)\s*==\s*(?:"([^"]*)"|'([^']*)'|([^)]*))\)\]/g,
  );
  return [...tokens].map(([token, field, index, key, filterPath, doubleQuoted, singleQuoted, bare]): Step => {
    if (field === '*' || token === '[*]') return children;
    if (field !== undefined) return member(unescaped(field));
    if (index !== undefined) return item(Number(index));
    if (key !== undefined) return member(unescaped(key));
    return matching(filterPath ?? '', doubleQuoted ?? singleQuoted ?? bare?.trim() ?? '');
  });
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function member(key: string): Step {
  return (value) => (isRecord(value) && Object.hasOwn(value, key) ? [value[key]] : []);
}

function item(index: number): Step {
  return (value) => {
    const found = Array.isArray(value) ? value.at(index) : undefined;
    return found === undefined ? [] : [found];
  };
}

function matching(path: string, expected: string): Step {
  return (value) =>
    children(value).filter((one) => {
      const found = findFirst(one, path);
      return found !== undefined && printed(found) === expected;
    });
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, '$1');
}
