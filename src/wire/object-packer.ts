/**
 * Packs objects into payloads, in a worker; object-reader.ts reads them on the main thread. The format is msgpack
 * with references to a table of definitions:
 *
 *     00–3f                   integer 0–63
 *     40–5f                   definition 0–31                   ┐ of a record: its values follow, in the order of keys
 *     60–7f  n                definition 32 + (n << 5 | low 5)  ┘ of a string: the string
 *     80–8f, de, df           map: keys and values              labels, annotations, data, unusual keys, unusual shapes
 *     90–9f, dc, dd           array
 *     a0–bf, d9, da           string, ASCII
 *     db     length           string, UTF-8
 *     c1     units            string, UTF-16 (little-endian): one with a lone surrogate
 *     c0, c2, c3              null, false, true
 *     cc–ce, d0–d2            integer of up to 32 bits          big-endian, as in msgpack
 *     cb                      double: fractions, −0, integers beyond 32 bits
 *
 * Without definitions and c1, every msgpack library reads it. docs/decisions/codec.md has the reasons for a codec of
 * our own.
 */

import { isWellFormed } from '../util/well-formed.js';
import { type Definition, type DefinitionTable, newTableId } from './definitions.js';
import { MAP_FIELDS, ShapeTable } from './shape-table.js';
import { StringTable } from './string-table.js';

/** Larger than almost every object. */
const INITIAL_BYTES = 64 * 1024;

/** A buffer that was enlarged beyond this for one huge object is not kept. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** Up to this length, a loop over the characters is faster than a call of `Buffer.write`. */
const MAX_LOOPED_CHARACTERS = 64;

/** Thrown within `pack` for a value that JSON.parse never returns. */
const NOT_JSON: unique symbol = Symbol('not JSON');

/**
 * Packs what JSON.parse returns, of any nesting that the stack allows (thousands of levels). `ObjectReader` returns
 * an equal object, with the keys in the same order. Other values (undefined, a Date) are packed as JSON.stringify
 * writes them; values that it rejects (a bigint, a cycle) throw.
 *
 * A thread should have one packer per kind, so that its streams share one table.
 */
export class ObjectPacker implements DefinitionTable {
  readonly tableId: string = newTableId();
  readonly definitions: Definition[] = [];
  readonly #shapes: ShapeTable | undefined;
  readonly #strings: StringTable | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #view: DataView = new DataView(this.#bytes.buffer);
  #position = 0;

  /** Without tables nothing is ever defined, so every reader can read the payloads. */
  constructor(options: { readonly tables: boolean } = { tables: true }) {
    this.#shapes = options.tables ? new ShapeTable(this.definitions) : undefined;
    this.#strings = options.tables ? new StringTable(this.definitions) : undefined;
  }

  get isFull(): boolean {
    return this.#strings?.isFull ?? false;
  }

  /** The bytes are only borrowed: they are overwritten by the next call. */
  pack(object: unknown): Uint8Array {
    if (this.#bytes.length === 0 || this.#bytes.length > MAX_KEPT_BYTES) this.#setBytes(INITIAL_BYTES);
    this.#strings?.nextObject();
    try {
      this.#position = 0;
      this.#value(object, false);
    } catch (error) {
      if (error !== NOT_JSON) throw error;
      this.#position = 0;
      this.#value(JSON.parse(JSON.stringify(object)), false);
    }
    return this.#bytes.subarray(0, this.#position);
  }

  #value(value: unknown, isMap: boolean): void {
    switch (typeof value) {
      case 'string':
        this.#string(value);
        return;
      case 'number':
        this.#number(value);
        return;
      case 'boolean':
        this.#byte(value ? 0xc3 : 0xc2);
        return;
      case 'object':
        if (value === null) this.#byte(0xc0);
        else if (Array.isArray(value)) this.#array(value);
        else this.#object(value as Record<string, unknown>, isMap);
        return;
      default:
        throw NOT_JSON;
    }
  }

