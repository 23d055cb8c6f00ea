import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from './entry.js';

/** The header of one entry with another object. Index values are computed again, from the new object. */
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
