/** The same as ../shard.ts, for objects in protobuf. */

import { p, setInput } from '../cursor';
import { beginIdentity, foundResourceVersion, foundUid, hasOtherUid } from '../shard';
import { readLength, readTag, skipValue } from './wire';

// Tags: metadata is field 1 of every object; the others are fields 5 and 6 of ObjectMeta.
const METADATA_TAG: u32 = 10;
const UID_TAG: u32 = 42;
const VERSION_TAG: u32 = 50;

/** Whether the object from `from` to `end` is of another shard. */
export function isMessageOfOther(from: usize, end: usize): bool {
  beginIdentity();
  setInput(from);
  while (p < end) {
    const tag = readTag(end);
    if (tag != METADATA_TAG) {
      skipValue(tag, end);
      continue;
    }
    const length = readLength(end);
    findIdentity(p + length);
    break;
  }
  return hasOtherUid();
}

function findIdentity(end: usize): void {
  while (p < end) {
    const tag = readTag(end);
    if (tag != UID_TAG && tag != VERSION_TAG) {
      skipValue(tag, end);
      continue;
    }
    const length = readLength(end);
    if (tag == UID_TAG) foundUid(p, length);
    else foundResourceVersion(p, length);
    setInput(p + length);
    // Go writes the fields in order.
    if (tag == VERSION_TAG) return;
  }
}