  #array(array: readonly unknown[]): void {
    const { length } = array;
    if (length < 16) this.#byte(0x90 | length);
    else this.#head(0xdc, length);
    for (let i = 0; i < length; i++) this.#value(array[i], false);
  }

  #object(object: Record<string, unknown>, isMap: boolean): void {
    const prototype = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null) throw NOT_JSON;
    const keys = Object.keys(object);
    const id = isMap ? -1 : (this.#shapes?.id(keys) ?? -1);
    if (id >= 0) this.#reference(id);
    else if (keys.length < 16) this.#byte(0x80 | keys.length);
    else this.#head(0xde, keys.length);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      if (id < 0) this.#string(key);
      const value = object[key];
      this.#value(value, typeof value === 'object' && MAP_FIELDS.has(key));
    }
  }

  #string(string: string): void {
    const id = this.#strings?.id(string);
    if (id !== undefined) {
      this.#reference(id);
      return;
    }
    const { length } = string;
    if (length > MAX_LOOPED_CHARACTERS) {
      this.#longString(string);
      return;
    }
    this.#reserve(length + 2);
    const bytes = this.#bytes;
    const start = length < 32 ? this.#position + 1 : this.#position + 2;
    for (let i = 0; i < length; i++) {
      const code = string.charCodeAt(i);
      if (code >= 0x80) {
        this.#longString(string);
        return;
      }
      bytes[start + i] = code;
    }
    if (length < 32) {
      bytes[this.#position] = 0xa0 | length;
    } else {
      bytes[this.#position] = 0xd9;
      bytes[this.#position + 1] = length;
    }
    this.#position = start + length;
  }

  #longString(string: string): void {
    const { length } = string;
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    this.#reserve(5 + length * 3);
    const headBytes = length < 256 ? 2 : length < 65536 ? 3 : 5;
    const written = this.#bytes.write(string, this.#position + headBytes, 'utf8');
    if (written === length) {
      if (length < 256) this.#view.setUint16(this.#position, 0xd900 | length);
      if (length < 256) this.#position += 2;
      else this.#head(0xda, length);
      this.#position += length;
    } else if (isWellFormed(string)) {
      this.#head32(0xdb, written);
      this.#position += this.#bytes.write(string, this.#position, 'utf8');
    } else {
      this.#head32(0xc1, length);
      this.#position += this.#bytes.write(string, this.#position, 'utf16le');
    }
  }

  #number(value: number): void {
    this.#reserve(9);
    const view = this.#view;
    const at = this.#position;
    if (value >>> 0 === value && !Object.is(value, -0)) {
      if (value < 0x40) {
        view.setUint8(at, value);
        this.#position = at + 1;
      } else if (value < 0x100) {
        view.setUint16(at, 0xcc00 | value);
        this.#position = at + 2;
      } else {
        this.#head(0xcd, value);
      }
    } else if ((value | 0) === value && value < 0) {
      if (value >= -0x80) {
        view.setUint8(at, 0xd0);
        view.setInt8(at + 1, value);
        this.#position = at + 2;
      } else if (value >= -0x8000) {
        view.setUint8(at, 0xd1);
        view.setInt16(at + 1, value);
        this.#position = at + 3;
      } else {
        view.setUint8(at, 0xd2);
        view.setInt32(at + 1, value);
        this.#position = at + 5;
      }
    } else {
      view.setUint8(at, 0xcb);
      view.setFloat64(at + 1, value);
      this.#position = at + 9;
    }
  }

  #reference(id: number): void {
    this.#reserve(2);
    if (id < 32) {
      this.#bytes[this.#position++] = 0x40 | id;
    } else {
      this.#bytes[this.#position++] = 0x60 | ((id - 32) & 0x1f);
      this.#bytes[this.#position++] = (id - 32) >> 5;
    }
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#position++] = byte;
  }

  /** A token with a 16-bit number, or the token after it with one of 32 bits. */
  #head(token: number, number: number): void {
    if (number >= 0x10000) {
      this.#head32(token + 1, number);
      return;
    }
    this.#reserve(3);
    this.#bytes[this.#position] = token;
    this.#view.setUint16(this.#position + 1, number);
    this.#position += 3;
  }

  #head32(token: number, number: number): void {
    this.#reserve(5);
    this.#bytes[this.#position] = token;
    this.#view.setUint32(this.#position + 1, number);
    this.#position += 5;
  }

  #reserve(bytes: number): void {
    if (this.#position + bytes <= this.#bytes.length) return;
    const before = this.#bytes;
    this.#setBytes(Math.max(before.length * 2, this.#position + bytes));
    before.copy(this.#bytes, 0, 0, this.#position);
  }

  #setBytes(length: number): void {
    // Not from Node's pool, whose memory is shared with other buffers.
    this.#bytes = Buffer.allocUnsafeSlow(length);
    this.#view = new DataView(this.#bytes.buffer);
  }
}
