import type { RenderedSet } from '../generators/rendered-set.js';
import { Collection } from './collection.js';
import type { StoredObject } from './stored-object.js';

export interface StorageListener {
  /** Called after writes; the event log has them. */
  onWrite(): void;
  /** The resource was removed, or its watches are to be closed: end cleanly. */
  onClose(): void;
}

/** All collections under one revision counter, as in etcd. */
export class Storage {
  readonly #maxEvents: number;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Map<string, Set<StorageListener>>();
  #revision: number;
  #compacted = 0;

  constructor(options: { firstRevision: number; maxEvents: number }) {
    this.#revision = options.firstRevision;
    this.#maxEvents = options.maxEvents;
  }

  /** The revision of the last write to any collection. */
  get revision(): number {
    return this.#revision;
  }

  /** Continue tokens and exact lists below this revision have expired. */
  get compacted(): number {
    return this.#compacted;
  }

  collection(resource: string): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      collection = new Collection(this.#compacted, this.#maxEvents);
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  /** Adds a resource; all revisions before it are too old. */
  begin(resource: string): void {
    if (!this.#collections.has(resource)) {
      this.#collections.set(resource, new Collection(this.#revision, this.#maxEvents));
    }
  }

  /** Removes a resource with all its objects, without events, when the definition of a custom resource is deleted. */
  drop(resource: string): void {
    this.#collections.delete(resource);
    this.closeListeners(resource);
  }

  /** Ends the watches of one resource, or all. */
  closeListeners(resource?: string): void {
    for (const [name, listeners] of this.#listeners) {
      if (resource === undefined || resource === name)
        for (const listener of [...listeners]) listener.onClose();
    }
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#collections].map(([resource, { count }]) => [resource, count]));
  }

  /** Stores the object that `build` returns for a new revision. */
  put(resource: string, key: string, build: (revision: number) => StoredObject): StoredObject {
    const revision = ++this.#revision;
    const stored = build(revision);
    this.collection(resource).write(key, stored, revision);
    this.#announce(resource);
    return stored;
  }

  /** Returns the deleted object, with the revision of its deletion. */
  delete(resource: string, key: string): StoredObject | undefined {
    const collection = this.collection(resource);
    const last = collection.get(key);
    if (last === undefined) return undefined;
    const revision = ++this.#revision;
    collection.write(key, undefined, revision);
    this.#announce(resource);
    return last.withRevision(revision);
  }

  /** Adds a populated set, which takes one revision per object. `build` receives the first of them. */
  populate(resource: string, build: (firstRevision: number) => RenderedSet): RenderedSet {
    const set = build(this.#revision + 1);
    this.collection(resource).populate(set, this.#revision + 1);
    this.#revision += set.count;
    return set;
  }

  /** Drops history up to `revision`: older watches, continue tokens and exact lists expire. */
  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#revision));
    for (const collection of this.#collections.values()) collection.log.compact(this.#compacted);
  }

  listen(resource: string, listener: StorageListener): { stop(): void } {
    let listeners = this.#listeners.get(resource);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(resource, listeners);
    }
    const registered = listeners.add(listener);
    return { stop: () => registered.delete(listener) };
  }

  #announce(resource: string): void {
    for (const listener of this.#listeners.get(resource) ?? []) listener.onWrite();
  }
}
