/**
 * Strategic merge patch, after k8s.io/apimachinery/pkg/util/strategicpatch (Apache-2.0): lists are merged by the
 * patchMergeKey of the Go structs.
 */

import { equalJson, isRecord, LongInteger } from '../json.js';
import { type FieldSchema, type Shape, structSchema } from '../schemas/struct-schema.js';
import { badRequest, StatusError } from '../status-error.js';
import { withoutNulls } from './merge-patch.js';

type Json = Readonly<Record<string, unknown>>;
type List = readonly unknown[];

interface ListMerge {
  readonly element: Shape;
  readonly mergeKey: string;
  readonly merges: boolean;
}

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const SET_ORDER = '$setElementOrder';

/** `struct` is the Go struct of the object's kind. Returns a new value. */
export function strategicMergePatch(target: Json, patch: Json, struct: string): Record<string, unknown> {
  return mergeMap(target, patch, { type: 'struct', name: struct, isAtomic: false });
}

function mergeMap(original: Json, patch: Json, shape: Shape): Record<string, unknown> {
  if (Object.hasOwn(patch, DIRECTIVE)) return mapByDirective(patch);
  const changes = new Map(Object.entries(patch));
  const merged = retainedKeys(original, changes);
  mergeOrderedLists(merged, changes, shape);
  for (const [patchKey, value] of changes) {
    const isDeleteList = patchKey.startsWith(DELETE_FROM_LIST);
    const key = isDeleteList ? keyBehind(patchKey, DELETE_FROM_LIST) : patchKey;
    if (value === null) {
      merged.delete(key);
      continue;
    }
    const current = merged.get(key);
    if (isRecord(current) && isRecord(value) && !isDeleteList) {
      const field = fieldOf(shape, key);
      merged.set(key, field.patch.replaces ? value : mergeMap(current, value, field.shape));
    } else if (Array.isArray(current) && Array.isArray(value)) {
      merged.set(key, mergeList(current, value, listMergeOf(shape, key), isDeleteList));
    } else if (!isDeleteList) {
      const kept = withoutDirectives(withoutNulls(value));
      if (kept === undefined) merged.delete(key);
      else merged.set(key, kept);
    }
  }
  return Object.fromEntries(merged);
}

function mapByDirective(patch: Json): Record<string, unknown> {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw failure(`unknown patch type: ${printed(directive)} in map: ${printed(patch)}`);
}

/** `$retainKeys` lists all keys that stay; it is removed from `changes`. */
function retainedKeys(original: Json, changes: Map<string, unknown>): Map<string, unknown> {
  const merged = new Map(Object.entries(original));
  if (!changes.has(RETAIN_KEYS)) return merged;
  const retained = changes.get(RETAIN_KEYS);
  changes.delete(RETAIN_KEYS);
  if (!Array.isArray(retained)) throw badRequest('invalid patch format of retainKeys');
  for (const [key, value] of changes) {
    const isDirective = key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER);
    if (value === null || isDirective || retained.includes(key)) continue;
    throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of [...merged.keys()]) if (!retained.includes(key)) merged.delete(key);
  return merged;
}

/** Merges the lists that have a `$setElementOrder`, and removes both from `changes`. */
function mergeOrderedLists(merged: Map<string, unknown>, changes: Map<string, unknown>, shape: Shape): void {
  for (const [orderKey, order] of [...changes].filter(([key]) => key.startsWith(SET_ORDER))) {
    changes.delete(orderKey);
    if (!Array.isArray(order)) throw badArgument('[]interface {}', order);
    const key = keyBehind(orderKey, SET_ORDER);
    const current = merged.get(key);
    const patch = changes.get(key);
    if (current !== undefined && !Array.isArray(current)) throw badArgument('[]interface {}', current);
    if (patch !== undefined && !Array.isArray(patch)) throw badArgument('[]interface {}', patch);
    const rule = listMergeOf(shape, key);
    checkOrder(patch ?? [], order, rule.mergeKey);
    if (current === undefined && patch === undefined) continue;
    const list =
      patch === undefined
        ? (current ?? [])
        : current === undefined
          ? (withoutDirectives(patch) as List)
          : mergeList(current, patch, rule, false);
    merged.set(key, inOrder(list, order, current ?? [], rule.mergeKey));
    changes.delete(key);
  }
}

function mergeList(original: List, patch: List, rule: ListMerge, isDeleteList: boolean): List {
  if (!rule.merges && !isDeleteList) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  const hasMaps = checkElements([...original, ...patch]) === 'map';
  if (!hasMaps && isDeleteList) return original.filter((item) => !includes(patch, item));
  if (!hasMaps) {
    const both = [...original, ...patch];
    const merged = both.filter((item, at) => both.findIndex((other) => equalJson(item, other)) === at);
    return inOrder(merged, patch, original, '');
  }
  if (rule.mergeKey === '') throw failure('cannot merge lists without merge key for struct');
  const special = applyElementDirectives(original, patch as readonly Json[], rule.mergeKey);
  const merged = mergeElements(special.original, special.patch, rule);
  return inOrder(merged, special.patch, special.original, rule.mergeKey);
}

