/** What Go's encoding/json says of text that is no JSON, and of JSON that does not fit a type. */

import { isRecord, LongInteger } from './json.js';

const END = 'unexpected end of JSON input';

/** The message of Go's SyntaxError; undefined when the text is good JSON. */
export function goSyntaxError(text: string): string | undefined {
  try {
    new GrammarReader(text).document();
    return undefined;
  } catch (error) {
    if (error instanceof GrammarError) return error.message;
    throw error;
  }
}

/** `array`, `number`: how Go's UnmarshalTypeError calls a value. */
export function goJsonKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isRecord(value)) return 'object';
  if (typeof value === 'boolean') return 'bool';
  return value instanceof LongInteger ? 'number' : typeof value;
}

class GrammarError extends Error {}

/** Walks the states of Go's scanner as far as its messages tell them apart. */
class GrammarReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#space();
    this.#value();
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
  }

  #value(): void {
    const character = this.#peek();
    if (character === '{') this.#object();
    else if (character === '[') this.#array();
    else if (character === '"') this.#string();
    else if (character === '-' || isDigit(character)) this.#number();
    else if (character === 't') this.#literal('true');
    else if (character === 'f') this.#literal('false');
    else if (character === 'n') this.#literal('null');
    else throw this.#unexpected('looking for beginning of value');
  }

  #object(): void {
    this.#at++;
    this.#space();
    if (this.#peek() === '}') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#space();
      if (this.#peek() !== '"') throw this.#unexpected('looking for beginning of object key string');
      this.#string();
      this.#space();
      this.#expect(':', 'after object key');
      this.#space();
      this.#value();
      this.#space();
      if (this.#peek() === '}') break;
      this.#expect(',', 'after object key:value pair');
    }
    this.#at++;
  }

  #array(): void {
    this.#at++;
    this.#space();
    if (this.#peek() === ']') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#space();
      this.#value();
      this.#space();
      if (this.#peek() === ']') break;
      this.#expect(',', 'after array element');
    }
    this.#at++;
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const character = this.#peek();
      if (character < ' ') throw this.#unexpected('in string literal');
      this.#at++;
      if (character === '"') return;
      if (character === '\\') this.#escape();
    }
  }

  #escape(): void {
    const character = this.#peek();
    if (!'bfnrt\\/"u'.includes(character)) throw this.#unexpected('in string escape code');
    this.#at++;
    if (character !== 'u') return;
    for (let digits = 0; digits < 4; digits++) {
      if (!/[0-9a-fA-F]/.test(this.#peek())) throw this.#unexpected('in \\u hexadecimal character escape');
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === '-') this.#at++;
    if (this.#peek() === '0') this.#at++;
    else this.#digits('in numeric literal');
    if (this.#text[this.#at] === '.') {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? '')) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(context: string): void {
    if (!isDigit(this.#peek())) throw this.#unexpected(context);
    while (isDigit(this.#text[this.#at] ?? '')) this.#at++;
  }

  #literal(word: string): void {
    for (const expected of word) this.#expect(expected, `in literal ${word} (expecting '${expected}')`);
  }

  #expect(character: string, context: string): void {
    if (this.#peek() !== character) throw this.#unexpected(context);
    this.#at++;
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #peek(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new GrammarError(END);
    return character;
  }

  #unexpected(context: string): GrammarError {
    return new GrammarError(`invalid character ${quoted(this.#peek())} ${context}`);
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function quoted(character: string): string {
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  return `'${JSON.stringify(character).slice(1, -1)}'`;
}
