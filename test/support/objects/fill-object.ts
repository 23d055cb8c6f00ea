/** Creates objects with as many fields as the schema has and the server's validation accepts. */

import { protobufMessageOfKind } from '#dist/src/kube/protobuf-schema/protobuf-kind.js';
import { type ProtobufField, protobufMessage } from '#dist/src/kube/protobuf-schema/protobuf-message.js';
import type { ApiClient, ApiResponse } from '../../conformance/harness/client.js';
import { MERGE_PATCH } from '../../conformance/harness/sandbox.js';
import { type KindExample, objectOf, pathOf } from './every-kind.js';

type Json = Record<string, unknown>;

interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

interface Status {
  readonly details?: { readonly causes?: readonly Cause[] };
}

/** Messages nested deeper than this are omitted: every type also occurs at a lower depth, or in a schema. */
const MAX_DEPTH = 9;
/** The number of error responses that are used to remove fields, before the plain example is sent. */
const MAX_ROUNDS = 300;

/** Fields that make a server wait for a decision, or that prevent deletion. */
const LEFT_ALONE = new Set(['metadata', 'status', 'kind', 'apiVersion']);

/** Fields that name objects that admission requires, or that only the server may set. */
const NOT_FILLED = new Set([
  'runtimeClassName',
  'hostProcess',
  'hostPID',
  'clusterIP',
  'clusterIPs',
  'volumeAttributesClassName',
  'priorityClassName',
  'priority',
  'overhead',
  'ephemeralContainers',
  'schedulingGroup',
]);

/** Fields that hold nearly everything: too much to remove because of one error. */
const WHOLE = new Set(['spec', 'template', 'containers']);

const METADATA: Json = {
  annotations: { 'example.test/note': '<é 🚀>', 'example.test/empty': '' },
  ownerReferences: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid: 'b1e3f6a0-0000-4000-8000-000000000001',
      controller: true,
    },
  ],
};

/** Creates the object with the given name and all fields that the server accepts; returns the number of fields. */
export async function createFilled(api: ApiClient, example: KindExample, name: string): Promise<number> {
  const path = pathOf(example, example.isNamespaced ? name : undefined);
  const base = objectOf(example, name) as Json;
  const message = protobufMessageOfKind(example.apiVersion, example.kind);
  if (message === undefined) throw new Error(`no message for ${example.kind}`);
  const filled = over(fillMessage(message, 0), base);
  filled['metadata'] = { ...METADATA, ...(base['metadata'] as Json) };
  const send = (object: Json): Promise<ApiResponse> => api.request('POST', path, { body: object });
  const created = await negotiateFields(filled, base, send);
  if (created === undefined) throw new Error(`${example.kind} cannot be created`);
  await fillStatus(api, `${path}/${name}`, message);
  return countFields(created);
}

/** For kinds with a writable status. */
async function fillStatus(api: ApiClient, path: string, message: string): Promise<void> {
  const field = protobufMessage(message).fields.find(({ name }) => name === 'status');
  if (field?.message === undefined) return;
  const { json } = await api.get(path);
  const base = { status: (json as unknown as Json)['status'] ?? {} };
  const status = over(fillMessage(field.message, 1), base.status as Json);
  // The server's own controllers may write concurrently: a patch needs no resource version.
  await negotiateFields({ status }, base, (body) =>
    api.request('PATCH', `${path}/status`, { body, headers: { 'Content-Type': MERGE_PATCH } }),
  );
}

/** Sends the object until it is accepted, without the fields that errors name, at last the plain example; undefined if it is never accepted. */
async function negotiateFields(
  object: Json,
  base: Json,
  send: (object: Json) => Promise<ApiResponse>,
): Promise<Json | undefined> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = await send(object);
    if (answer.status === 200 || answer.status === 201) return object;
    if (answer.status === 404 || answer.status === 405) return undefined;
    const before = JSON.stringify(object);
    const { details } = answer.json as unknown as Status;
    const { exact, vague } = advice(object, details?.causes ?? []);
    for (const cause of exact) follow(object, base, cause);
    for (const cause of vague) if (JSON.stringify(object) === before) follow(object, base, cause);
    if (JSON.stringify(object) === before) {
      // An error that names no field: removes one part after the other.
      const part = dropLargest(object, base);
      if (part === undefined) break;
    }
  }
  return (await send(base)).status < 300 ? base : undefined;
}

interface Advice extends Cause {
  readonly path: readonly string[];
}

/**
 * Exact causes name a field that exists; of these the deepest count, since an error of a field is often repeated for its
 * parents. The others are tried one by one if no exact cause helps.
 */
function advice(object: Json, causes: readonly Cause[]): { exact: Advice[]; vague: Advice[] } {
  const all = causes.map((cause) => ({
    ...cause,
    path: [...(cause.field ?? '').matchAll(/[^.[\]]+/g)].map(([part]) => part.replaceAll('"', '')),
  }));
  const there = all.filter(({ path }) => isIn(object, path));
  const isHolder = ({ path }: Advice): boolean =>
    there.some((other) => other.path.length > path.length && path.every((part, k) => other.path[k] === part));
  const deepest = there.filter((candidate) => !isHolder(candidate));
  const unique = new Map(deepest.map((candidate) => [candidate.path.join(), candidate]));
  // List items from the last to the first, since they may be removed.
  return { exact: [...unique.values()].reverse(), vague: all };
}

