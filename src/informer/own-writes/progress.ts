import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { IndexReader } from '../../store/indexer.js';
import type { Delta } from '../../store/queue/delta.js';
import type { NamespaceVersions } from '../../store/reflector-store.js';

/** How far one watch has been applied to the store. */
interface Position {
  version: string;
  /** The key that came with `version`; undefined if that was a list or a bookmark, which cover all keys. */
  key: Key | undefined;
  /**
   * False while a watch from '' or '0' may be sending the existing objects, in no order of their versions
   * (`ResourceVersionCursor`).
   */
  isOrdered: boolean;
}

/**
 * Up to which version the store shows everything: one position for a collection, or one for each of its namespaces, which
 * have watches of their own. Advances with events, bookmarks and lists.
 */
export class Progress<T extends KubernetesObject> {
  readonly #reader: IndexReader<T>;
  /** Undefined for a collection with one watch, whose version is that of the store. */
  readonly #byNamespace: ReadonlyMap<string, Position> | undefined;
  readonly #whole: Position = newPosition();

  /** `namespaces`: those with a watch of their own; none or one for a collection with one watch. */
  constructor(reader: IndexReader<T>, namespaces: readonly string[]) {
    this.#reader = reader;
    if (namespaces.length > 1)
      this.#byNamespace = new Map(namespaces.map((namespace) => [namespace, newPosition()]));
  }

  /** An event is in the store, or was found to change nothing. Called for every event. */
  observe({ type, entry }: Delta<T>): void {
    const position = this.#byNamespace === undefined ? this.#whole : this.#byNamespace.get(entry.namespace);
    if (position === undefined || (type === 'Added' && !position.isOrdered)) return;
    position.isOrdered = true;
    position.key = entry.key;
    // The version of an entry is decoded whenever it is read.
    if (position === this.#whole) return;
    const { resourceVersion } = entry;
    if (compareResourceVersion(resourceVersion, position.version) !== -1) position.version = resourceVersion;
  }

  /** A bookmark or a list is in the store. `versions`: of the namespaces that it was for. */
  observeAll(type: 'list' | 'bookmark', version: string, versions: NamespaceVersions | undefined): void {
    const set = (position: Position | undefined, to: string): void => {
      if (position === undefined) return;
      position.version = to;
      position.key = undefined;
      position.isOrdered = type === 'bookmark' || (to !== '' && to !== '0');
    };
    if (this.#byNamespace === undefined) set(this.#whole, version);
    else for (const [namespace, own] of versions ?? []) set(this.#byNamespace.get(namespace), own);
  }

  /** True if the store shows everything about the key up to this version. */
  covers({ namespace, key, version }: { namespace: string; key: Key; version: string }): boolean {
    const position = this.#byNamespace === undefined ? this.#whole : this.#byNamespace.get(namespace);
    if (position === undefined || !position.isOrdered || version === '') return false;
    const reached = position === this.#whole ? this.#reader.lastStoreSyncResourceVersion : position.version;
    const order = reached === version ? 0 : compareResourceVersion(reached, version);
    // Two objects may share a version, and the other one may be applied first.
    return order === 1 || (order === 0 && (position.key === undefined || position.key === key));
  }
}

function newPosition(): Position {
  return { version: '', key: undefined, isOrdered: false };
}
