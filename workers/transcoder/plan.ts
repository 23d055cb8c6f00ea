/**
 * What is extracted from the objects of a stream besides their payload: a tree of paths, created once per stream.
 *
 *     kind, apiVersion                                        captured for the type check
 *     metadata ─ name, namespace, uid, resourceVersion        captured for the header
 *              └ managedFields                                dropped
 *     spec ─ nodeName                                         captured for index 0
 *
 * Outside of these paths no keys are compared. Arrays are walked: their elements have the array's place in the tree.
 */

import { abandon, RARE } from './cursor';
import { addIndexValue, beginElement, openElement, resetIndexValues } from './index-values';
import { isSameBytes, reserve } from './memory';

/** Numbers of captured strings. */
export const TYPE: u32 = 0;
export const KIND: u32 = 1;
export const API_VERSION: u32 = 2;
export const NAMESPACE: u32 = 3;
export const NAME: u32 = 4;
export const UID: u32 = 5;
export const RESOURCE_VERSION: u32 = 6;
export const METADATA: u32 = 7;
const CAPTURES: usize = 8;

/** More paths than fit are left to the reference decoder. */
const PLAN_BYTES: usize = 16 * 1024;
const MAX_NAME_LENGTH: u32 = 256;

@unmanaged
export class Path {
  /** Followed by a quote. */
  name: usize;
  length: u32;
  child: Path | null;
  sibling: Path | null;
  /** The object in which it was found last, to detect duplicate keys. */
  object: u32;
  isDropped: bool;
  /** The number of the captured string plus one, or 0. */
  capture: u32;
  /** One bit for each index whose path ends here. */
  indexes: u32;
  /** The objects here are elements with a gate: see index-values.ts. */
  isElement: bool;
  /** The gate of an element is here. */
  isGate: bool;
  // See protobuf/trails.ts: the trail of the messages here, and the serial of the table for which it was created.
  trail: usize;
  trailTable: u32;
}

@unmanaged
export class Plan {
  /** The list of free plans. */
  nextFree: Plan | null;
  used: usize;
  root: Path;
  maxDepth: u32;
  indexCount: u32;
  /** The indexes whose values need an open gate. */
  gatedIndexes: u32;
  /** The expected type, which payloads contain. An empty kind stands for any kind. */
  kind: usize;
  kindLength: u32;
  apiVersion: usize;
  apiVersionLength: u32;
  /** The type of objects in a response to a request for metadata only; 0 for other requests. */
  partialKind: usize;
  partialKindLength: u32;
  partialApiVersion: usize;
  partialApiVersionLength: u32;
  /** The list has the expected type, so items without kind and apiVersion are of this kind. */
  areItemsTyped: bool;
  itemKind: usize;
  itemKindLength: u32;
  /** A document with an unknown protobuf field is abandoned. */
  isUnknownAbandoned: bool;
  /** First and last hash of each range of uids; without ranges, all objects are decoded. See shard.ts. */
  ranges: usize;
  rangeCount: u32;
}

let freePlans: Plan | null = null;

/** The plan of the document that is being read. */
export let plan: Plan = changetype<Plan>(0);

/** How many objects with a place in the tree were read so far: see `Path.object`. */
let objects: u32 = 0;

export function newPlan(maxDepth: u32, indexCount: u32): Plan {
  let created = freePlans;
  if (created === null) created = changetype<Plan>(reserve(PLAN_BYTES));
  else freePlans = created.nextFree;
  memory.fill(changetype<usize>(created), 0, PLAN_BYTES);
  created.used = (offsetof<Plan>() + 15) & ~15;
  created.maxDepth = maxDepth;
  created.indexCount = indexCount;
  created.root = changetype<Path>(take(created, offsetof<Path>()));
  return created;
}

export function freePlan(unused: Plan): void {
  unused.nextFree = freePlans;
  freePlans = unused;
}

export function setPlan(used: Plan): void {
  plan = used;
}

/** 0 if the plan is full. */
function take(from: Plan, bytes: usize): usize {
  const start = changetype<usize>(from) + from.used;
  const size = (bytes + 15) & ~15;
  if (from.used + size > PLAN_BYTES) return 0;
  from.used += size;
  return start;
}

