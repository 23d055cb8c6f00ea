import { type Key, metaNamespaceKey, nameOfObject } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from './entry.js';
import { type Indexers, indexFunctions } from './index-function.js';

export interface ObjectEntryOptions<T extends KubernetesObject> {
  /** Indexes to compute now. One whose function throws is left out; the indexer calls it again and reports. */
  readonly indexers?: Indexers<T>;
  /** client-go's KeyFunc. @default `namespace/name` */
  readonly keyFunction?: (object: T) => string;
}

/** An entry around a plain object: what a `ListerWatcherFuncs` of user functions, and tests, put into a store. */
export class ObjectEntry<T extends KubernetesObject = KubernetesObject> implements Entry<T> {
  readonly key: Key;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly object: T;
  readonly #indexValues: Map<string, readonly string[]> | undefined;

  /** Throws `KUBEFLECT_OBJECT_INVALID` if the object has no name. */
  constructor(object: T, options: ObjectEntryOptions<T> = {}) {
    const { namespace, name } = nameOfObject(object);
    this.namespace = namespace;
    this.name = name;
    this.key = options.keyFunction ? (options.keyFunction(object) as Key) : metaNamespaceKey(namespace, name);
    this.uid = object.metadata?.uid ?? '';
    this.resourceVersion = object.metadata?.resourceVersion ?? '';
    this.object = object;
    this.#indexValues = options.indexers && computeIndexValues(this, options.indexers);
  }

  indexValues(indexName: string): readonly string[] | undefined {
    return this.#indexValues?.get(indexName);
  }
}

function computeIndexValues<T extends KubernetesObject>(
  entry: Entry<T>,
  indexers: Indexers<T>,
): Map<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  for (const [indexName, indexFunction] of indexFunctions(indexers)) {
    try {
      values.set(indexName, indexFunction(entry));
    } catch {
      // Left out; see ObjectEntryOptions.indexers.
    }
  }
  return values;
}

/** The header of one entry with another object. Index values are computed anew, from the new object. */
export class TransformedEntry<T extends KubernetesObject> implements Entry<T> {
  readonly key: Key;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly object: T;

  constructor(header: Omit<Entry<T>, 'object' | 'indexValues'>, object: T) {
    this.key = header.key;
    this.namespace = header.namespace;
    this.name = header.name;
    this.uid = header.uid;
    this.resourceVersion = header.resourceVersion;
    this.object = object;
  }

  indexValues(_indexName: string): undefined {
    return undefined;
  }
}