function applyElementDirectives(
  original: List,
  patch: readonly Json[],
  mergeKey: string,
): { original: List; patch: readonly Json[] } {
  let kept = original;
  let hasReplace = false;
  for (const item of patch.filter((item) => Object.hasOwn(item, DIRECTIVE))) {
    switch (item[DIRECTIVE]) {
      case 'delete': {
        const value = keyOf(item, mergeKey);
        kept = kept.filter((other) => !(isRecord(other) && equalJson(other[mergeKey], value)));
        break;
      }
      case 'replace':
        hasReplace = true;
        break;
      case 'merge':
        throw failure('merging lists cannot yet be specified in the patch');
      default:
        throw failure(`unknown patch type: ${printed(item[DIRECTIVE])} in map: ${printed(item)}`);
    }
  }
  const plain = patch.filter((item) => !Object.hasOwn(item, DIRECTIVE));
  return hasReplace ? { original: plain, patch: [] } : { original: kept, patch: plain };
}

function mergeElements(original: List, patch: readonly Json[], { mergeKey, element }: ListMerge): List {
  const merged = [...original] as Json[];
  for (const item of patch) {
    const value = keyOf(item, mergeKey);
    const at = merged.findIndex((other) => equalJson(other[mergeKey], value));
    const current = merged[at];
    if (current === undefined) merged.push(item);
    else merged[at] = mergeMap(current, item, element);
  }
  return merged;
}

/** Items of `order` in that order; the others as close as possible to their position on the server. */
function inOrder(items: List, order: List, serverOrder: List, mergeKey: string): List {
  const value = (item: unknown): unknown =>
    mergeKey === '' ? item : isRecord(item) ? keyOf(item, mergeKey) : item;
  const indexIn = (list: List, item: unknown): number =>
    list.findIndex((other) => equalJson(value(other), value(item)));
  const by =
    (list: List) =>
    (a: unknown, b: unknown): number =>
      indexIn(list, a) - indexIn(list, b);
  const ordered = items.filter((item) => indexIn(order, item) >= 0).sort(by(order));
  const others = items.filter((item) => indexIn(order, item) < 0).sort(by(serverOrder));
  const result: unknown[] = [];
  while (ordered.length > 0 && others.length > 0) {
    const left = indexIn(serverOrder, others[0]);
    const right = indexIn(serverOrder, ordered[0]);
    result.push(left >= 0 && right >= 0 && left < right ? others.shift() : ordered.shift());
  }
  return [...result, ...ordered, ...others];
}

/** The items of a patch must be in the order of its `$setElementOrder`. */
function checkOrder(patch: List, order: List, mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = patch.filter((item) => !(isRecord(item) && Object.hasOwn(item, DIRECTIVE)));
  const value = (item: unknown): unknown =>
    mergeKey === '' || !isRecord(item) ? item : keyOf(item, mergeKey);
  let at = 0;
  for (const expected of order) {
    if (at < items.length && equalJson(value(items[at]), value(expected))) at++;
  }
  if (at < items.length) {
    throw failure(
      `The order in patch list:\n${printed(patch)}\n doesn't match ${SET_ORDER} list:\n${printed(order)}\n`,
    );
  }
}

function checkElements(items: List): 'map' | 'scalar' {
  const kinds = new Set(
    items.map((item) => (isRecord(item) ? 'map' : Array.isArray(item) ? 'list' : 'scalar')),
  );
  if (kinds.has('list')) {
    throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
      details: {},
    });
  }
  if (kinds.size > 1) throw failure(`list element types are not identical: ${printed([items])}`);
  return kinds.has('map') ? 'map' : 'scalar';
}

function fieldOf(shape: Shape, key: string): FieldSchema {
  if (shape.type !== 'struct') {
    throw failure(`merging an object in json but data type is not struct, instead is: ${goKind(shape)}`);
  }
  const field = structSchema(shape.name).get(key);
  if (field !== undefined) return field;
  const struct = shape.name.split('.').at(-1);
  throw failure(`unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`);
}

function listMergeOf(shape: Shape, key: string): ListMerge {
  const { shape: list, patch } = fieldOf(shape, key);
  const element: Shape = list.type === 'list' ? list.element : { type: 'scalar', scalar: 'any' };
  return { element, mergeKey: patch.mergeKey, merges: patch.merges };
}

function goKind(shape: Shape): string {
  if (shape.type === 'map') return 'map';
  return shape.type === 'list' ? 'slice' : 'string';
}

function keyBehind(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  const list = prefix === SET_ORDER ? 'setElementOrder' : 'primitive';
  throw badRequest(`invalid patch format of ${list} list`);
}

function keyOf(item: Json, mergeKey: string): unknown {
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  throw failure(`map: ${printed(item)} does not contain declared merge key: ${mergeKey}`);
}

function includes(list: List, item: unknown): boolean {
  return list.some((other) => equalJson(other, item));
}

/** Undefined if the value consists only of directives. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, withoutDirectives(member)] as const)
      .filter(([, member]) => member !== undefined),
  );
}

/** As Go prints with %v. */
function printed(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (value instanceof LongInteger) return value.digits;
  if (!isRecord(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${printed(value[key])}`).join(' ')}]`;
}

/** kube-apiserver does not convert these errors: they are a 500 without a reason. */
function failure(message: string): StatusError {
  return new StatusError(500, undefined, message);
}

function badArgument(expected: string, actual: unknown): StatusError {
  const type = isRecord(actual)
    ? 'map[string]interface {}'
    : Array.isArray(actual)
      ? '[]interface {}'
      : typeof actual;
  return failure(`expected a ${expected}, but received a ${type}`);
}
