import { keyOfObject } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { PlainList } from '../reflector/lister-watcher-funcs.js';
import type { IndexReader } from '../store/indexer.js';
import type { ListPromise } from './informer.js';

/**
 * Lists by the user's function. As in client-node, its result is the complete collection: continue tokens are not
 * followed.
 */
export async function plainList<T extends KubernetesObject>(listFn: ListPromise<T>): Promise<PlainList<T>> {
  const list = wireForm(await listFn()) as PlainList<T>;
  const { resourceVersion } = list.metadata ?? {};
  return { ...list, metadata: resourceVersion === undefined ? {} : { resourceVersion } };
}

/** How many stored objects the list function does not return, apart from those deleted meanwhile. */
export async function missingFromList<T extends KubernetesObject>(
  listFn: ListPromise<T>,
  reader: IndexReader<T>,
): Promise<number> {
  const stored = reader.listKeys();
  const { items } = await listFn();
  const listed = new Set<string>(items.map(keyOfObject));
  return stored.filter((key) => reader.has(key) && !listed.has(key)).length;
}

/** One row of `getAttributeTypeMap`, which every class of client-node's models has. */
interface Attribute {
  readonly name: string;
  readonly baseName: string;
}

interface Model {
  readonly getAttributeTypeMap?: () => readonly Attribute[];
}

/**
 * Converts the result of client-node's list functions back to the wire format: plain objects, the API's field names
 * (its classes have `_continue` for `continue`), strings for dates.
 */
export function wireForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wireForm);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  const model = value.constructor as Model | undefined;
  const names = new Map(model?.getAttributeTypeMap?.().map(({ name, baseName }) => [name, baseName]));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [names.get(name) ?? name, wireForm(field)]));
}
