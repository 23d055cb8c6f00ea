/** Checks payloads that come from a file without creating objects. object-packer.ts draws the format. */

import type { Definition } from './definitions.js';

/** As deep as a decoder ever lets an object be: `StreamLimits.depth`. */
const MAX_DEPTH = 1000;

/** What is at `#position`, as far as a key of a map has to be known. */
type Kind = 'string' | 'other';

/**
 * Whether bytes are exactly one payload that `ObjectReader.read` reads with the same definitions, and an object.
 * Bounded: it takes no more steps than there are bytes, and no memory.
 */
export class PayloadChecker {
  /** By number: how many values a record has; -1 for a string. */
  readonly #values: Int32Array;
  #bytes: Uint8Array = new Uint8Array(0);
  #position = 0;
  #end = 0;

  constructor(definitions: readonly Definition[]) {
    this.#values = Int32Array.from(definitions, (one) => (typeof one === 'string' ? -1 : one.length));
  }

  isObject(bytes: Uint8Array, start: number, end: number): boolean {
    this.#bytes = bytes;
    this.#position = start;
    this.#end = end;
    if (start >= end || !this.#isObjectToken(bytes[start] as number)) return false;
    return this.#value(0) !== undefined && this.#position === end;
  }

  #isObjectToken(token: number): boolean {
    if (token >= 0x40 && token < 0x80) return true;
    return (token >= 0x80 && token < 0x90) || token === 0xde || token === 0xdf;
  }

  /** Undefined if there is no value. */
  #value(depth: number): Kind | undefined {
    if (this.#position >= this.#end || depth > MAX_DEPTH) return undefined;
    const token = this.#bytes[this.#position++] as number;
    if (token < 0x40) return 'other';
    if (token < 0x80) return this.#defined(token, depth);
    if (token < 0x90) return this.#map(token & 0x0f, depth);
    if (token < 0xa0) return this.#array(token & 0x0f, depth);
    if (token < 0xc0) return this.#skip(token & 0x1f, 'string');
    switch (token) {
      case 0xc0:
      case 0xc2:
      case 0xc3:
        return 'other';
      case 0xc1:
        return this.#skip(this.#size(4) * 2, 'string');
      case 0xcb:
        return this.#skip(8, 'other');
      case 0xcc:
      case 0xd0:
        return this.#skip(1, 'other');
      case 0xcd:
      case 0xd1:
        return this.#skip(2, 'other');
      case 0xce:
      case 0xd2:
        return this.#skip(4, 'other');
      case 0xd9:
        return this.#skip(this.#size(1), 'string');
      case 0xda:
        return this.#skip(this.#size(2), 'string');
      case 0xdb:
        return this.#skip(this.#size(4), 'string');
      case 0xdc:
        return this.#array(this.#size(2), depth);
      case 0xdd:
        return this.#array(this.#size(4), depth);
      case 0xde:
        return this.#map(this.#size(2), depth);
      case 0xdf:
        return this.#map(this.#size(4), depth);
      default:
        return undefined;
    }
  }

  #defined(token: number, depth: number): Kind | undefined {
    let id = token & 0x1f;
    if (token >= 0x60) {
      if (this.#position >= this.#end) return undefined;
      id = 32 + (((this.#bytes[this.#position++] as number) << 5) | id);
    }
    const values = this.#values[id];
    if (values === undefined) return undefined;
    return values < 0 ? 'string' : this.#array(values, depth);
  }

  #array(length: number, depth: number): Kind | undefined {
    // Every element has at least a byte.
    if (!(length <= this.#end - this.#position)) return undefined;
    for (let i = 0; i < length; i++) if (this.#value(depth + 1) === undefined) return undefined;
    return 'other';
  }

  #map(size: number, depth: number): Kind | undefined {
    if (!(size <= this.#end - this.#position)) return undefined;
    for (let i = 0; i < size; i++) {
      if (this.#value(depth + 1) !== 'string' || this.#value(depth + 1) === undefined) return undefined;
    }
    return 'other';
  }

  #skip(bytes: number, kind: Kind): Kind | undefined {
    if (!(bytes <= this.#end - this.#position)) return undefined;
    this.#position += bytes;
    return kind;
  }

  /** A size of 1, 2 or 4 bytes; NaN if it is not there. */
  #size(bytes: number): number {
    if (this.#end - this.#position < bytes) return Number.NaN;
    let size = 0;
    for (let i = 0; i < bytes; i++) size = size * 256 + (this.#bytes[this.#position++] as number);
    return size;
  }
}
