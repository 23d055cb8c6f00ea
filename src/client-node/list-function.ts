import { keyOfObject } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { PlainList } from '../reflector/lister-watcher-funcs.js';
import type { IndexReader } from '../store/indexer.js';
import type { ListPromise } from './informer.js';
import { wireForm } from './wire-form.js';

/** What the engine lists with in place of the path. As in client-node, what the function returns is all there is: page tokens are not followed. */
export async function plainList<T extends KubernetesObject>(listFn: ListPromise<T>): Promise<PlainList<T>> {
  const list = wireForm(await listFn()) as PlainList<T>;
  const { resourceVersion } = list.metadata ?? {};
  return { ...list, metadata: resourceVersion === undefined ? {} : { resourceVersion } };
}

/** How many objects the list function leaves out that are stored. What comes or goes while it lists does not count. */
export async function leftOut<T extends KubernetesObject>(
  listFn: ListPromise<T>,
  reader: IndexReader<T>,
): Promise<number> {
  const stored = reader.listKeys();
  const { items } = await listFn();
  const listed = new Set<string>(items.map(keyOfObject));
  return stored.filter((key) => reader.has(key) && !listed.has(key)).length;
}
