import type { SortedKeys } from './sorted-keys.js';
import type { StoredObject } from './stored-object.js';

/** A cursor over one layer of a collection, in key order. An undefined value means that the key was deleted. */
export interface Layer {
  /** Undefined past the end. */
  readonly key: string | undefined;
  value(): StoredObject | undefined;
  advance(): void;
}

/** If several layers contain a key, the first one takes precedence. */
export function* merge(layers: readonly Layer[], end: string): IterableIterator<StoredObject> {
  while (true) {
    let first: Layer | undefined;
    for (const layer of layers) {
      if (layer.key !== undefined && (first?.key === undefined || layer.key < first.key)) first = layer;
    }
    const key = first?.key;
    if (first === undefined || key === undefined || key >= end) return;
    const object = first.value();
    for (const layer of layers) if (layer.key === key) layer.advance();
    if (object !== undefined) yield object;
  }
}

export function mapLayer(
  keys: SortedKeys,
  objects: ReadonlyMap<string, StoredObject | undefined>,
  start: string,
): Layer {
  const iterator = keys.from(start);
  let next = iterator.next();
  return {
    get key() {
      return next.done === true ? undefined : next.value;
    },
    value: () => (next.done === true ? undefined : objects.get(next.value)),
    advance: () => {
      next = iterator.next();
    },
  };
}
