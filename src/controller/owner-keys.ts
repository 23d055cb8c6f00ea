import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { controllerUid } from '../store/index-function.js';
import { ShardedMap } from '../store/shards.js';
import type { Filter } from './checked-filter.js';

/**
 * The keys of the primary objects by uid, which children name their controller by. Nothing is decoded: the uid of an
 * object is in its header, and that of its controller is an index value.
 *
 * An owner that is not known (yet) has no key. Its own addition enqueues it, when its children are in their cache. Nor
 * has one that the filter of the primary objects leaves out.
 */
export class OwnerKeys {
  readonly #keys = new ShardedMap<string>();
  readonly #filter: Filter | undefined;

  constructor(filter?: Filter) {
    this.#filter = filter;
  }

  /** Call it before the key of an added or updated object is enqueued. */
  set(entry: Entry, before?: Entry): void {
    const { uid } = entry;
    if (before !== undefined) {
      if (before.uid === uid && this.#filter === undefined) return;
      this.#keys.delete(before.uid);
    }
    if (uid !== '' && (this.#filter?.(entry) ?? true)) this.#keys.set(uid, entry.key);
  }

  delete({ uid }: Entry): void {
    this.#keys.delete(uid);
  }

  /** The keys of the child's controller. `indexName`: the index of `controllerUid`. */
  of(child: Entry<KubernetesObject>, indexName: string): readonly string[] {
    const uids = child.indexValues(indexName) ?? controllerUid(child);
    return uids.flatMap((uid) => {
      const key = this.#keys.get(uid);
      return key !== undefined && mayOwn(key, child.namespace) ? [key] : [];
    });
  }
}

/** An owner with a namespace owns objects of its namespace only: another child claims an owner that it cannot have. */
function mayOwn(ownerKey: string, namespace: string): boolean {
  const slash = ownerKey.indexOf('/');
  return slash < 0 || ownerKey.slice(0, slash) === namespace;
}
