import type { KubernetesObject } from '../../kube/object.js';
import type { Change } from '../../store/apply-delta.js';
import type { Entry } from '../../store/entry.js';

/** A notification of handlers. Shared by all of them, so never changed. */
export type Notification<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly entry: Entry<T>; readonly isInInitialList: boolean }
  | Extract<Change<T>, { type: 'update' | 'delete' }>;

/**
 * The changes of a relist, or a snapshot of the store, as one item of a queue. Handlers share it, each with its own
 * position, so that a list of 150,000 objects for ten handlers is one array and not 1.5 million queue items.
 */
export class Segment<T extends KubernetesObject> {
  readonly #deleted: readonly Entry<T>[];
  /** The state before `#entries[i]`; none for adds. */
  readonly #before: readonly (Entry<T> | undefined)[];
  readonly #entries: readonly Entry<T>[];
  readonly #isInInitialList: boolean;
  readonly #isResync: boolean;
  /** The number of its adds of the initial list. */
  readonly initialAdds: number;

  private constructor(content: {
    deleted?: readonly Entry<T>[];
    before?: readonly (Entry<T> | undefined)[];
    entries: readonly Entry<T>[];
    adds: number;
    isInInitialList: boolean;
    isResync?: boolean;
  }) {
    this.initialAdds = content.isInInitialList ? content.adds : 0;
    this.#deleted = content.deleted ?? [];
    this.#before = content.before ?? [];
    this.#entries = content.entries;
    this.#isInInitialList = content.isInInitialList;
    this.#isResync = content.isResync ?? false;
  }

  /** Deletions, then adds and updates in list order. */
  static ofRelist<T extends KubernetesObject>(relist: {
    deleted: readonly Entry<T>[];
    before: readonly (Entry<T> | undefined)[];
    entries: readonly Entry<T>[];
    adds: number;
    isInInitialList: boolean;
  }): Segment<T> {
    return new Segment(relist);
  }

  /** For a handler that is added after the start: an add for each entry. */
  static ofReplay<T extends KubernetesObject>(entries: readonly Entry<T>[]): Segment<T> {
    return new Segment({ entries, adds: entries.length, isInInitialList: true });
  }

  static ofResync<T extends KubernetesObject>(entries: readonly Entry<T>[]): Segment<T> {
    return new Segment({ before: entries, entries, adds: 0, isInInitialList: false, isResync: true });
  }

  get length(): number {
    return this.#deleted.length + this.#entries.length;
  }

  get isResync(): boolean {
    return this.#isResync;
  }

  at(position: number): Notification<T> {
    const deleted = this.#deleted[position];
    if (deleted !== undefined)
      return { type: 'delete', entry: deleted, before: deleted, finalStateUnknown: true };
    const index = position - this.#deleted.length;
    const entry = this.#entries[index];
    if (entry === undefined) throw new RangeError('a position beyond the segment; this is a bug in Segment');
    const before = this.#before[index];
    if (before === undefined) return { type: 'add', entry, isInInitialList: this.#isInInitialList };
    return { type: 'update', before, entry, isResync: this.#isResync };
  }
}
