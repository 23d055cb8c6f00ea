import type { KubernetesObject } from '../kube/object.js';
import { controllerUidsOf } from '../kube/owner-reference.js';
import { parsePath, valuesAtPath } from '../kube/path.js';
import type { Entry } from './entry.js';

/**
 * Returns an entry's values in an index (client-go's IndexFunc). Reading `entry.object` may decode it, so prefer a
 * path, which a worker evaluates while it decodes the object. May throw: the entry is then left out of that index, and
 * the error is reported.
 */
export type IndexFunction<T extends KubernetesObject> = (entry: Entry<T>) => readonly string[];

/** Index name → path or function. */
export type Indexers<T extends KubernetesObject> = Readonly<Record<string, string | IndexFunction<T>>>;

/** client-go's NamespaceIndex, which every informer has. */
export const NAMESPACE_INDEX = 'namespace';

/** client-go's MetaNamespaceIndexFunc. */
export function namespaceIndexFunction(entry: Entry): readonly string[] {
  return [entry.namespace];
}

/**
 * The uid of the object's controller: the owner reference with `controller: true`. As an indexer of an informer it is
 * evaluated by a worker, while it decodes the object; `owns` and `lister.controlledBy` need it.
 */
export function controllerUid(entry: Entry): readonly string[] {
  return controllerUidsOf(entry.object);
}

export function indexFunctions<T extends KubernetesObject>(
  indexers: Indexers<T>,
): Map<string, IndexFunction<T>> {
  return new Map(
    Object.entries(indexers).map(([name, indexer]) => [
      name,
      typeof indexer === 'string' ? pathIndexFunction(indexer) : indexer,
    ]),
  );
}

function pathIndexFunction<T extends KubernetesObject>(path: string): IndexFunction<T> {
  const fields = parsePath(path);
  return (entry) => valuesAtPath(entry.object, fields);
}
