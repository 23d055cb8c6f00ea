import type { KubernetesObject } from '../../kube/object.js';
import type { WatchEntry } from '../../reflector/lister-watcher.js';
import type { CapturedAnchor } from '../../snapshot/messages.js';
import { type Anchor, contentDigest } from '../../snapshot/snapshot-header.js';
import type { Delta } from '../../store/queue/delta.js';
import { SlabEntry } from '../../store/slab/slab-entry.js';
import type { ObjectReader } from '../../wire/object-reader.js';

type ObjectEvent<T extends KubernetesObject> = Extract<
  WatchEntry<T>,
  { type: 'ADDED' | 'MODIFIED' | 'DELETED' }
>;

/**
 * The last event that was applied to a store, for each collection that fills it. A list does not show what was deleted
 * last: until the first event after it, the event before it has to be looked up (`earlierEvent`).
 */
export class AppliedAnchors<T extends KubernetesObject> {
  readonly #isNamespaced: boolean;
  readonly #deltas = new Map<string, Delta<T>>();
  #changes = 0;
  #lists = 0;

  /** @param isNamespaced each namespace has a watch of its own */
  constructor(isNamespaced: boolean) {
    this.#isNamespaced = isNamespaced;
  }

  /** Counts what was applied. */
  get changes(): number {
    return this.#changes;
  }

  /** A delta of an object was applied, or, with undefined, a list. */
  note(delta: Delta<T> | undefined): void {
    this.#changes++;
    if (delta !== undefined) this.#deltas.set(this.#isNamespaced ? delta.entry.namespace : '', delta);
    else {
      this.#lists++;
      this.#deltas.clear();
    }
  }

  /** Counts the lists that were applied. */
  get lists(): number {
    return this.#lists;
  }

  has(namespace: string): boolean {
    return this.#deltas.has(namespace);
  }

  /** The last event before the last list was looked up, and nothing has happened since. */
  noteEarlier(namespace: string, delta: Delta<T>): void {
    this.#deltas.set(namespace, delta);
  }

  /** The anchors by namespace, and the readers of their events. */
  capture(): { readonly anchors: Record<string, CapturedAnchor>; readonly readers: readonly ObjectReader[] } {
    const anchors: Record<string, CapturedAnchor> = {};
    const readers: ObjectReader[] = [];
    for (const [namespace, { type, entry }] of this.#deltas) {
      if (!(entry instanceof SlabEntry) || versionBefore(entry.resourceVersion) === undefined) continue;
      const { slab, offset, resourceVersion, key, uid } = entry;
      anchors[namespace] = {
        resourceVersion,
        key,
        uid,
        isDeletion: type === 'Deleted',
        buffer: slab.cells.bytes.buffer,
        offset,
        tableId: slab.reader.tableId,
      };
      readers.push(slab.reader);
    }
    return { anchors, readers };
  }
}

/** Whether an event is the one that was applied last before the snapshot. */
export function isAnchor<T extends KubernetesObject>(
  anchor: Anchor,
  { type, entry }: ObjectEvent<T>,
): boolean {
  return (
    entry.resourceVersion === anchor.resourceVersion &&
    entry.key === anchor.key &&
    entry.uid === anchor.uid &&
    (type === 'DELETED') === anchor.isDeletion &&
    (anchor.digest === '' || contentDigest(entry.object) === anchor.digest)
  );
}

const DECIMAL = /^[1-9][0-9]{0,38}$/;

/** The resource version before one; undefined if it is no number, or the first. */
export function versionBefore(resourceVersion: string): string | undefined {
  if (!DECIMAL.test(resourceVersion)) return undefined;
  const before = BigInt(resourceVersion) - 1n;
  return before > 0n ? String(before) : undefined;
}
