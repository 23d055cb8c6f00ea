/** Reads payloads on the main thread. object-packer.ts draws the format. */

import { KubeflectError } from '../util/errors.js';
import { type Definition, MAX_DEFINITIONS } from './definitions.js';

/** Records of a shape that are read with a plain loop before code is compiled for it. */
const READS_BEFORE_COMPILING = 4;

/**
 * Up to this size, a payload is converted to one string, and its strings are slices of it: one call instead of forty.
 * A slice keeps the complete string alive, so larger payloads are read string by string.
 */
const MAX_SLICED_BYTES = 8 * 1024;

const NOTHING: Buffer = Buffer.alloc(0);

type RecordReader = () => unknown;

/** Reads the payloads of one table, with the definitions that its batches brought. Every read returns a new object. */
export class ObjectReader {
  readonly tableId: string;
  readonly #definitions: Definition[] = [];
  /** By number of the definition: the function that reads the record; undefined for a string. */
  readonly #records: (RecordReader | undefined)[] = [];
  /** Called by compiled code. */
  readonly #next = (): unknown => this.#value();

  // The current payload.
  #bytes: Buffer = NOTHING;
  #position = 0;
  #end = 0;
  /** The payload as Latin-1, of which ASCII strings are slices; empty if it is too large. */
  #latin1 = '';
  #latin1Start = 0;

  constructor(tableId: string) {
    this.tableId = tableId;
  }

  /** How many definitions are known. */
  get size(): number {
    return this.#definitions.length;
  }

  /** The definitions from number `first` on. */
  definitionsFrom(first: number): readonly Definition[] {
    return this.#definitions.slice(first);
  }

  /** Adds the definitions from number `first` on, except for those that are known already. */
  extend(first: number, definitions: readonly Definition[]): void {
    const end = first + definitions.length;
    if (first > this.size || end > MAX_DEFINITIONS) {
      throw new KubeflectError(
        'KUBEFLECT_BATCH_INVALID',
        `expected definitions from number ${this.size} on, received ${first} to ${end}; this is a bug in kubeflect`,
      );
    }
    for (let id = this.size; id < end; id++) {
      const definition = definitions[id - first] as Definition;
      this.#definitions.push(definition);
      this.#records.push(typeof definition === 'string' ? undefined : this.#recordReader(id, definition));
    }
  }

