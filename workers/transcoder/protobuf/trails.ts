/**
 * The tags that messages have had, in their order, as a tree: what shapes.ts is for the keys of JSON. There is one for each field that holds messages,
 * and for each place of a plan that does:
 *
 *     volumes ─ name ─ volumeSource{ ─ secret ─ }      shape 7
 *                                    └ emptyDir ─ }    shape 9
 *
 * Go writes the fields of a struct in one order, and most of them always. So what comes next mostly is what came next last time, and all that
 * follows from the tags before is known without a look at the schema: which fields were there, the keys of the object so far, the place in the
 * plan. Where a tag leads out of the tree, fields.ts goes on, and makes the steps that are missing.
 */

import { Key } from '../keys';
import { Path } from '../plan';
import { Node } from '../shapes';
import { allocate, table } from '../table';
import { Field, Message } from './schema';

/** What finds no room is read without, which takes longer. */
const MAX_STEPS: u32 = 2048;

/** Of a tag, so that it and a zero behind it are in one word. */
const MAX_TAG_BYTES: u32 = 3;

// What is to be done at a step.
/** The value is empty, which JSON leaves out. */
export const PASS: u32 = 0;
export const PUT_STRING: u32 = 1;
export const PUT_MESSAGE: u32 = 2;
export const PUT_MESSAGES: u32 = 3;
export const PUT_BOOLEAN: u32 = 4;
export const PUT_INTEGER: u32 = 5;
/** One value of any other kind. */
export const PUT_VALUE: u32 = 6;
export const PUT_LIST: u32 = 7;
export const PUT_MAP: u32 = 8;
/** The fields of this message stand in the place of it, up to LEAVE. */
export const ENTER: u32 = 9;
/** There is no tag for it. */
export const LEAVE: u32 = 10;
/** By the plan. */
export const DROP: u32 = 11;
/** No schema knows it. */
export const SKIP: u32 = 12;

@unmanaged
export class Step {
  /** The tag as it is written, and with PASS the zero behind it. */
  bytes: u32;
  mask: u32;
  /** The one that was taken last; NO_STEP if there is none. */
  next: Step;
  /** Another one that may come next in the place of this. */
  other: Step;
  field: Field;
  /** Where in the tree of shapes the object is then. */
  node: Node;
  place: Path | null;
  /** With PUT_MESSAGE and PUT_MESSAGES; null until it is used. */
  trail: Trail | null;
  /** Bits of the fields up to here. */
  seen: u64;
  action: u8;
  tagBytes: u8;
  /** Then the step is not for an empty value. */
  isLeftOutWhenEmpty: bool;
  /** All that JSON always has is there. */
  isWhole: bool;
}

@unmanaged
export class Trail {
  message: Message;
  key: Key;
  path: Path | null;
  first: Step;
}

/** No bytes are its bytes. */
export const NO_STEP: Step = changetype<Step>(memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0]));

/** Of the messages of a field, which stand under this key; null if there is no room. */
export function trailOf(field: Field, key: Key, path: Path | null): Trail | null {
  if (path !== null) return trailAt(path, field.message, key, key.root);
  const known = field.trail;
  if (known !== null) return known.key === key ? known : null;
  const created = newTrail(field.message, key, key.root, null);
  field.trail = created;
  return created;
}

/** Of the messages at a place of the plan, which begin at this node of the tree of shapes. */
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
  const address = allocate(offsetof<Trail>());
  const first = newStep();
  if (address == 0 || first === NO_STEP) return null;
  const trail = changetype<Trail>(address);
  trail.message = message;
  trail.key = key;
  trail.path = path;
  trail.first = first;
  first.node = from;
  first.isWhole = message.required == 0;
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

/** The number of the field, and how it is written. */
export function tagOf(step: Step): u32 {
  const bytes = step.bytes;
  return (bytes & 0x7f) | ((bytes >> 1) & 0x3f80) | ((bytes >> 2) & 0x1fc000);
}

/** True if the step for these bytes comes next from now on; false if there is none. */
export function turnTo(step: Step, bytes: u32): bool {
  let found = NO_STEP;
  for (let child = step.next; child !== NO_STEP; child = child.other) {
    // One that knows the zero behind the tag is the better one.
    if ((bytes & child.mask) == child.bytes && child.mask > found.mask) found = child;
  }
  if (found === NO_STEP) return false;
  if (found.isLeftOutWhenEmpty && ((bytes >> (<u32>found.tagBytes << 3)) & 0xff) == 0) return false;
  comeFirst(step, found);
  return true;
}

/** The same for the end of an inlined message. */
export function turnToLeave(step: Step): bool {
  const found = stepWith(step, NO_STEP.bytes, NO_STEP.mask);
  if (found === NO_STEP) return false;
  comeFirst(step, found);
  return true;
}

function comeFirst(step: Step, found: Step): void {
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
 * The step after this one for the tag from `at` to `tagEnd`, made if there is none; NO_STEP if there is no room, or none before. A step is complete
 * when it can be found, because any document may be given up.
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
  const mask: u32 = isLeave ? NO_STEP.mask : 0xffffffff >> (32 - ((tagBytes + (action == PASS ? 1 : 0)) << 3));
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
  step.isLeftOutWhenEmpty = action >= PUT_STRING && action <= PUT_VALUE && field.leftOutWhenEmpty != 0;
  step.isWhole = (message.required & ~seen) == 0;
  step.other = before.next;
  before.next = step;
  return step;
}
