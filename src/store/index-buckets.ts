import type { Key } from '../kube/key.js';
import type { KubernetesObject } from '../kube/object.js';
import type { Entry } from './entry.js';
import { type IndexFunction, namespaceIndexFunction } from './index-function.js';
import { MAX_KEYS_PER_SHARD, ShardedMap, ShardedSet } from './shards.js';

/** Called when an index function threw or did not return strings; the entry is not in that index. */
export type IndexErrorHandler = (indexName: string, key: Key, error: unknown) => void;

/**
 * The keys with one value, never none. A bare key for a single one: most values of most indexes have one, and a Set
 * costs 200 bytes.
 */
type Bucket = Key | Set<Key> | ShardedSet<Key>;

/** One index: value → keys. */
export class IndexBuckets<T extends KubernetesObject> {
  readonly name: string;
  readonly #indexFunction: IndexFunction<T>;
  readonly #onError: IndexErrorHandler;
  readonly #buckets = new ShardedMap<Bucket>();
  /**
   * What the index function returned, for entries without precomputed values. Kept, because computing it again for an
   * old entry would decode it, and an impure function would return other values and leave stale keys behind.
   */
  readonly #computed = new ShardedMap<readonly string[], Key>();

  constructor(name: string, indexFunction: IndexFunction<T>, onError: IndexErrorHandler) {
    this.name = name;
    this.#indexFunction = indexFunction;
    this.#onError = onError;
  }

  /** An empty index of the same definition. */
  emptyCopy(): IndexBuckets<T> {
    return new IndexBuckets(this.name, this.#indexFunction, this.#onError);
  }

  get indexFunction(): IndexFunction<T> {
    return this.#indexFunction;
  }

  /** Indexes `after` in place of `before`. */
  set(before: Entry<T> | undefined, after: Entry<T>): void {
    const isByNamespace = this.#indexFunction === namespaceIndexFunction;
    if (isByNamespace && before !== undefined && before.namespace === after.namespace) return;
    const key = after.key;
    const oldValues = before === undefined ? NO_VALUES : this.#valuesOf(before);
    const precomputed = this.#precomputedOf(after);
    const newValues = precomputed ?? this.#compute(after);
    if (precomputed === undefined) this.#computed.set(key, newValues);
    else if (this.#computed.size > 0) this.#computed.delete(key);
    if (oldValues.length === 1 && newValues.length === 1 && oldValues[0] === newValues[0]) return;
    for (const value of oldValues) this.#remove(value, key);
    for (const value of newValues) this.#add(value, key);
  }

  delete(before: Entry<T>): void {
    for (const value of this.#valuesOf(before)) this.#remove(value, before.key);
    this.#computed.delete(before.key);
  }

  keys(value: string): Key[] {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return [];
    if (typeof bucket === 'string') return [bucket];
    return bucket instanceof Set ? [...bucket] : bucket.toArray();
  }

  values(): string[] {
    return this.#buckets.toKeyArray();
  }

  /** The entry's values in this index, whether it is stored or not. */
  valuesFor(entry: Entry<T>): readonly string[] {
    return this.#precomputedOf(entry) ?? this.#compute(entry);
  }

  #valuesOf(stored: Entry<T>): readonly string[] {
    const computed = this.#computed.size > 0 ? this.#computed.get(stored.key) : undefined;
    return computed ?? this.#precomputedOf(stored) ?? NO_VALUES;
  }

  /** The namespace is in every header, so it need not be kept again per object. */
  #precomputedOf(entry: Entry<T>): readonly string[] | undefined {
    return this.#indexFunction === namespaceIndexFunction ? [entry.namespace] : entry.indexValues(this.name);
  }

  #compute(entry: Entry<T>): readonly string[] {
    try {
      const values: unknown = this.#indexFunction(entry);
      if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return values;
      throw new TypeError(`index "${this.name}" did not return an array of strings`);
    } catch (error) {
      this.#onError(this.name, entry.key, error);
      return NO_VALUES;
    }
  }

  #add(value: string, key: Key): void {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) this.#buckets.set(value, key);
    else if (typeof bucket !== 'string') this.#addTo(bucket, value, key);
    else if (bucket !== key) this.#buckets.set(value, new Set([bucket, key]));
  }

  #addTo(bucket: Exclude<Bucket, Key>, value: string, key: Key): void {
    bucket.add(key);
    if (!(bucket instanceof Set) || bucket.size <= MAX_KEYS_PER_SHARD) return;
    const sharded = new ShardedSet<Key>();
    for (const own of bucket) sharded.add(own);
    this.#buckets.set(value, sharded);
  }

  #remove(value: string, key: Key): void {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return;
    if (typeof bucket === 'string') {
      if (bucket === key) this.#buckets.delete(value);
      return;
    }
    bucket.delete(key);
    // kubernetes/kubernetes#84959: empty sets were a leak.
    if (bucket.size === 0) this.#buckets.delete(value);
  }
}

const NO_VALUES: readonly string[] = [];
