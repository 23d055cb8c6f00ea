import type { RenderedSet } from '../generators/rendered-set.js';
import { EventLog } from './event-log.js';
import { type Layer, mapLayer, merge } from './layer.js';
import { RenderedObject } from './rendered-object.js';
import { Snapshot } from './snapshot.js';
import { SortedKeys } from './sorted-keys.js';
import type { StoredObject } from './stored-object.js';

/** A populated set; its object i was created at revision `firstRevision + i`. */
interface Base {
  readonly set: RenderedSet;
  readonly firstRevision: number;
}

/**
 * The objects of one resource, in key order, now and at any revision the log still covers.
 *
 *     layers, the first that knows a key decides:
 *       before     what the key was at an older revision                  (snapshots only)
 *       written    objects stored one by one, or undefined for a deleted object of a base
 *       bases      populated sets, which hold no objects at all
 */
export class Collection {
  readonly log: EventLog;
  readonly #bases: Base[] = [];
  readonly #written = new Map<string, StoredObject | undefined>();
  /** Invariant: the keys of `#written`. */
  readonly #writtenKeys = new SortedKeys();
  readonly #snapshots = new Set<Snapshot>();
  #count = 0;

  constructor(since: number, maxEvents: number) {
    this.log = new EventLog(since, maxEvents);
  }

  get count(): number {
    return this.#count;
  }

  get(key: string): StoredObject | undefined {
    return this.#written.has(key) ? this.#written.get(key) : this.#inBase(key);
  }

  /** Stores `object` (undefined: deletes) and logs the write. */
  write(key: string, object: StoredObject | undefined, revision: number): void {
    const previous = this.get(key);
    for (const snapshot of this.#snapshots) snapshot.remember(key, previous);
    this.#count += (object === undefined ? 0 : 1) - (previous === undefined ? 0 : 1);
    if (object === undefined && this.#inBase(key) === undefined) {
      this.#written.delete(key);
      this.#writtenKeys.delete(key);
    } else {
      if (!this.#written.has(key)) this.#writtenKeys.add(key);
      this.#written.set(key, object);
    }
    this.log.append({ revision, key, object, previous });
  }

  /** Adds a populated set without events; history before it is compacted. */
  populate(set: RenderedSet, firstRevision: number): void {
    this.#bases.push({ set, firstRevision });
    this.#count += set.count;
    this.log.compact(firstRevision + set.count - 1);
  }

  /** Current objects with start <= key < end in key order; do not hold the iterator across writes. */
  scan(start: string, end: string): IterableIterator<StoredObject> {
    return merge(this.layers(start), end);
  }

  /** The state at `revision`, which must not be older than `log.compacted`. */
  snapshot(revision: number): Snapshot {
    const snapshot = new Snapshot(this, revision, (closed) => this.#snapshots.delete(closed));
    for (let position = this.log.positionAfter(revision); position < this.log.end; position++) {
      const event = this.log.at(position);
      if (event !== undefined) snapshot.remember(event.key, event.previous);
    }
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  layers(start: string): Layer[] {
    return [
      mapLayer(this.#writtenKeys, this.#written, start),
      ...this.#bases.map((base) => baseLayer(base, start)),
    ];
  }

  /** How many objects `scan` would return, without iterating over populated sets. */
  countRange(start: string, end: string): number {
    let total = 0;
    for (const { set } of this.#bases) total += set.lowerBound(end) - set.lowerBound(start);
    for (const key of this.#writtenKeys.from(start)) {
      if (key >= end) break;
      total += (this.#written.get(key) === undefined ? 0 : 1) - (this.#inBase(key) === undefined ? 0 : 1);
    }
    return total;
  }

  #inBase(key: string): StoredObject | undefined {
    for (const { set, firstRevision } of this.#bases) {
      const index = set.indexOf(key);
      if (index >= 0) return new RenderedObject(set, index, firstRevision + index, 0);
    }
    return undefined;
  }
}

function baseLayer({ set, firstRevision }: Base, start: string): Layer {
  let index = set.lowerBound(start);
  let key = index < set.count ? set.keyAt(index) : undefined;
  return {
    get key() {
      return key;
    },
    value: () => new RenderedObject(set, index, firstRevision + index, 0),
    advance: () => {
      index++;
      key = index < set.count ? set.keyAt(index) : undefined;
    },
  };
}
