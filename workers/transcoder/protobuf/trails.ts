/**
 * Trails: trees of the tags that messages have had, as shapes.ts has for the keys of JSON. There is one for each field
 * that contains messages, and for each place of a plan that does:
 *
 *     volumes ─ name ─ volumeSource{ ─ secret ─ }      shape 7
 *                                    └ emptyDir ─ }    shape 9
 *
 * Go writes the fields of a struct in a fixed order, and most of them always. So the next tag is usually the one that
 * came next last time, and all that follows from the tags so far is known without the schema: which fields were sent,
 * the keys of the object, the place in the plan. Where the tree ends, fields.ts continues, and adds the missing steps.
 */

import { Key } from '../keys';
import { Path } from '../plan';
import { Node } from '../shapes';
import { allocate, table } from '../table';
import { Field, Message } from './schema';

/** Messages without steps are read by the schema, which takes longer. */
const MAX_STEPS: u32 = 2048;

/** So that a tag and a zero after it fit into one word. */
const MAX_TAG_BYTES: u32 = 3;

// The actions of a step.
/** The value is empty, and JSON omits it. */
export const SKIP_EMPTY: u32 = 0;
export const PUT_STRING: u32 = 1;
export const PUT_MESSAGE: u32 = 2;
export const PUT_MESSAGES: u32 = 3;
export const PUT_BOOLEAN: u32 = 4;
export const PUT_INTEGER: u32 = 5;
/** One value of any other kind. */
export const PUT_VALUE: u32 = 6;
export const PUT_LIST: u32 = 7;
export const PUT_MAP: u32 = 8;
/** Begins an inlined message, whose fields belong to this object, up to LEAVE. */
export const ENTER: u32 = 9;
/** Ends it; there is no tag for that. */
export const LEAVE: u32 = 10;
/** Skips all consecutive values, which the plan drops. */
export const DROP: u32 = 11;
/** Skips all consecutive values of an unknown field. */
export const SKIP_UNKNOWN: u32 = 12;

@unmanaged
export class Step {
  /** The encoded tag; for SKIP_EMPTY followed by a zero. */
  bytes: u32;
  mask: u32;
  /** The next step that was taken last; NO_STEP if there is none. */
  next: Step;
  /** An alternative to this step. */
  other: Step;
  field: Field;
  /** The node of the object in the tree of shapes after this step. */
  node: Node;
  place: Path | null;
  /** For PUT_MESSAGE and PUT_MESSAGES; null until it is used. */
  trail: Trail | null;
  /** Bits of the fields so far. */
  seen: u64;
  action: u8;
  tagBytes: u8;
  /** The step does not match an empty value. */
  isOmittedWhenEmpty: bool;
  /** All fields that JSON would show as null were sent. */
  isComplete: bool;
}

@unmanaged
export class Trail {
  message: Message;
  key: Key;
  path: Path | null;
  first: Step;
}

/** Matches no tag. */
export const NO_STEP: Step = changetype<Step>(memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0]));

/** The trail of the messages of a field, under this key; null if there is no memory. */
export function trailOf(field: Field, key: Key, path: Path | null): Trail | null {
  if (path !== null) return trailAt(path, field.message, key, key.root);
  const known = field.trail;
  if (known !== null) return known.key === key ? known : null;
  const created = newTrail(field.message, key, key.root, null);
  field.trail = created;
  return created;
}

/** The trail of the messages at a place of the plan, which begin at this node of the tree of shapes. */
export function trailAt(path: Path, message: Message, key: Key, from: Node): Trail | null {
  if (path.trail != 0 && path.trailTable == table.serial) {
    const known = changetype<Trail>(path.trail);
    if (known.message === message && known.key === key && known.first.node === from) return known;
  }
  const created = newTrail(message, key, from, path);
  path.trail = changetype<usize>(created);
  path.trailTable = table.serial;
  return created;
}

function newTrail(message: Message, key: Key, from: Node, path: Path | null): Trail | null {
  // In this order: when there are no more steps, no more memory of the table is used.
  const first = newStep();
  if (first === NO_STEP) return null;
  const address = allocate(offsetof<Trail>());
  if (address == 0) return null;
  const trail = changetype<Trail>(address);
  trail.message = message;
  trail.key = key;
  trail.path = path;
  trail.first = first;
  first.node = from;
  first.isComplete = message.required == 0;
  return trail;
}

function newStep(): Step {
  const address = table.steps < MAX_STEPS ? allocate(offsetof<Step>()) : 0;
  if (address == 0) return NO_STEP;
  table.steps++;
  const step = changetype<Step>(address);
  step.next = NO_STEP;
  step.other = NO_STEP;
  return step;
}

/** Field number and wire type. */
export function tagOf(step: Step): u32 {
  const bytes = step.bytes;
  return (bytes & 0x7f) | ((bytes >> 1) & 0x3f80) | ((bytes >> 2) & 0x1fc000);
}

/** Makes the step that matches these bytes the next one; false if there is none. */
export function selectStep(step: Step, bytes: u32): bool {
  let found = NO_STEP;
  for (let child = step.next; child !== NO_STEP; child = child.other) {
    // A step that also matches the zero after the tag is preferred.
    if ((bytes & child.mask) == child.bytes && child.mask > found.mask) found = child;
  }
  if (found === NO_STEP) return false;
  if (found.isOmittedWhenEmpty && ((bytes >> (<u32>found.tagBytes << 3)) & 0xff) == 0) return false;
  moveToFront(step, found);
  return true;
}

/** The same for LEAVE. */
export function selectLeaveStep(step: Step): bool {
  const found = stepWith(step, NO_STEP.bytes, NO_STEP.mask);
  if (found === NO_STEP) return false;
  moveToFront(step, found);
  return true;
}

function moveToFront(step: Step, found: Step): void {
  if (step.next === found) return;
  let before = step.next;
  while (before.other !== found) before = before.other;
  before.other = found.other;
  found.other = step.next;
  step.next = found;
}

function stepWith(step: Step, bytes: u32, mask: u32): Step {
  let child = step.next;
  while (child !== NO_STEP && (child.bytes != bytes || child.mask != mask)) child = child.other;
  return child;
}

/**
 * The step after this one for the tag from `at` to `tagEnd`, created if necessary; NO_STEP if there is no memory, or no
 * step before. A step is complete before it can be found, because any document may be abandoned.
 */
export function addStep(
  before: Step,
  at: usize,
  tagEnd: usize,
  action: u32,
  field: Field,
  node: Node,
  place: Path | null,
  seen: u64,
  message: Message,
): Step {
  const tagBytes = <u32>(tagEnd - at);
  if (before === NO_STEP || tagBytes > MAX_TAG_BYTES) return NO_STEP;
  const isLeave = action == LEAVE;
  const mask: u32 = isLeave ? NO_STEP.mask : 0xffffffff >> (32 - ((tagBytes + (action == SKIP_EMPTY ? 1 : 0)) << 3));
  const bytes = isLeave ? NO_STEP.bytes : load<u32>(at) & mask;
  const known = stepWith(before, bytes, mask);
  if (known !== NO_STEP) return known;
  const step = newStep();
  if (step === NO_STEP) return step;
  step.bytes = bytes;
  step.mask = mask;
  step.action = <u8>action;
  step.tagBytes = <u8>tagBytes;
  step.field = field;
  step.node = node;
  step.place = place;
  step.seen = seen;
  step.isOmittedWhenEmpty = action >= PUT_STRING && action <= PUT_VALUE && field.omittedWhenEmpty != 0;
  step.isComplete = (message.required & ~seen) == 0;
  step.other = before.next;
  before.next = step;
  return step;
}