/** Memory for this many ranges; 0 if the plan is full. */
export function takeRanges(within: Plan, count: u32): usize {
  const ranges = take(within, (<usize>count) << 4);
  within.ranges = ranges;
  within.rangeCount = ranges == 0 ? 0 : count;
  return ranges;
}

/** Copies a string into the plan, followed by a quote and space for a SIMD register; 0 if the plan is full. */
export function keepString(within: Plan, chars: usize, length: u32): usize {
  if (length > MAX_NAME_LENGTH) return 0;
  const copy = take(within, length + 32);
  if (copy == 0) return 0;
  memory.copy(copy, chars, length);
  store<u8>(copy + length, 0x22);
  return copy;
}

/** The path under `parent` with this name, created if necessary; null if the plan is full. */
export function pathUnder(within: Plan, parent: Path, chars: usize, length: u32): Path | null {
  let path = parent.child;
  while (path !== null) {
    if (path.length == length && isSameBytes(path.name, chars, length)) return path;
    path = path.sibling;
  }
  const created = take(within, offsetof<Path>());
  const copy = keepString(within, chars, length);
  if (created == 0 || copy == 0) return null;
  path = changetype<Path>(created);
  path.name = copy;
  path.length = length;
  path.sibling = parent.child;
  parent.child = path;
  return path;
}

/** To be called at the beginning of an object that has a place in the tree; the result is for `placeOf`. */
@inline
export function nextObjectWithPlace(): u32 {
  return ++objects;
}

/**
 * The place of the key at `at`, or null. Duplicate keys are left to the reference decoder, where the last one counts.
 */
export function placeOf(path: Path, at: usize, object: u32): Path | null {
  let child = path.child;
  while (child !== null) {
    if (isSameBytes(child.name, at, child.length + 1)) {
      if (child.object == object) abandon(RARE);
      child.object = object;
      return child;
    }
    child = child.sibling;
  }
  return null;
}

/** The same for a name that is not followed by a quote. */
export function placeNamed(path: Path, chars: usize, length: u32, object: u32): Path | null {
  let child = path.child;
  while (child !== null) {
    if (child.length == length && isSameBytes(child.name, chars, length)) {
      if (child.object == object) abandon(RARE);
      child.object = object;
      return child;
    }
    child = child.sibling;
  }
  return null;
}

// The captured strings of the document: address (or one of these, or 0 if absent), length.
export const NOT_A_STRING: u32 = 1;
export const AN_OBJECT: u32 = 2;
const captures: usize = memory.data(64);

export function resetCaptures(): void {
  memory.fill(captures, 0, CAPTURES << 3);
  resetIndexValues();
}

/** The address of a captured string, or NOT_A_STRING, AN_OBJECT or 0. */
@inline
export function captured(number: u32): usize {
  return load<u32>(captures + (number << 3));
}

/** 0 if it is not a string. */
@inline
export function capturedLength(number: u32): u32 {
  return captured(number) > AN_OBJECT ? load<u32>(captures + (number << 3), 4) : 0;
}

/** Captures a string that has no place in the tree. */
export function capture(number: u32, chars: usize, length: u32): void {
  store<u32>(captures + (number << 3), <u32>chars);
  store<u32>(captures + (number << 3), length, 4);
}

/** To be called at the beginning of each object at this place. */
@inline
export function beginObjectAt(path: Path): void {
  if (path.isElement) beginElement();
}

/** Captures a string, number or boolean at this place. */
export function captureValue(path: Path, chars: usize, length: u32, isString: bool): void {
  if (path.capture > 0) {
    const slot = captures + ((path.capture - 1) << 3);
    store<u32>(slot, isString ? <u32>chars : NOT_A_STRING);
    store<u32>(slot, length, 4);
  }
  if (path.indexes != 0) addIndexValue(path.indexes, chars, length);
  // `true`
  if (path.isGate && !isString && length == 4 && load<u8>(chars) == 0x74) openElement();
}

/** Captures that an object or null is at this place. */
@inline
export function captureOther(path: Path, mark: u32): void {
  if (path.capture > 0) store<u32>(captures + ((path.capture - 1) << 3), mark);
}
