/**
 * JSON patch (RFC 6902) as github.com/evanphx/json-patch applies it: `replace` may add a member, indices may be
 * negative.
 */

import { equalJson, isRecord } from '../json.js';

/** Thrown for operations that cannot be applied; kube-apiserver does not tell the client why. */
export class InapplicablePatchError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'InapplicablePatchError';
  }
}

type Operation = Readonly<Record<string, unknown>>;
type Container = Map<string, unknown> | unknown[];

/** Returns a new value; does not change its arguments. */
export function jsonPatch(target: unknown, operations: readonly Operation[]): unknown {
  let document = thaw(target);
  for (const operation of operations) document = applyOperation(document, operation);
  return freeze(document);
}

function applyOperation(document: unknown, operation: Operation): unknown {
  const path = pointer(operation, 'path');
  switch (operation['op']) {
    case 'add':
      place(locate(document, path), valueIn(operation));
      return document;
    case 'remove':
      remove(locate(document, path));
      return document;
    case 'replace':
      if (path === '') return wholeDocument(operation);
      replace(locate(document, path), valueIn(operation));
      return document;
    case 'move': {
      const from = locate(document, pointer(operation, 'from'));
      const value = read(from);
      remove(from);
      place(locate(document, path), value);
      return document;
    }
    case 'copy': {
      const value = read(locate(document, pointer(operation, 'from')));
      place(locate(document, path), thaw(freeze(value) ?? null));
      return document;
    }
    case 'test': {
      const found = path === '' ? document : read(locate(document, path));
      // A missing member equals both null and a missing value.
      if (equalJson(freeze(found) ?? null, operation['value'] ?? null)) return document;
      throw new InapplicablePatchError(`testing value ${path} failed`);
    }
    default:
      throw new InapplicablePatchError(`unexpected kind: ${String(operation['op'])}`);
  }
}

interface Location {
  readonly container: Container;
  readonly key: string;
}

function locate(document: unknown, path: string): Location {
  const [first, ...tokens] = path.split('/');
  if (first === undefined || tokens.length === 0) throw new InapplicablePatchError(`missing path: ${path}`);
  const keys = tokens.map((token) => token.replace(/~[01]/g, (tilde) => (tilde === '~1' ? '/' : '~')));
  let container = document;
  for (const key of keys.slice(0, -1)) {
    if (!isContainer(container)) throw new InapplicablePatchError(`missing path: ${path}`);
    container = read({ container, key });
  }
  if (!isContainer(container)) throw new InapplicablePatchError(`missing path: ${path}`);
  return { container, key: keys.at(-1) ?? '' };
}

function read({ container, key }: Location): unknown {
  if (container instanceof Map) return container.get(key);
  return container[existingIndex(container, key)];
}

function place({ container, key }: Location, value: unknown): void {
  if (container instanceof Map) container.set(key, value);
  else if (key === '-') container.push(value);
  else container.splice(index(key, container.length + 1), 0, value);
}

function replace({ container, key }: Location, value: unknown): void {
  if (container instanceof Map) container.set(key, value);
  else container[existingIndex(container, key)] = value;
}

function remove({ container, key }: Location): void {
  if (Array.isArray(container)) container.splice(existingIndex(container, key), 1);
  else if (!container.delete(key))
    throw new InapplicablePatchError(`unable to remove nonexistent key: ${key}`);
}

function existingIndex(list: readonly unknown[], key: string): number {
  return index(key, list.length);
}

/** A negative index counts from the end. */
function index(key: string, size: number): number {
  const number = /^[+-]?[0-9]+$/.test(key) ? Number(key) : Number.NaN;
  if (!(number >= -size && number < size))
    throw new InapplicablePatchError(`invalid index referenced: ${key}`);
  return number < 0 ? number + size : number;
}

function pointer(operation: Operation, field: 'path' | 'from'): string {
  const value = operation[field];
  if (typeof value !== 'string') throw new InapplicablePatchError(`operation missing ${field} field`);
  return value;
}

function valueIn(operation: Operation): unknown {
  return thaw(operation['value'] ?? null);
}

function wholeDocument(operation: Operation): unknown {
  const value = valueIn(operation);
  if (!isContainer(value))
    throw new InapplicablePatchError('replace operation value must be object or array');
  return value;
}

function isContainer(value: unknown): value is Container {
  return value instanceof Map || Array.isArray(value);
}

/** A mutable copy with objects as maps, in which no key is special. */
function thaw(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(thaw);
  if (!isRecord(value)) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, thaw(member)]));
}

function freeze(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(freeze);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, member]) => [key, freeze(member)]));
}
