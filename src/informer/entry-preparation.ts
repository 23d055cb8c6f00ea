import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from '../store/entry.js';
import { TransformedEntry } from '../store/object-entry.js';
import { EntryError, type KubeflectError } from '../util/errors.js';
import { MutationDetector, type MutationDetectorMode } from './mutation-detector.js';

export interface EntryPreparationOptions<T extends KubernetesObject> {
  readonly transform: ((object: T) => T) | undefined;
  readonly mutationDetector: MutationDetectorMode | undefined;
  readonly report: (error: KubeflectError) => void;
}

/** Prepares entries between the queue and the store: the transform, and in tests the mutation detector. */
export class EntryPreparation<T extends KubernetesObject> {
  readonly #transform: ((object: T) => T) | undefined;
  readonly #detector: MutationDetector<T> | undefined;
  readonly #report: (error: KubeflectError) => void;
  /** Keys whose latest state could not be read or prepared. */
  #rejected = new Set<string>();

  constructor(options: EntryPreparationOptions<T>) {
    this.#transform = options.transform;
    this.#report = options.report;
    this.#detector =
      options.mutationDetector &&
      new MutationDetector({ mode: options.mutationDetector, report: options.report });
  }

  get rejected(): number {
    return this.#rejected.size;
  }

  /** Undefined, and reported, if the transform threw. */
  prepare(entry: Entry<T>): Entry<T> | undefined {
    const transformed = this.#transform ? this.#transformed(entry, this.#transform) : entry;
    if (transformed === undefined) return undefined;
    this.#rejected.delete(entry.key);
    return this.#detector === undefined ? transformed : this.#detector.guard(transformed);
  }

  /** A list begins: all its changed entries will be prepared, except the unreadable ones. */
  startList(unreadableKeys: ReadonlySet<string>): void {
    this.#rejected = new Set(unreadableKeys);
  }

  /** The key has left the store. */
  forget(key: Key): void {
    this.#rejected.delete(key);
    this.#detector?.forget(key);
  }

  indexFailed(indexName: string, key: Key, cause: unknown): void {
    this.#report(
      new EntryError(
        'KUBEFLECT_INDEX_FAILED',
        `index function "${indexName}" failed on ${key}; the object is stored, but not found by this index`,
        { key, cause },
      ),
    );
  }

  /** Checks one last time for mutated objects. */
  close(): void {
    this.#detector?.check();
  }

  #transformed(entry: Entry<T>, transform: (object: T) => T): Entry<T> | undefined {
    try {
      const object: unknown = transform(entry.object);
      if (object instanceof Promise) {
        object.catch(() => {});
        throw new TypeError('the transform returned a promise; it has to be synchronous');
      }
      if (typeof object !== 'object' || object === null) {
        throw new TypeError('the transform did not return an object');
      }
      return new TransformedEntry(entry, object as T);
    } catch (cause) {
      this.#rejected.add(entry.key);
      this.#report(
        new EntryError(
          'KUBEFLECT_TRANSFORM_FAILED',
          `the transform failed on ${entry.key}; its previous state is kept`,
          { key: entry.key, cause },
        ),
      );
      return undefined;
    }
  }
}
