import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { EntryError } from '../util/errors.js';

/**
 * `freeze`: objects are deeply frozen when they are read, so that the line that mutates one throws. `compare`: objects
 * are compared with their original state when they are replaced and whenever `check` is called; finds mutations after
 * the fact, by code that ignores frozen objects. Both cost too much for production.
 */
export type MutationDetectorMode = 'freeze' | 'compare';

export interface MutationDetectorOptions {
  readonly mode: MutationDetectorMode;
  readonly report: (error: EntryError) => void;
}

/** Finds code that mutates stored objects, which all readers share (client-go's cache mutation detector). For tests. */
export class MutationDetector<T extends KubernetesObject = KubernetesObject> {
  readonly #mode: MutationDetectorMode;
  readonly #report: (error: EntryError) => void;
  readonly #seen = new Map<Key, { readonly entry: Entry<T>; readonly json: string }>();

  constructor(options: MutationDetectorOptions) {
    this.#mode = options.mode;
    this.#report = options.report;
  }

  /** The entry to store instead of this one. */
  guard(entry: Entry<T>): Entry<T> {
    if (this.#mode === 'freeze') return new FrozenEntry(entry);
    this.forget(entry.key);
    this.#seen.set(entry.key, { entry, json: JSON.stringify(entry.object) });
    return entry;
  }

  /** The key has left the store. */
  forget(key: Key): void {
    this.#checkOne(key);
    this.#seen.delete(key);
  }

  /** Reports each changed object once. */
  check(): void {
    for (const key of [...this.#seen.keys()]) this.#checkOne(key);
  }

  #checkOne(key: Key): void {
    const seen = this.#seen.get(key);
    if (seen === undefined) return;
    const json = JSON.stringify(seen.entry.object);
    if (json === seen.json) return;
    this.#seen.set(key, { entry: seen.entry, json });
    this.#report(
      new EntryError(
        'KUBEFLECT_OBJECT_MUTATED',
        `the stored object ${key} was changed by a reader; copy objects before changing them`,
        { key },
      ),
    );
  }
}

class FrozenEntry<T extends KubernetesObject> implements Entry<T> {
  readonly #entry: Entry<T>;
  readonly key: Key;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;

  constructor(entry: Entry<T>) {
    this.#entry = entry;
    this.key = entry.key;
    this.namespace = entry.namespace;
    this.name = entry.name;
    this.uid = entry.uid;
    this.resourceVersion = entry.resourceVersion;
  }

  get object(): T {
    return deepFreeze(this.#entry.object);
  }

  indexValues(indexName: string): readonly string[] | undefined {
    return this.#entry.indexValues(indexName);
  }

  retain(): void {
    this.#entry.retain?.();
  }

  release(): void {
    this.#entry.release?.();
  }

  pin(): void {
    this.#entry.pin?.();
  }

  unpin(): void {
    this.#entry.unpin?.();
  }
}

function deepFreeze<V>(value: V): V {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
