/** Checks payloads that come from a file without creating objects. object-packer.ts draws the format. */

import type { Definition } from './definitions.js';

/** As deep as a decoder ever lets an object be: `StreamLimits.depth`. */
const MAX_DEPTH = 1000;

/** Of a number that is a string, for `#values`. */
const STRING = -1;

/** How many bytes follow each token of a number, a boolean or null; -1 for other tokens. */
const FIXED: Int8Array = new Int8Array(256).fill(-1);
for (const token of [0xc0, 0xc2, 0xc3]) FIXED[token] = 0;
for (const token of [0xcc, 0xd0]) FIXED[token] = 1;
for (const token of [0xcd, 0xd1]) FIXED[token] = 2;
for (const token of [0xce, 0xd2]) FIXED[token] = 4;
FIXED[0xcb] = 8;

/**
 * Whether bytes are exactly one payload that `ObjectReader.read` reads with the same definitions, and an object.
 * Bounded: it takes no more steps than there are bytes, and no memory. One loop without calls, as it sees every byte of
 * a file.
 */
export class PayloadChecker {
  /** By number: how many values a record has; `STRING` for a string. */
  readonly #values: Int32Array;
  /** Of each open container: the values that are left, and whether it is a map, in which every other one is a key. */
  readonly #left = new Float64Array(MAX_DEPTH + 1);
  readonly #isMap = new Uint8Array(MAX_DEPTH + 1);

  constructor(definitions: readonly Definition[]) {
    this.#values = Int32Array.from(definitions, (one) => (typeof one === 'string' ? STRING : one.length));
  }

  isObject(bytes: Uint8Array, start: number, end: number): boolean {
    if (start >= end || !isObjectToken(bytes[start] as number)) return false;
    return this.#endOf(bytes, start, end) === end;
  }

  /** The end of the value at `start`; -1 if there is none. */
  #endOf(bytes: Uint8Array, start: number, end: number): number {
    const values = this.#values;
    const lefts = this.#left;
    const isMaps = this.#isMap;
    let at = start;
    let depth = 0;
    let left = 1;
    let isMap = 0;
    for (;;) {
      while (left === 0) {
        if (depth === 0) return at;
        depth--;
        left = lefts[depth] as number;
        isMap = isMaps[depth] as number;
      }
      if (at >= end) return -1;
      const isKey = isMap === 1 && left % 2 === 0;
      left--;
      const token = bytes[at++] as number;
      // What the token opens: this many values.
      let inner = 0;
      let isInnerMap = 0;
      if (token < 0x40) {
        if (isKey) return -1;
        continue;
      }
      if (token < 0x80) {
        let id = token & 0x1f;
        if (token >= 0x60) {
          if (at >= end) return -1;
          id = 32 + (((bytes[at++] as number) << 5) | id);
        }
        if (id >= values.length) return -1;
        inner = values[id] as number;
        if (inner === STRING) continue;
      } else if (token < 0x90) {
        inner = 2 * (token & 0x0f);
        isInnerMap = 1;
      } else if (token < 0xa0) {
        inner = token & 0x0f;
      } else if (token < 0xc0) {
        at += token & 0x1f;
        if (at > end) return -1;
        continue;
      } else if ((FIXED[token] as number) >= 0) {
        at += FIXED[token] as number;
        if (isKey || at > end) return -1;
        continue;
      } else {
        const sizeBytes = sizeBytesOf(token);
        if (sizeBytes === 0 || end - at < sizeBytes) return -1;
        let size = 0;
        for (let i = 0; i < sizeBytes; i++) size = size * 256 + (bytes[at++] as number);
        if (token === UTF16) size *= 2;
        if (token < ARRAY16) {
          at += size;
          if (at > end) return -1;
          continue;
        }
        isInnerMap = token >= MAP16 ? 1 : 0;
        inner = isInnerMap === 1 ? 2 * size : size;
      }
      // Every value has at least a byte.
      if (isKey || depth >= MAX_DEPTH || inner > end - at) return -1;
      if (inner === 0) continue;
      lefts[depth] = left;
      isMaps[depth] = isMap;
      depth++;
      left = inner;
      isMap = isInnerMap;
    }
  }
}

const UTF16 = 0xc1;
const ARRAY16 = 0xdc;
const MAP16 = 0xde;

function isObjectToken(token: number): boolean {
  if (token >= 0x40 && token < 0x80) return true;
  return (token >= 0x80 && token < 0x90) || token === 0xde || token === 0xdf;
}

/** Of the sizes that follow the tokens of long strings, arrays and maps; 0 for tokens that do not exist. */
function sizeBytesOf(token: number): number {
  switch (token) {
    case 0xd9:
      return 1;
    case 0xda:
    case ARRAY16:
    case MAP16:
      return 2;
    case UTF16:
    case 0xdb:
    case 0xdd:
    case 0xdf:
      return 4;
    default:
      return 0;
  }
}