/** Sets a value that the error names as supported, else removes the field, else its parent. */
function follow(object: Json, base: Json, { reason, message = '', path }: Advice): void {
  const supported = /supported values: "([^"]+)"/.exec(message)?.[1];
  if (reason === 'FieldValueNotSupported' && supported !== undefined && set(object, path, supported)) return;
  for (let length = path.length; length > 0; length--) {
    const part = path.slice(0, length);
    if (isIn(base, part)) {
      // Keeps the fields of the example, and removes generated ones.
      if (!restore(object, base, part)) restore(object, base, part.slice(0, -1));
      return;
    } else if (remove(object, part)) return;
  }
}

function parentOf(object: Json, path: readonly string[]): Json | undefined {
  let place: unknown = object;
  for (const part of path.slice(0, -1))
    place = typeof place === 'object' && place !== null ? (place as Json)[part] : undefined;
  return typeof place === 'object' && place !== null ? (place as Json) : undefined;
}

function isIn(object: Json, path: readonly string[]): boolean {
  const parent = parentOf(object, path);
  return parent !== undefined && Object.hasOwn(parent, path.at(-1) ?? '');
}

function set(object: Json, path: readonly string[], value: string): boolean {
  const parent = parentOf(object, path);
  const last = path.at(-1) ?? '';
  if (typeof parent?.[last] !== 'string' || parent[last] === value) return false;
  parent[last] = value;
  return true;
}

function remove(object: Json, path: readonly string[]): boolean {
  const parent = parentOf(object, path);
  const last = path.at(-1) ?? '';
  if (parent === undefined || !Object.hasOwn(parent, last)) return false;
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return true;
}

function restore(object: Json, base: Json, path: readonly string[]): boolean {
  if (path.length === 0 || WHOLE.has(path.at(-1) ?? '')) return false;
  const parent = parentOf(object, path);
  const original = parentOf(base, path)?.[path.at(-1) ?? ''];
  const last = path.at(-1) ?? '';
  if (parent === undefined || JSON.stringify(parent[last]) === JSON.stringify(original)) return false;
  parent[last] = structuredClone(original);
  return true;
}

function dropLargest(object: Json, base: Json): string | undefined {
  const [largest] = ['spec', 'status', ...Object.keys(object)]
    .flatMap((key): (readonly string[])[] => {
      const part = object[key];
      if (LEFT_ALONE.has(key) && key !== 'status') return [];
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return [[key]];
      return Object.keys(part).map((inner) => [key, inner]);
    })
    .filter((path) => isIn(object, path) && !isIn(base, path))
    .toSorted((a, b) => sizeAt(object, b) - sizeAt(object, a));
  if (largest === undefined) return undefined;
  remove(object, largest);
  return largest.join('.');
}

function sizeAt(object: Json, path: readonly string[]): number {
  return JSON.stringify(parentOf(object, path)?.[path.at(-1) ?? ''] ?? '').length;
}

/** Fields of the example take precedence; its lists are filled item by item. */
function over(filled: Json, example: Json): Json {
  const result: Json = { ...filled };
  for (const [key, value] of Object.entries(example)) result[key] = merged(filled[key], value);
  return result;
}

function merged(filled: unknown, example: unknown): unknown {
  if (Array.isArray(example)) {
    const [model] = Array.isArray(filled) ? filled : [];
    return example.map((item) => merged(structuredClone(model), item));
  }
  const areObjects = [filled, example].every((value) => typeof value === 'object' && value !== null);
  return areObjects && !Array.isArray(filled)
    ? over(filled as Json, example as Json)
    : structuredClone(example);
}

function fillMessage(name: string, depth: number): Json {
  const object: Json = {};
  for (const field of protobufMessage(name).fields) {
    if ((depth === 0 && LEFT_ALONE.has(field.name)) || NOT_FILLED.has(field.name)) continue;
    const value = fillField(field, depth);
    if (value === undefined) continue;
    if (field.isInlined) Object.assign(object, value);
    else object[field.name] = value;
  }
  return object;
}

function fillField(field: ProtobufField, depth: number): unknown {
  const value = fillValue(field, depth);
  if (value === undefined) return undefined;
  if (field.container === 'list') return [value];
  if (field.container !== 'map') return value;
  return { [field.type === 'quantity' ? 'cpu' : 'example']: value };
}

function fillValue({ name, type, message }: ProtobufField, depth: number): unknown {
  switch (type) {
    case 'string':
      return /(ip|address)$/i.test(name) ? '10.0.0.1' : /path$/i.test(name) ? '/example' : 'example';
    case 'bool':
      return true;
    case 'int32':
    case 'int64':
      return 3;
    case 'float64':
      return 1.5;
    case 'bytes':
      return 'AP8B';
    case 'time':
      return '2026-11-17T10:20:30Z';
    case 'micro-time':
      return '2026-11-17T10:20:30.123456Z';
    case 'quantity':
      return '1500m';
    case 'int-or-string':
      return '50%';
    case 'raw-extension':
    case 'raw-json':
      return { example: ['é', 1.5, null, {}] };
    case 'string-list':
      return ['example'];
    case 'message':
      return depth >= MAX_DEPTH ? undefined : fillMessage(message ?? '', depth + 1);
    default:
      return undefined;
  }
}

export function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + 1 + countFields(member), 0);
}
