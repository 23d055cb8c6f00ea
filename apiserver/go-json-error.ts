/** The error messages of Go's encoding/json for invalid JSON, and for JSON that does not fit a type. */

import { isRecord, LongInteger } from './json.js';

/** Go's limit for nested arrays and objects. */
const MAX_DEPTH = 10_000;

/** By their first byte. */
const LITERALS: Readonly<Record<number, string>> = { 102: 'false', 110: 'null', 116: 'true' };

const ESCAPED: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  39: "\\'",
  92: '\\\\',
};

/** The message of Go's SyntaxError; undefined when the bytes are valid JSON. */
export function goSyntaxError(bytes: Uint8Array): string | undefined {
  try {
    new Scanner(bytes).scan();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
}

/** `array`, `number`: the name of a value's type in Go's UnmarshalTypeError. */
export function goJsonKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isRecord(value)) return 'object';
  if (typeof value === 'boolean') return 'bool';
  return value instanceof LongInteger ? 'number' : typeof value;
}

class SyntaxProblem extends Error {}

/** Scans byte by byte as Go does: an invalid multi-byte character is reported by its first byte. */
class Scanner {
  readonly #bytes: Uint8Array;
  /**
   * The closing brackets of the containers around the current byte; no recursion, since input may nest deeper
   * than the stack.
   */
  readonly #open: number[] = [];
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  scan(): void {
    this.#value();
    while (this.#open.length > 0) this.#next();
    while (this.#at < this.#bytes.length) {
      if (!isSpace(this.#peek())) this.#reject('after top-level value');
      this.#at++;
    }
  }

  /** One space is read past the end, as Go does to finish a number; an unfinished literal is reported with it. */
  #peek(): number {
    if (this.#at > this.#bytes.length) throw new SyntaxProblem('unexpected end of JSON input');
    return this.#bytes[this.#at] ?? 0x20;
  }

  #skipSpace(): number {
    while (isSpace(this.#peek())) this.#at++;
    return this.#peek();
  }

  #reject(where: string): never {
    throw new SyntaxProblem(`invalid character ${quoteByte(this.#peek())} ${where}`);
  }

  /** Scans a scalar or an empty container, or everything up to the first of these inside. */
  #value(): void {
    for (;;) {
      const byte = this.#skipSpace();
      if (byte !== 0x7b && byte !== 0x5b) {
        this.#scalar(byte);
        return;
      }
      // Both closing brackets are two after the opening ones.
      const closing = byte + 2;
      if (this.#open.push(closing) > MAX_DEPTH) throw new SyntaxProblem('exceeded max depth');
      this.#at++;
      if (this.#skipSpace() === closing) {
        this.#close();
        return;
      }
      if (byte === 0x7b) this.#key();
    }
  }

  /** Scans what follows a member of the innermost container. */
  #next(): void {
    const byte = this.#skipSpace();
    const closing = this.#open.at(-1);
    if (byte === closing) {
      this.#close();
      return;
    }
    if (byte !== 0x2c) {
      this.#reject(closing === 0x7d ? 'after object key:value pair' : 'after array element');
    }
    this.#at++;
    if (closing === 0x7d) this.#key();
    this.#value();
  }

  #close(): void {
    this.#at++;
    this.#open.pop();
  }

  #key(): void {
    if (this.#skipSpace() !== 0x22) this.#reject('looking for beginning of object key string');
    this.#string();
    if (this.#skipSpace() !== 0x3a) this.#reject('after object key');
    this.#at++;
  }

  #scalar(byte: number): void {
    const word = LITERALS[byte];
    if (word !== undefined) this.#literal(word);
    else if (byte === 0x22) this.#string();
    else if (byte === 0x2d || isDigit(byte)) this.#number();
    else this.#reject('looking for beginning of value');
  }

  #string(): void {
    this.#at++;
    for (let byte = this.#peek(); byte !== 0x22; byte = this.#peek()) {
      if (byte < 0x20) this.#reject('in string literal');
      this.#at++;
      if (byte === 0x5c) this.#escape();
    }
    this.#at++;
  }

  #escape(): void {
    const letter = String.fromCharCode(this.#peek());
    if (!'bfnrt\\/"u'.includes(letter)) this.#reject('in string escape code');
    this.#at++;
    for (let digit = 0; letter === 'u' && digit < 4; digit++) {
      if (!/[0-9a-fA-F]/.test(String.fromCharCode(this.#peek()))) {
        this.#reject('in \\u hexadecimal character escape');
      }
      this.#at++;
    }
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (this.#peek() !== letter.charCodeAt(0)) {
        this.#reject(`in literal ${word} (expecting ${quoteByte(letter.charCodeAt(0))})`);
      }
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === 0x2d) this.#at++;
    if (this.#peek() === 0x30) this.#at++;
    else this.#digits('in numeric literal');
    if (this.#peek() === 0x2e) {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if ((this.#peek() | 0x20) === 0x65) {
      this.#at++;
      if (this.#peek() === 0x2b || this.#peek() === 0x2d) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(where: string): void {
    if (!isDigit(this.#peek())) this.#reject(where);
    while (isDigit(this.#peek())) this.#at++;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function quoteByte(byte: number): string {
  const hex = byte.toString(16).padStart(2, '0');
  const isPrintable = (byte >= 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  const shown = isPrintable ? String.fromCharCode(byte) : byte < 0x80 ? `\\x${hex}` : `\\u00${hex}`;
  return `'${ESCAPED[byte] ?? shown}'`;
}
