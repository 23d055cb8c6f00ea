/**
 * Which objects belong to the shards of a stream: FNV-1a of the uid decides, as on the API server. It is read from the
 * document before anything is decoded, so that an object of another shard costs no more than skipping it.
 */

import { abandon, INVALID, p, peek, RARE, setInput, takeColon } from './cursor';
import { endOfPlainString } from './json-strings';
import { plan } from './plan';
import { skipValue } from './skip';

const BASIS: u64 = 0xcbf29ce484222325;
const PRIME: u64 = 0x100000001b3;

let uid: usize = 0;
let uidLength: u32 = 0;
/** The resource version of the object that was looked at; of no length if it has none. */
export let foundVersion: usize = 0;
export let foundVersionLength: u32 = 0;

@inline
export function isSharded(): bool {
  return plan.rangeCount > 0;
}

export function beginIdentity(): void {
  uidLength = 0;
  foundVersionLength = 0;
}

export function foundUid(chars: usize, length: u32): void {
  uid = chars;
  uidLength = length;
}

export function foundResourceVersion(chars: usize, length: u32): void {
  foundVersion = chars;
  foundVersionLength = length;
}

/** Whether the uid that was found is in none of the ranges. An object without uid has an empty one. */
export function hasOtherUid(): bool {
  let hash = BASIS;
  for (let i: u32 = 0; i < uidLength; i++) hash = (hash ^ <u64>load<u8>(uid + i)) * PRIME;
  const end = plan.ranges + ((<usize>plan.rangeCount) << 4);
  for (let range = plan.ranges; range < end; range += 16) {
    if (hash >= load<u64>(range) && hash <= load<u64>(range, 8)) return false;
  }
  return true;
}

/** Whether the object in JSON at `p` is of another shard. Afterwards `p` is where it was. */
export function isObjectOfOther(): bool {
  const start = p;
  beginIdentity();
  if (peek() != 0x7b) abandon(INVALID);
  findMetadata();
  setInput(start);
  return hasOtherUid();
}

function findMetadata(): void {
  setInput(p + 1);
  if (peek() == 0x7d) return;
  while (true) {
    const at = takeKey();
    if (load<u64>(at) == 0x617461646174656d && load<u8>(at, 8) == 0x22) {
      if (peek() == 0x7b) findIdentity();
      return;
    }
    skipValue(1);
    if (!isFollowed()) return;
  }
}

/** Reads metadata up to the uid and the resource version. */
function findIdentity(): void {
  let missing = 2;
  setInput(p + 1);
  if (peek() == 0x7d) return;
  while (true) {
    const at = takeKey();
    const isUid = load<u32>(at) == 0x22646975;
    const isVersion =
      load<u64>(at) == 0x656372756f736572 &&
      load<u64>(at, 7) == 0x6e6f697372655665 &&
      load<u8>(at, 15) == 0x22;
    if ((isUid || isVersion) && peek() == 0x22) {
      const chars = p + 1;
      const end = endOfPlainString(chars);
      if (load<u8>(end) != 0x22) abandon(RARE);
      setInput(end + 1);
      if (isUid) foundUid(chars, <u32>(end - chars));
      else foundResourceVersion(chars, <u32>(end - chars));
      if (--missing == 0) return;
    } else skipValue(2);
    if (!isFollowed()) return;
  }
}

/** Takes a key and its colon; returns the address of its first character. */
function takeKey(): usize {
  if (peek() != 0x22) abandon(INVALID);
  const at = p + 1;
  const end = endOfPlainString(at);
  if (load<u8>(end) != 0x22) abandon(RARE);
  setInput(end + 1);
  takeColon();
  return at;
}

function isFollowed(): bool {
  const next = peek();
  setInput(p + 1);
  if (next == 0x7d) return false;
  if (next != 0x2c) abandon(INVALID);
  return true;
}