  /** The object in the bytes from `start` up to `end`; throws `KUBEFLECT_BATCH_INVALID` if they are not exactly one. */
  read(bytes: Buffer, start: number, end: number): unknown {
    this.#bytes = bytes;
    this.#position = start;
    this.#end = end;
    this.#latin1Start = start;
    this.#latin1 = end - start <= MAX_SLICED_BYTES ? bytes.toString('latin1', start, end) : '';
    try {
      const value = this.#value();
      if (this.#position !== end) this.#fail(`the end at ${end}, received it at ${this.#position}`);
      return value;
    } catch (error) {
      throw unreadable(error);
    } finally {
      // The reader must not keep the last payload alive.
      this.#latin1 = '';
      this.#bytes = NOTHING;
    }
  }

  /**
   * The fields with these names of the object in `field` of the object in the bytes; nothing else is decoded. Undefined
   * if there is no object.
   */
  readFieldsOf(
    bytes: Buffer,
    start: number,
    end: number,
    field: string,
    names: readonly string[],
  ): Readonly<Record<string, unknown>> | undefined {
    this.#bytes = bytes;
    this.#position = start;
    this.#end = end;
    try {
      let fields: Record<string, unknown> | undefined;
      this.#fields((outer) => {
        if (outer !== field) return 'other';
        fields = {};
        const found = fields;
        this.#fields((name) => {
          if (!names.includes(name)) return 'other';
          setOwn(found, name, this.#value());
          return 'read';
        });
        return 'last';
      });
      return fields;
    } catch (error) {
      throw unreadable(error);
    } finally {
      this.#bytes = NOTHING;
    }
  }

  /**
   * Calls `read` with every key of the object here, up to the `last` that is of interest. The value of an `other` key was
   * not read, and is skipped.
   */
  #fields(read: (key: string) => 'read' | 'other' | 'last'): void {
    const token = this.#bytes[this.#position] as number;
    if (token >= 0x40 && token < 0x80) {
      this.#position++;
      const definition = this.#definitions[this.#definitionNumber(token)];
      if (typeof definition === 'string' || definition === undefined) return;
      for (const key of definition) {
        const what = read(key);
        if (what === 'last') return;
        if (what === 'other') this.#skip();
      }
      return;
    }
    const size = this.#mapSize(token);
    for (let i = 0; i < size; i++) {
      const key = this.#value();
      if (typeof key !== 'string') this.#fail('a key');
      const what = read(key as string);
      if (what === 'last') return;
      if (what === 'other') this.#skip();
    }
  }

  /** 0 for any other token; moves behind it. */
  #mapSize(token: number): number {
    if (token >= 0x80 && token < 0x90) {
      this.#position++;
      return token & 0x0f;
    }
    if (token === 0xde || token === 0xdf) {
      this.#position++;
      return token === 0xde ? this.#uint16() : this.#uint32();
    }
    this.#skip();
    return 0;
  }

  /** Moves behind the value. */
  #skip(): void {
    for (let values = 1; values > 0; values--) values += this.#skipHead();
  }

  /** Moves behind a scalar, or the head of an object or array; returns how many values it has. */
  #skipHead(): number {
    if (this.#position >= this.#end) this.#fail('a value before the end');
    const token = this.#bytes[this.#position++] as number;
    if (token < 0x40) return 0;
    if (token < 0x80) {
      const definition = this.#definitions[this.#definitionNumber(token)];
      return typeof definition === 'object' ? definition.length : 0;
    }
    if (token < 0x90) return 2 * (token & 0x0f);
    if (token < 0xa0) return token & 0x0f;
    if (token < 0xc0) {
      this.#advance(token & 0x1f);
      return 0;
    }
    if (token === 0xde) return 2 * this.#uint16();
    if (token === 0xdf) return 2 * this.#uint32();
    if (token === 0xdc) return this.#uint16();
    if (token === 0xdd) return this.#uint32();
    this.#skipScalar(token);
    return 0;
  }

  #skipScalar(token: number): void {
    switch (token) {
      case 0xc0:
      case 0xc2:
      case 0xc3:
        return;
      case 0xc1:
        this.#advance(this.#uint32() * 2);
        return;
      case 0xcb:
        this.#advance(8);
        return;
      case 0xcc:
      case 0xd0:
        this.#advance(1);
        return;
      case 0xcd:
      case 0xd1:
        this.#advance(2);
        return;
      case 0xce:
      case 0xd2:
        this.#advance(4);
        return;
      case 0xd9:
        this.#advance(this.#bytes.readUInt8(this.#advance(1)));
        return;
      case 0xda:
        this.#advance(this.#uint16());
        return;
      case 0xdb:
        this.#advance(this.#uint32());
        return;
      default:
        this.#fail(`a token, received ${token}`);
    }
  }

  #value(): unknown {
    const token = this.#bytes[this.#position++] as number;
    if (token < 0x40) return token;
    if (token < 0x80) return this.#defined(token);
    if (token < 0x90) return this.#map(token & 0x0f);
    if (token < 0xa0) return this.#array(token & 0x0f);
    if (token < 0xc0) return this.#ascii(token & 0x1f);
    switch (token) {
      case 0xc0:
        return null;
      case 0xc1:
        return this.#utf16(this.#uint32());
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xcb:
        return this.#bytes.readDoubleBE(this.#advance(8));
      case 0xcc:
        return this.#bytes.readUInt8(this.#advance(1));
      case 0xcd:
        return this.#uint16();
      case 0xce:
        return this.#uint32();
      case 0xd0:
        return this.#bytes.readInt8(this.#advance(1));
      case 0xd1:
        return this.#bytes.readInt16BE(this.#advance(2));
      case 0xd2:
        return this.#bytes.readInt32BE(this.#advance(4));
      case 0xd9:
        return this.#ascii(this.#bytes.readUInt8(this.#advance(1)));
      case 0xda:
        return this.#ascii(this.#uint16());
      case 0xdb:
        return this.#utf8(this.#uint32());
      case 0xdc:
        return this.#array(this.#uint16());
      case 0xdd:
        return this.#array(this.#uint32());
      case 0xde:
        return this.#map(this.#uint16());
      case 0xdf:
        return this.#map(this.#uint32());
      default:
        return this.#fail(`a token, received ${token}`);
    }
  }

  #defined(token: number): unknown {
    const id = this.#definitionNumber(token);
    const record = this.#records[id];
    if (record !== undefined) return record();
    return this.#definitions[id] ?? this.#fail(`one of ${this.size} definitions, received number ${id}`);
  }

  /** The number in a reference; moves behind it. */
  #definitionNumber(token: number): number {
    if (token < 0x60) return token & 0x1f;
    return 32 + (((this.#bytes[this.#position++] as number) << 5) | (token & 0x1f));
  }

  #array(length: number): unknown[] {
    // Every element has at least a byte.
    if (length > this.#end - this.#position) this.#fail(`${length} elements`);
    const array = new Array(length);
    for (let i = 0; i < length; i++) array[i] = this.#value();
    return array;
  }

  #map(size: number): Record<string, unknown> {
    if (size > this.#end - this.#position) this.#fail(`${size} keys`);
    const object: Record<string, unknown> = {};
    for (let i = 0; i < size; i++) {
      const key = this.#value();
      if (typeof key !== 'string') return this.#fail('a key');
      setOwn(object, key, this.#value());
    }
    return object;
  }

  #ascii(length: number): string {
    const start = this.#advance(length);
    if (this.#latin1 === '') return this.#bytes.toString('latin1', start, start + length);
    return this.#latin1.slice(start - this.#latin1Start, start - this.#latin1Start + length);
  }

  #utf8(length: number): string {
    const start = this.#advance(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  #utf16(units: number): string {
    const start = this.#advance(units * 2);
    return this.#bytes.toString('utf16le', start, start + units * 2);
  }

  #uint16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2));
  }

  #uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  /** Returns the position before. */
  #advance(bytes: number): number {
    const position = this.#position;
    this.#position += bytes;
    if (this.#position > this.#end) this.#fail(`${bytes} more bytes`);
    return position;
  }

  #recordReader(id: number, keys: readonly string[]): RecordReader {
    let reads = 0;
    return () => {
      if (++reads === READS_BEFORE_COMPILING) {
        const compiled = compileRecordReader(keys, this.#next);
        if (compiled !== undefined) this.#records[id] = compiled;
      }
      const object: Record<string, unknown> = {};
      for (const key of keys) setOwn(object, key, this.#value());
      return object;
    };
  }

  #fail(expected: string): never {
    throw new KubeflectError(
      'KUBEFLECT_BATCH_INVALID',
      `expected ${expected} in a payload; this is a bug in kubeflect`,
    );
  }
}

function unreadable(cause: unknown): KubeflectError {
  if (cause instanceof KubeflectError) return cause;
  return new KubeflectError('KUBEFLECT_BATCH_INVALID', 'expected an object, received unreadable bytes', {
    cause,
  });
}

/**
 * Makes an own property of any key: an assignment to an inherited key, such as `__proto__`, may call a setter
 * instead.
 */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key in object) {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/**
 * An object literal creates objects of one hidden class, several times faster than a loop. Undefined where Node does
 * not allow code from strings.
 */
function compileRecordReader(keys: readonly string[], next: () => unknown): RecordReader | undefined {
  // In a literal, `__proto__: value` sets the prototype. Packers never define such a record.
  if (keys.includes('__proto__')) return undefined;
  const fields = keys.map((key) => `${JSON.stringify(key)}: next()`).join(', ');
  try {
    return new Function('next', `return () => ({ ${fields} });`)(next) as RecordReader;
  } catch {
    return undefined;
  }
}
