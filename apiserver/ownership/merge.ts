/** Merges an applied object into the live one. After sigs.k8s.io/structured-merge-diff (Apache-2.0). */

import { isRecord } from '../json.js';
import { isEmpty } from './comparison.js';
import { itemElement, itemsOf } from './list-items.js';
import { below, type Ownership, ownedAs } from './ownership-schema.js';

/** Atomic values are taken from `applied`, if present. */
export function mergeApplied(live: unknown, applied: unknown, ownership: Ownership): unknown {
  if (applied === undefined) return live;
  if (live === undefined || (isEmpty(live) && isEmpty(applied))) return applied;
  const as = ownedAs(ownership, applied);
  if (as === 'leaf') return applied;
  if (ownership.type === 'list') return mergeLists(itemsOf(live), itemsOf(applied), ownership);
  const before = isRecord(live) ? live : {};
  const after = isRecord(applied) ? applied : {};
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  if (keys.size === 0) return applied;
  return Object.fromEntries(
    [...keys].map((key) => [
      key,
      mergeApplied(memberOf(before, key), memberOf(after, key), below(ownership, `f:${key}`)),
    ]),
  );
}

/** Applied items are in the order of the applied list; other items keep their relative position. */
function mergeLists(
  live: readonly unknown[],
  applied: readonly unknown[],
  ownership: Extract<Ownership, { type: 'list' }>,
): unknown[] {
  const liveElements = live.map((item) => itemElement(item, ownership));
  const appliedElements = applied.map((item) => itemElement(item, ownership));
  const appliedItems = new Map(applied.map((item, index) => [appliedElements[index] ?? '', item]));
  const liveItems = uniqueItems(live, liveElements);
  const shared = appliedElements.filter((element) => liveElements.includes(element));
  const merged = new Set<string>();
  const out: unknown[] = [];

  const take = (element: string): void => {
    merged.add(element);
    if (shared[0] === element) shared.shift();
    out.push(mergeApplied(liveItems.get(element), appliedItems.get(element), ownership.element));
  };

  let left = 0;
  let right = 0;
  while (left < live.length || right < applied.length) {
    const leftElement = liveElements[left];
    const rightElement = appliedElements[right];
    if (leftElement !== undefined && rightElement !== undefined) {
      if (leftElement === rightElement) {
        take(leftElement);
        left++;
        right++;
        continue;
      }
      const isOther = appliedItems.has(leftElement) && shared.length > 0 && shared[0] !== leftElement;
      if (isOther) {
        left++;
        continue;
      }
    }
    if (leftElement !== undefined) {
      if (!appliedItems.has(leftElement)) {
        out.push(live[left]);
        left++;
        continue;
      }
      if (merged.has(leftElement)) left++;
    }
    if (rightElement !== undefined) {
      take(rightElement);
      right++;
    }
  }
  return out;
}

/** Items that share an element are not merged. */
function uniqueItems(items: readonly unknown[], elements: readonly string[]): Map<string, unknown> {
  const seen = new Map<string, unknown>();
  for (const [index, element] of elements.entries()) {
    seen.set(element, seen.has(element) ? undefined : items[index]);
  }
  return seen;
}

function memberOf(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
