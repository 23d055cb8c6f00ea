/** JSON as kube-apiserver reads and writes it: Go's escapes, and integers of any length kept as they were sent. */

/** An integer too long for a double, kept as its digits. */
export class LongInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

const LONG_INTEGER = /-?[0-9]{16,}/;
const ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;
const GO_ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Throws SyntaxError as `JSON.parse` does. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return LONG_INTEGER.test(text) ? new LosslessParser(text).parse() : value;
}

/** A key that occurs in an object for the second time. */
export interface DuplicateField {
  /** As Go's strict decoder names it: `spec.containers[0].name`. */
  readonly path: string;
  readonly key: string;
  /** Line number, from 1. */
  readonly line: number;
}

export function duplicateFields(text: string): readonly DuplicateField[] {
  const parser = new LosslessParser(text);
  parser.parse();
  return parser.duplicates;
}

/** Compact, in the key order of the value. */
export function encodeJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return encodeString(value);
    case 'number':
    case 'boolean':
      return JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      if (value instanceof LongInteger) return value.digits;
      if (Array.isArray(value)) return `[${value.map(encodeJson).join(',')}]`;
      return `{${Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${encodeString(key)}:${encodeJson(member)}`)
        .join(',')}}`;
    default:
      return 'null';
  }
}

/** Go's MarshalIndent with two spaces, as `pretty` asks for. */
export function prettyJson(text: string): string {
  return indent(parseJson(text), '');
}

/** A copy with every object's keys in byte order, as Go encodes maps. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongInteger)
  );
}

/** A deep copy; long integers are shared, since they are immutable. */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cloneJson(member)])) as T;
}

/** Deep equality of two JSON values, regardless of the order of keys. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof LongInteger || b instanceof LongInteger) {
    return a instanceof LongInteger && b instanceof LongInteger && a.digits === b.digits;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => equalJson(item, b[index]))
    );
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
  );
}

function encodeString(value: string): string {
  return JSON.stringify(value).replace(ESCAPED_BY_GO, (character) => GO_ESCAPES[character] ?? character);
}

function indent(value: unknown, margin: string): string {
  const inner = `${margin}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + indent(item, inner)).join(',\n')}\n${margin}]`;
  }
  if (isRecord(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    return `{\n${entries
      .map(([key, member]) => `${inner}${encodeString(key)}: ${indent(member, inner)}`)
      .join(',\n')}\n${margin}}`;
  }
  return encodeJson(value);
}

/**
 * Reads JSON that `JSON.parse` has accepted, so it checks no grammar; it keeps long integers and records
 * duplicate keys.
 */
class LosslessParser {
  readonly duplicates: DuplicateField[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(path = ''): unknown {
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(path);
      case '[':
        return this.#array(path);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #object(path: string): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    const seen = new Set<string>();
    this.#at++;
    this.#space();
    while (this.#text[this.#at] !== '}') {
      this.#space();
      const key = this.#string();
      this.#space();
      this.#at++;
      const member = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) {
        const line = this.#text.slice(0, this.#at).split('\n').length;
        this.duplicates.push({ path: member, key, line });
      }
      seen.add(key);
      entries.push([key, this.parse(member)]);
      this.#comma();
    }
    this.#at++;
    return Object.fromEntries(entries);
  }

  #array(path: string): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    this.#space();
    while (this.#text[this.#at] !== ']') {
      items.push(this.parse(`${path}[${items.length}]`));
      this.#comma();
    }
    this.#at++;
    return items;
  }

  #comma(): void {
    this.#space();
    if (this.#text[this.#at] === ',') this.#at++;
    this.#space();
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #scalar(): unknown {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at] ?? '')) this.#at++;
    const token = this.#text.slice(start, this.#at);
    const value: unknown = JSON.parse(token);
    const isLong = /^-?[0-9]{16,}$/.test(token) && !Number.isSafeInteger(value);
    return isLong ? new LongInteger(token) : value;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }
}
