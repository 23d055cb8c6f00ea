import type { Key } from '../../kube/key.js';
import type { KubernetesObject } from '../../kube/object.js';
import type { Entry } from '../entry.js';
import { NO_SLOT, type Slab, type SlabRecord, STORE } from './slab.js';

/**
 * An entry that is bytes: a key, and an offset in a slab. Everything else is decoded on access, so that a stored object
 * costs little more than its bytes. Readable for as long as it is referenced, stored or not.
 */
export class SlabEntry<T extends KubernetesObject = KubernetesObject> implements Entry<T>, SlabRecord {
  readonly key: Key;
  slab: Slab;
  offset: number;
  slot: number = NO_SLOT;
  holders = 0;

  constructor(key: Key, slab: Slab, offset: number) {
    this.key = key;
    this.slab = slab;
    this.offset = offset;
  }

  get namespace(): string {
    return this.slab.cells.namespaceAt(this.offset);
  }

  get name(): string {
    return this.slab.cells.nameAt(this.offset);
  }

  get uid(): string {
    return this.slab.cells.uidAt(this.offset);
  }

  get resourceVersion(): string {
    return this.slab.cells.resourceVersionAt(this.offset);
  }

  get object(): T {
    return this.slab.owner.objectOf(this) as T;
  }

  metadataFields(names: readonly string[]): Readonly<Record<string, unknown>> {
    return this.slab.owner.metadataOf(this, names);
  }

  get isStored(): boolean {
    return (this.holders & STORE) !== 0;
  }

  indexValues(indexName: string): readonly string[] | undefined {
    const number = this.slab.owner.indexNumber(indexName);
    return number === undefined ? undefined : this.slab.cells.indexValuesAt(this.offset, number);
  }

  retain(): void {
    this.slab.owner.retain(this);
  }

  release(): void {
    this.slab.owner.release(this);
  }

  pin(): void {
    this.slab.owner.pin(this);
  }

  unpin(): void {
    this.slab.owner.unpin(this);
  }
}
