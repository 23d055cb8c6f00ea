import type { KubernetesObject } from '../kube/object.js';
import { KubeflectError } from '../util/errors.js';
import type { SliceScheduler } from '../util/slice-scheduler.js';
import type { Entry } from './entry.js';
import { controllerUid, NAMESPACE_INDEX } from './index-function.js';
import type { IndexReader } from './indexer.js';

export interface ListerFilter {
  readonly namespace?: string;
  /** Every label must have this value. Reads, and so decodes, the objects. */
  readonly matchLabels?: Readonly<Record<string, string>>;
}

interface LabelledObject {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
}

/**
 * Reads objects from a store. Objects are plain, shared and read-only; each call is a consistent snapshot.
 * `list` decodes everything it returns at once; for a large collection use `scan`, or `entries` if headers are enough.
 */
export class Lister<T extends KubernetesObject = KubernetesObject> {
  readonly #reader: IndexReader<T>;
  readonly #slices: SliceScheduler;

  constructor(reader: IndexReader<T>, slices: SliceScheduler) {
    this.#reader = reader;
    this.#slices = slices;
  }

  /** By `namespace/name`, or `name`. */
  get(key: string): T | undefined {
    return this.#reader.getByKey(key)?.object;
  }

  entry(key: string): Entry<T> | undefined {
    return this.#reader.getByKey(key);
  }

  /**
   * Decodes all at once, some microseconds each: 150,000 pods block the event loop for a second. `scan` yields in
   * between, `entries` decodes nothing.
   */
  list(filter: ListerFilter = {}): T[] {
    return this.entries(filter).map((entry) => entry.object);
  }

  /** Decodes nothing, unless the filter has labels. */
  entries(filter: ListerFilter = {}): Entry<T>[] {
    const entries =
      filter.namespace === undefined
        ? this.#reader.list()
        : this.#reader.byIndex(NAMESPACE_INDEX, filter.namespace);
    const labels = Object.entries(filter.matchLabels ?? {});
    return labels.length === 0 ? entries : entries.filter((entry) => hasLabels(entry.object, labels));
  }

  /** client-go's lister.Pods(namespace). */
  byNamespace(namespace: string): NamespaceLister<T> {
    return {
      get: (name) => this.get(`${namespace}/${name}`),
      list: (filter = {}) => this.list({ ...filter, namespace }),
    };
  }

  /** An unknown index throws `KUBEFLECT_INDEX_UNKNOWN`. */
  byIndex(indexName: string, value: string): T[] {
    return this.#reader.byIndex(indexName, value).map((entry) => entry.object);
  }

  /**
   * The objects whose controller is `owner`, by uid and so not those of a former owner of that name; in its namespace
   * only, if it has one. Needs an index of `controllerUid`, or throws `KUBEFLECT_INDEX_UNKNOWN`.
   */
  controlledBy(owner: KubernetesObject): T[] {
    const indexName = this.#reader.indexNameOf(controllerUid);
    if (indexName === undefined) {
      throw new KubeflectError(
        'KUBEFLECT_INDEX_UNKNOWN',
        'expected an index of controllers; create the informer with indexers: { controller: controllerUid }',
      );
    }
    const { uid = '', namespace = '' } = owner.metadata ?? {};
    const children = uid === '' ? [] : this.#reader.byIndex(indexName, uid);
    return children
      .filter((entry) => namespace === '' || entry.namespace === namespace)
      .map((entry) => entry.object);
  }

  /** Every object of one snapshot, decoded in slices, yielding to the event loop in between. */
  async *scan(filter: ListerFilter = {}): AsyncGenerator<T, void, undefined> {
    const labels = Object.entries(filter.matchLabels ?? {});
    const slice = this.#slices.open();
    for (const entry of this.entries(filter.namespace === undefined ? {} : { namespace: filter.namespace })) {
      if (!slice.take()) await slice.renew();
      const object = entry.object;
      if (hasLabels(object, labels)) yield object;
    }
  }
}

export interface NamespaceLister<T extends KubernetesObject> {
  get(name: string): T | undefined;
  list(filter?: Pick<ListerFilter, 'matchLabels'>): T[];
}

function hasLabels(object: KubernetesObject, labels: readonly (readonly [string, string])[]): boolean {
  if (labels.length === 0) return true;
  const own = (object as LabelledObject).metadata?.labels;
  return (
    own !== undefined && labels.every(([name, value]) => Object.hasOwn(own, name) && own[name] === value)
  );
}
