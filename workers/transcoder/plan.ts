/**
 * What a stream wants to know of its objects besides their payload: a tree of the paths that matter, made once per stream.
 *
 *     kind, apiVersion                                        captured for the type check
 *     metadata ─ name, namespace, uid, resourceVersion        captured for the header
 *              └ managedFields                                dropped
 *     spec ─ nodeName                                         captured for index 0
 *
 * Where no path leads, the walk compares no key with it. Arrays on the way are walked: their elements have the array's place in the tree.
 */

import { abandon, RARE } from './cursor';
import { isSameText, MAX_SPANS, reserve, SPANS } from './memory';

/** Numbers of captured texts. */
export const TYPE: u32 = 0;
export const KIND: u32 = 1;
export const API_VERSION: u32 = 2;
export const NAMESPACE: u32 = 3;
export const NAME: u32 = 4;
export const UID: u32 = 5;
export const RESOURCE_VERSION: u32 = 6;
export const METADATA: u32 = 7;
const CAPTURES: usize = 8;

/** Paths beyond this are left to the reference decoder. */
const PLAN_BYTES: usize = 16 * 1024;
const MAX_NAME_LENGTH: u32 = 256;

@unmanaged
export class Path {
  /** A quote is behind the text. */
  text: usize;
  length: u32;
  child: Path | null;
  sibling: Path | null;
  /** The object in which it was found last; twice in one is a key that stands there twice. */
  object: u32;
  isDropped: bool;
  /** Number of a captured text plus one, or 0. */
  capture: u32;
  /** A bit for each index whose path ends here. */
  indexes: u32;
  // Of protobuf/trails.ts: of the messages here, and the serial of the table for which it was made.
  trail: usize;
  trailTable: u32;
}

@unmanaged
export class Plan {
  /** Of free plans. */
  nextFree: Plan | null;
  used: usize;
  root: Path;
  maxDepth: u32;
  indexCount: u32;
  /** What payloads say, and what objects have to be. A kind without letters is any. */
  kind: usize;
  kindLength: u32;
  apiVersion: usize;
  apiVersionLength: u32;
  /** Of the answer to a request for metadata only; 0 if it is not one. */
  partialKind: usize;
  partialKindLength: u32;
  partialApiVersion: usize;
  partialApiVersionLength: u32;
  /** Items without kind and apiVersion are of the expected type, by what their list said: this kind. */
  areItemsTyped: bool;
  itemKind: usize;
  itemKindLength: u32;
}

let freePlans: Plan | null = null;

/** The plan by which the document is being read. */
export let plan: Plan = changetype<Plan>(0);

/** Objects with a place in the tree, so far: what `Path.object` counts. */
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

/** A copy of the text within the plan, with a quote and room for a register behind; 0 if the plan is full. */
export function keepText(within: Plan, text: usize, length: u32): usize {
  if (length > MAX_NAME_LENGTH) return 0;
  const copy = take(within, length + 32);
  if (copy == 0) return 0;
  memory.copy(copy, text, length);
  store<u8>(copy + length, 0x22);
  return copy;
}

/** The place under `parent` with this name, which is made if there is none; null if the plan is full. */
export function placeUnder(within: Plan, parent: Path, text: usize, length: u32): Path | null {
  let path = parent.child;
  while (path !== null) {
    if (path.length == length && isSameText(path.text, text, length)) return path;
    path = path.sibling;
  }
  const created = take(within, offsetof<Path>());
  const copy = keepText(within, text, length);
  if (created == 0 || copy == 0) return null;
  path = changetype<Path>(created);
  path.text = copy;
  path.length = length;
  path.sibling = parent.child;
  parent.child = path;
  return path;
}

/** To be called at the beginning of an object that has a place in the tree; to be given to `placeOf`. */
@inline
export function nextObjectWithPlace(): u32 {
  return ++objects;
}

/** The place of the key that begins at `at`, or null. A key that stands in an object twice is left to the reference decoder, where the last one counts. */
export function placeOf(path: Path, at: usize, object: u32): Path | null {
  let child = path.child;
  while (child !== null) {
    if (isSameText(child.text, at, child.length + 1)) {
      if (child.object == object) abandon(RARE);
      child.object = object;
      return child;
    }
    child = child.sibling;
  }
  return null;
}

/** The same for a name without a quote behind. */
export function placeNamed(path: Path, text: usize, length: u32, object: u32): Path | null {
  let child = path.child;
  while (child !== null) {
    if (child.length == length && isSameText(child.text, text, length)) {
      if (child.object == object) abandon(RARE);
      child.object = object;
      return child;
    }
    child = child.sibling;
  }
  return null;
}

// Captured texts of the document: address (or one of these, or 0 for what is not there), length.
export const NO_TEXT: u32 = 1;
export const AN_OBJECT: u32 = 2;
const captures: usize = memory.data(64);
let spans: u32 = 0;

export function resetCaptures(): void {
  memory.fill(captures, 0, CAPTURES << 3);
  spans = 0;
}

/** The address of a captured text, or what stands for it. */
@inline
export function captured(number: u32): usize {
  return load<u32>(captures + (number << 3));
}

/** 0 if it is no text. */
@inline
export function capturedLength(number: u32): u32 {
  return captured(number) > AN_OBJECT ? load<u32>(captures + (number << 3), 4) : 0;
}

/** A text that stands at no place of the tree. */
export function capture(number: u32, text: usize, length: u32): void {
  store<u32>(captures + (number << 3), <u32>text);
  store<u32>(captures + (number << 3), length, 4);
}

/** A string, number or boolean stands at this place. */
export function captureText(path: Path, text: usize, length: u32, isString: bool): void {
  if (path.capture > 0) {
    const slot = captures + ((path.capture - 1) << 3);
    store<u32>(slot, isString ? <u32>text : NO_TEXT);
    store<u32>(slot, length, 4);
  }
  if (path.indexes != 0) captureIndexValue(path.indexes, text, length);
}

/** An object or null stands at this place. */
@inline
export function captureOther(path: Path, mark: u32): void {
  if (path.capture > 0) store<u32>(captures + ((path.capture - 1) << 3), mark);
}

function captureIndexValue(indexes: u32, text: usize, length: u32): void {
  let left = indexes;
  while (left != 0) {
    if (spans == MAX_SPANS) abandon(RARE);
    const span = SPANS + spans * 12;
    store<u32>(span, ctz(left));
    store<u32>(span, <u32>text, 4);
    store<u32>(span, length, 8);
    spans++;
    left &= left - 1;
  }
}

@inline
export function spanCount(): u32 {
  return spans;
}
