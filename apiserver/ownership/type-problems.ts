/** Type errors of an applied object, with the messages of sigs.k8s.io/structured-merge-diff (Apache-2.0). */

import { isRecord, LongInteger } from '../json.js';
import { printElement } from './field-path.js';
import { itemElement } from './list-items.js';
import { fieldOf, type Ownership } from './ownership-schema.js';

type List = Extract<Ownership, { type: 'list' }>;

/** Each with its path; empty when the object can be applied. */
export function typeProblems(value: unknown, ownership: Ownership, path = ''): readonly string[] {
  if (value === null || value === undefined) return [];
  switch (ownership.type) {
    case 'scalar':
      return scalarProblems(value, ownership.scalar).map((message) => `${path}: ${message}`);
    case 'fields':
      if (!isRecord(value)) return [`${path}: expected map, got &{${printed(value)}}`];
      return fieldProblems(value, ownership, path);
    case 'list':
      if (!Array.isArray(value)) return [`${path}: expected list, got &{${printed(value)}}`];
      return itemProblems(value, ownership, path);
    default:
      return [];
  }
}

function fieldProblems(
  value: Readonly<Record<string, unknown>>,
  ownership: Ownership,
  path: string,
): readonly string[] {
  const problems: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const place = `${path}.${key}`;
    const field = fieldOf(ownership, key);
    // As in kube-apiserver, the first problem ends the check of this level.
    if (field === undefined) return [...problems, `${place}: field not declared in schema`];
    problems.push(...typeProblems(member, field, place));
  }
  return problems;
}

function itemProblems(list: readonly unknown[], ownership: List, path: string): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    if (ownership.relation === 'atomic') {
      problems.push(...typeProblems(item, ownership.element, `${path}[${index}]`));
      continue;
    }
    const message = identityProblem(item, ownership);
    if (message !== undefined) return [...problems, `${path}: element ${index}: ${message}`];
    const element = itemElement(item, ownership);
    const printedElement = printElement(element);
    if (seen.has(element)) problems.push(`${path}: duplicate entries for key ${printedElement}`);
    seen.add(element);
    problems.push(...typeProblems(item, ownership.element, path + printedElement));
  }
  return problems;
}

/** Why an item has no valid key. */
function identityProblem(item: unknown, { relation, keys }: List): string | undefined {
  if (relation === 'set') {
    const message = "associative list without keys has an element that's";
    if (item === null) return `${message} an explicit null`;
    if (isRecord(item)) return `${message} a map type`;
    return Array.isArray(item) ? 'not supported: associative list with lists as elements' : undefined;
  }
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isRecord(item)) return 'associative list with keys may not have non-map elements';
  const hasKey = keys.some((key) => Object.hasOwn(item, key.name) || key.default !== undefined);
  if (hasKey || keys.length === 0) return undefined;
  const names = keys.map(({ name }) => JSON.stringify(name)).join(' ');
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
}

function scalarProblems(value: unknown, scalar: string): readonly string[] {
  const isNumber = typeof value === 'number' || value instanceof LongInteger;
  switch (scalar) {
    case 'string':
      if (typeof value === 'string') return [];
      return [`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`];
    case 'numeric':
      return isNumber ? [] : [`expected numeric (int or float), got ${goTypeOf(value)}`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`expected boolean, got &{${printed(value)}}`];
    default:
      return isRecord(value) || Array.isArray(value) ? [`expected any scalar, got &{${printed(value)}}`] : [];
  }
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isRecord(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** As Go's %v prints it. */
function printed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (isRecord(value))
    return `map[${sortedEntries(value, ([key, member]) => `${key}:${printed(member)}`).join(' ')}]`;
  if (value instanceof LongInteger) return value.digits;
  return value === null ? '<nil>' : String(value);
}

/** As Go's %#v prints it. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isRecord(value)) {
    const members = sortedEntries(value, ([key, member]) => `${JSON.stringify(key)}:${goSyntax(member)}`);
    return `map[string]interface {}{${members.join(', ')}}`;
  }
  if (value instanceof LongInteger) return value.digits;
  return value === null ? 'interface {}(nil)' : JSON.stringify(value);
}

function sortedEntries(
  value: Readonly<Record<string, unknown>>,
  print: (entry: [string, unknown]) => string,
): string[] {
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(print);
}
