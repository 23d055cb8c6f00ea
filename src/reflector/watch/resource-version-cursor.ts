import { compareResourceVersion } from '../../kube/compare-resource-version.js';

/** How far the reflector's store has come. */
export interface Position {
  /** `lastSyncResourceVersion`: the newest version accepted from a list, an event or a bookmark. */
  readonly synced: string;
  /** The newest version that came with objects; at most `synced`, and less only after a bookmark. */
  readonly applied: string;
}

/** The position after a list or a streaming list was given to the store; the only one that may be lower than before. */
export function positionOfList(resourceVersion: string): Position {
  return { synced: resourceVersion, applied: resourceVersion };
}

/**
 * - `apply`: new.
 * - `stale`: already part of what the store holds; dropping it loses nothing.
 * - `unsound`: new, but an earlier bookmark promised that nothing this old would follow. Other events may be missing
 * too.
 */
export type Verdict = 'apply' | 'stale' | 'unsound';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * Where the resource version of one watch stream advances. Versions never go back: an event at or below the last one
 * applied is a repetition (a lagging replica, an overlapping stream), as a watch delivers in order and without gaps.
 *
 *     list          positionOfList    both, from the list's metadata
 *     event         advance           both, after the store accepted it
 *     bookmark      bookmark          synced only: it comes without an object
 *     initial event observe           synced only, and never back: a streaming list has no order of versions
 *
 * The indexer has a version of its own, of what was applied to it: `Indexer.advance`.
 * Versions that cannot be compared are accepted in the order of arrival, as in client-go.
 */
export class ResourceVersionCursor {
  #synced: string;
  #applied: string;
  /** The key that came with `#applied`, if it was an event: two objects may share a version, one may not repeat it. */
  #appliedKey: string | undefined;
  /**
   * A watch from '' or '0' may begin with the state as ADDED events in no order of version. Until another type of
   * event shows that this is over, their versions do not count: a reconnect in between would skip objects.
   */
  #isInitialState: boolean;

  constructor(position: Position, startResourceVersion: string) {
    this.#synced = position.synced;
    this.#applied = position.applied;
    this.#isInitialState = startResourceVersion === '' || startResourceVersion === '0';
  }

  get position(): Position {
    return { synced: this.#synced, applied: this.#applied };
  }

  /** True while the version of an ADDED event does not count. */
  get isInitialState(): boolean {
    return this.#isInitialState;
  }

  judge(type: EventType, key: string, resourceVersion: string): Verdict {
    if (this.#isInitialState && type === 'ADDED') return 'apply';
    const order = compareResourceVersion(resourceVersion, this.#applied);
    if (order === -1) return 'stale';
    if (order === 0 && (this.#appliedKey === undefined || this.#appliedKey === key)) return 'stale';
    const isBehindBookmark = this.#synced !== this.#applied && isNotAfter(resourceVersion, this.#synced);
    return isBehindBookmark ? 'unsound' : 'apply';
  }

  /** The event that was judged `apply` is in the store. */
  advance(type: EventType, key: string, resourceVersion: string): void {
    if (this.#isInitialState && type === 'ADDED') return;
    this.#isInitialState = false;
    this.#synced = resourceVersion;
    this.#applied = resourceVersion;
    this.#appliedKey = key;
  }

  /** An event of a streaming list. Whether it is new is decided per key, and older versions may follow newer ones. */
  observe(type: EventType, resourceVersion: string): void {
    if (this.#isInitialState && type === 'ADDED') return;
    this.bookmark(resourceVersion);
  }

  /** False if the bookmark is older than the last version. */
  bookmark(resourceVersion: string): boolean {
    this.#isInitialState = false;
    if (compareResourceVersion(resourceVersion, this.#synced) === -1) return false;
    this.#synced = resourceVersion;
    return true;
  }
}

function isNotAfter(resourceVersion: string, other: string): boolean {
  const order = compareResourceVersion(resourceVersion, other);
  return order !== undefined && order <= 0;
}
