import { ObjectEntry } from '#dist/src/store/object-entry.js';
import { type Pod, pod } from './entries.js';

/** An entry that counts its pins. */
export class PinnedEntry extends ObjectEntry<Pod> {
  pins = 0;

  pin(): void {
    this.pins++;
  }

  unpin(): void {
    if (this.pins === 0) throw new Error(`${this.key} was unpinned more often than pinned`);
    this.pins--;
  }
}

export function pinnedEntry(name: string, version: number): PinnedEntry {
  return new PinnedEntry(pod(name, version));
}
