import { compareResourceVersion } from '../kube/compare-resource-version.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import type { ReflectorStore } from '../store/reflector-store.js';
import { onAbort } from '../util/abort.js';
import { Latch } from '../util/latch.js';

/**
 * Changes that are buffered for a namespace while the first list of another is missing. Beyond that, its watch has to
 * wait.
 */
const MAX_BUFFERED_CHANGES = 1000;

/** A namespace's first list, and the changes of its watch before all namespaces were listed. */
interface FirstList<T extends KubernetesObject> {
  readonly entries: Iterable<Entry<T>>;
  readonly resourceVersion: string;
  readonly unreadableKeys: ReadonlySet<string>;
  readonly buffered: (() => void)[];
}

/**
 * One store for several reflectors, one per namespace. The first lists are applied together when all have arrived, so
 * that the store is synced when all namespaces are. Later lists replace only the objects of their namespace.
 *
 * Versions of one resource are comparable across namespaces; the store's version is the newest of all.
 */
export class NamespacedStore<T extends KubernetesObject> {
  readonly #store: ReflectorStore<T>;
  readonly #namespaces: readonly string[];
  readonly #stored: () => Iterable<Entry<T>>;
  readonly #firstLists = new Map<string, FirstList<T>>();
  readonly #completed = new Latch();
  #isComplete = false;
  #newest = '';

  /** `stored` returns the entries of the store at the time of the call. */
  constructor(store: ReflectorStore<T>, namespaces: readonly string[], stored: () => Iterable<Entry<T>>) {
    this.#store = store;
    this.#namespaces = namespaces;
    this.#stored = stored;
  }

  /** The store as the reflector of one namespace sees it. */
  view(namespace: string): ReflectorStore<T> {
    const store = this.#store;
    const isAhead = (): boolean =>
      (this.#firstLists.get(namespace)?.buffered.length ?? 0) > MAX_BUFFERED_CHANGES;
    const completed = this.#completed;
    const change = (write: () => void, resourceVersion: string): void =>
      this.#change(namespace, write, resourceVersion);
    return {
      add: (entry) => change(() => store.add(entry), entry.resourceVersion),
      update: (entry) => change(() => store.update(entry), entry.resourceVersion),
      delete: (entry) => change(() => store.delete(entry), entry.resourceVersion),
      bookmark: (version) =>
        change(() => store.bookmark?.(this.#newest, new Map([[namespace, version]])), version),
      replace: (entries, version, unreadableKeys = new Set()) =>
        this.#replace(namespace, entries, version, unreadableKeys),
      resync: () => store.resync(),
      get isBehind() {
        return isAhead() || (store.isBehind ?? false);
      },
      async drained(signal) {
        if (isAhead()) await Promise.race([completed.promise, aborted(signal)]);
        await store.drained?.(signal);
      },
    };
  }

  #change(namespace: string, write: () => void, resourceVersion: string): void {
    const first = this.#isComplete ? undefined : this.#firstLists.get(namespace);
    const apply = (): void => {
      this.#observe(resourceVersion);
      write();
    };
    if (first === undefined) apply();
    else first.buffered.push(apply);
  }

  #replace(
    namespace: string,
    entries: Iterable<Entry<T>>,
    resourceVersion: string,
    unreadableKeys: ReadonlySet<string>,
  ): void {
    if (this.#isComplete) {
      this.#observe(resourceVersion);
      const versions = new Map([[namespace, resourceVersion]]);
      this.#store.replace(this.#withOthers(namespace, entries), this.#newest, unreadableKeys, versions);
      return;
    }
    this.#firstLists.set(namespace, { entries, resourceVersion, unreadableKeys, buffered: [] });
    if (this.#firstLists.size === this.#namespaces.length) this.#complete();
  }

  #complete(): void {
    const lists = [...this.#firstLists.values()];
    const versions = new Map(
      [...this.#firstLists].map(([namespace, { resourceVersion }]) => [namespace, resourceVersion]),
    );
    this.#firstLists.clear();
    this.#isComplete = true;
    for (const { resourceVersion } of lists) this.#observe(resourceVersion);
    const entries = {
      *[Symbol.iterator]() {
        for (const list of lists) yield* list.entries;
      },
    };
    const unreadableKeys = new Set(lists.flatMap((list) => [...list.unreadableKeys]));
    this.#store.replace(entries, this.#newest, unreadableKeys, versions);
    for (const { buffered } of lists) for (const apply of buffered) apply();
    this.#completed.open();
  }

  /** Evaluated when the list is applied: by then, everything queued before it is in the store. */
  #withOthers(namespace: string, entries: Iterable<Entry<T>>): Iterable<Entry<T>> {
    const stored = this.#stored;
    return {
      *[Symbol.iterator]() {
        for (const entry of stored()) if (entry.namespace !== namespace) yield entry;
        yield* entries;
      },
    };
  }

  #observe(resourceVersion: string): void {
    const order = compareResourceVersion(resourceVersion, this.#newest);
    if (resourceVersion !== '' && (order === undefined || order > 0)) this.#newest = resourceVersion;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}
