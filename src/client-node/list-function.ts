import { keyOfObject } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import { plainCopy } from '../kube/plain-copy.js';
import type { PlainList } from '../reflector/lister-watcher-funcs.js';
import type { IndexReader } from '../store/indexer.js';
import type { ListPromise } from './informer.js';

/**
 * Lists by the user's function. As in client-node, its result is the complete collection: continue tokens are not
 * followed.
 */
export async function plainList<T extends KubernetesObject>(listFn: ListPromise<T>): Promise<PlainList<T>> {
  const list = plainCopy<unknown>(await listFn()) as PlainList<T>;
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
