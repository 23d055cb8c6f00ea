import { compareResourceVersion } from '../../kube/compare-resource-version.js';
import type { Position } from '../machine/reflector-state.js';

/**
 * - `apply`: new.
 * - `stale`: already part of what the store holds; dropping it loses nothing.
 * - `unsound`: new, but a bookmark had said that nothing this old was still to come. Other events may be missing too.
 */
export type Verdict = 'apply' | 'stale' | 'unsound';

/**
 * Where one watch stream stands. Versions never go back: an event at or below the last one applied is a repetition (a
 * lagging replica, an overlapping stream), as a watch delivers in order and without gaps.
 *
 * Versions that cannot be compared are taken as they come, as client-go does.
 */
export class StreamCursor {
  #synced: string;
  #applied: string;
  /** The key that came with `#applied`, if it was an event: two objects may share a version, one object may not repeat it. */
  #appliedKey: string | undefined;
  /**
   * A watch from '' or '0' may begin with the state as ADDED events in no order of version. Until another type of
   * event shows that this is over, versions are not taken from them: a reconnect in between would skip objects.
   */
  #isHeld: boolean;

  constructor(position: Position, startResourceVersion: string) {
    this.#synced = position.synced;
    this.#applied = position.applied;
    this.#isHeld = startResourceVersion === '' || startResourceVersion === '0';
  }

  get position(): Position {
    return { synced: this.#synced, applied: this.#applied };
  }

  judge(type: 'ADDED' | 'MODIFIED' | 'DELETED', key: string, resourceVersion: string): Verdict {
    if (this.#isHeld && type === 'ADDED') return 'apply';
    const order = compareResourceVersion(resourceVersion, this.#applied);
    if (order === -1) return 'stale';
    if (order === 0 && (this.#appliedKey === undefined || this.#appliedKey === key)) return 'stale';
    const isBehindBookmark = this.#synced !== this.#applied && notAfter(resourceVersion, this.#synced);
    return isBehindBookmark ? 'unsound' : 'apply';
  }

  /** The event that was judged `apply` is in the store. */
  advance(type: 'ADDED' | 'MODIFIED' | 'DELETED', key: string, resourceVersion: string): void {
    if (this.#isHeld && type === 'ADDED') return;
    this.#isHeld = false;
    this.#synced = resourceVersion;
    this.#applied = resourceVersion;
    this.#appliedKey = key;
  }

  /** False if the bookmark is older than what is known. */
  bookmark(resourceVersion: string): boolean {
    this.#isHeld = false;
    if (compareResourceVersion(resourceVersion, this.#synced) === -1) return false;
    this.#synced = resourceVersion;
    return true;
  }
}

function notAfter(resourceVersion: string, other: string): boolean {
  const order = compareResourceVersion(resourceVersion, other);
  return order !== undefined && order <= 0;
}
