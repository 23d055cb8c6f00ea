/**
 * The part of CEL, the Common Expression Language, that a shard selector may consist of: calls, names, string literals,
 * parentheses and `||`. Whatever else CEL has is an error here, as it is one in a selector.
 */
export type CelExpression =
  | { readonly kind: 'call'; readonly name: string; readonly parameters: readonly CelExpression[] }
  | { readonly kind: 'or'; readonly operands: readonly CelExpression[] }
  | { readonly kind: 'name'; readonly path: string }
  | { readonly kind: 'string'; readonly value: string };

/** Not an expression, or none of this part of CEL. */
export class CelError extends Error {}

/** cel-go's limit of nested expressions. */
const MAX_DEPTH = 250;

const SPACE = /(?:[\t \r\n\f]|\/\/[^\n]*(?:\n|$))*/y;
const NAME = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const STRING =
  /([rR]?)(?:'''((?:\\[\s\S]|(?!''')[^\\])*)'''|"""((?:\\[\s\S]|(?!""")[^\\])*)"""|'((?:\\.|[^\\'\r\n])*)'|"((?:\\.|[^\\"\r\n])*)")/y;
const RAW_STRING = /[rR](?:'''([\s\S]*?)'''|"""([\s\S]*?)"""|'([^'\r\n]*)'|"([^"\r\n]*)")/y;
const ESCAPE =
  /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([abfnrtv\\?"'`])|([\s\S]))/g;

const CONTROL: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Names that CEL reserves: they are no identifiers, but may be fields. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop package namespace null return true var ' +
    'void while'
  ).split(' '),
);
/** Tokens of their own: not even fields. */
const KEYWORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/** Throws a `CelError`. */
export function parseCelExpression(text: string): CelExpression {
  const parser = new Parser(text);
  const expression = parser.expression(0);
  parser.end();
  return expression;
}

class Parser {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  expression(depth: number): CelExpression {
    if (depth > MAX_DEPTH) throw new CelError(`expression recursion limit exceeded: ${MAX_DEPTH}`);
    const operands = [this.#member(depth)];
    while (this.#takes('||')) operands.push(this.#member(depth));
    const [first] = operands;
    return operands.length === 1 && first !== undefined ? first : { kind: 'or', operands };
  }

  end(): void {
    this.#skipSpace();
    if (this.#position < this.#text.length) throw this.#unexpected();
  }

  /** A primary expression, and the fields and calls after it. */
  #member(depth: number): CelExpression {
    let expression = this.#primary(depth);
    while (this.#takes('.')) {
      const field = this.#name();
      if (field === undefined || KEYWORDS.has(field)) throw this.#unexpected();
      // A method: what it is called on makes no difference to a selector.
      if (this.#takes('(')) expression = this.#call(field, depth);
      else if (expression.kind === 'name') expression = { kind: 'name', path: `${expression.path}.${field}` };
      else throw new CelError(`only names have fields, such as ${field}`);
    }
    return expression;
  }

  #primary(depth: number): CelExpression {
    if (this.#takes('(')) {
      const inner = this.expression(depth + 1);
      if (!this.#takes(')')) throw this.#unexpected();
      return inner;
    }
    const value = this.#string();
    if (value !== undefined) return { kind: 'string', value };
    const dot = this.#takes('.') ? '.' : '';
    const name = this.#name();
    if (name === undefined || KEYWORDS.has(name)) throw this.#unexpected();
    if (RESERVED.has(name)) throw new CelError(`reserved identifier: ${name}`);
    if (this.#takes('(')) return this.#call(dot + name, depth);
    return { kind: 'name', path: dot + name };
  }

  /** After the opening parenthesis. */
  #call(name: string, depth: number): CelExpression {
    const parameters: CelExpression[] = [];
    if (this.#takes(')')) return { kind: 'call', name, parameters };
    do parameters.push(this.expression(depth + 1));
    while (this.#takes(','));
    if (!this.#takes(')')) throw this.#unexpected();
    return { kind: 'call', name, parameters };
  }

  #name(): string | undefined {
    this.#skipSpace();
    return this.#match(NAME)?.[0];
  }

  #string(): string | undefined {
    this.#skipSpace();
    const raw = this.#match(RAW_STRING);
    if (raw !== undefined) return raw.slice(1).find((group) => group !== undefined);
    const match = this.#match(STRING);
    return match === undefined
      ? undefined
      : unescaped(match.slice(2).find((group) => group !== undefined) ?? '');
  }

  #takes(token: string): boolean {
    this.#skipSpace();
    if (!this.#text.startsWith(token, this.#position)) return false;
    this.#position += token.length;
    return true;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match !== undefined) this.#position = pattern.lastIndex;
    return match;
  }

  #unexpected(): CelError {
    const found = this.#text.slice(this.#position, this.#position + 1);
    return new CelError(
      found === '' ? 'unexpected end' : `unexpected ${JSON.stringify(found)} at ${this.#position}`,
    );
  }
}

function unescaped(text: string): string {
  return text.replace(
    ESCAPE,
    (
      sequence,
      hex2?: string,
      hex2Upper?: string,
      hex4?: string,
      hex8?: string,
      octal?: string,
      character?: string,
    ) => {
      const hex = hex2 ?? hex2Upper ?? hex4 ?? hex8;
      if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
      if (octal !== undefined) return characterOf(Number.parseInt(octal, 8));
      if (character !== undefined) return CONTROL[character] ?? character;
      throw new CelError(`unable to unescape ${JSON.stringify(sequence)}`);
    },
  );
}

function characterOf(code: number): string {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code > 0x10ffff || isSurrogate) throw new CelError('an escape is not a character');
  return String.fromCodePoint(code);
}
