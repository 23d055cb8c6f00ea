/**
 * Reads the YAML that kubeconfigs are written in: block and flow mappings and sequences, plain, quoted and block scalars, comments,
 * one document. What is beyond that (anchors, tags, keys that are no scalars) is refused, never misread.
 */
export function parseYaml(text: string): unknown {
  const reader = new YamlReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

export class YamlError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line + 1}: ${message}`);
    this.name = 'YamlError';
  }
}

interface Line {
  readonly number: number;
  readonly indent: number;
  /** Without indentation and comment. */
  readonly text: string;
}

/** A key and what follows on its line: `name: value`, `"na me": value`, `name:`. */
const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>%@`"'[\]{},?:-].*?|[-?:]\S.*?)\s*:(?:\s+(.*))?$/;
const COMMENT = /(^|\s)#.*$/;
const BLOCK_SCALAR = /^([|>])([+-]?)(\d?)([+-]?)$/;

class YamlReader {
  readonly #raw: readonly string[];
  readonly #lines: Line[];
  #next = 0;

  constructor(text: string) {
    this.#raw = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    this.#lines = this.#raw.flatMap((raw, number) => {
      const stripped = withoutComment(raw);
      const content = stripped.trim();
      if (content === '' || (number === 0 && content.startsWith('%'))) return [];
      const indent = stripped.length - stripped.trimStart().length;
      if (stripped.slice(0, indent).includes('\t')) throw new YamlError(number, 'a tab cannot indent');
      return [{ number, indent, text: content }];
    });
    if (this.#lines[0]?.text === '---') this.#next = 1;
    const last = this.#lines.at(-1);
    if (last?.text === '...') this.#lines.pop();
  }

  /** Whatever begins at the next line, if it is indented at least so far. */
  value(leastIndent: number): unknown {
    const line = this.#peek();
    if (line === undefined || line.indent < leastIndent) return null;
    if (isItem(line.text)) return this.#sequence(line.indent);
    if (KEY.test(line.text)) return this.#mapping(line.indent);
    this.#next++;
    return this.#inline(line.text, line, leastIndent);
  }

  end(): void {
    const line = this.#peek();
    if (line !== undefined)
      throw new YamlError(line.number, 'expected the end; it is indented otherwise, or a second document');
  }

  #peek(): Line | undefined {
    return this.#lines[this.#next];
  }

  #sequence(indent: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#peek(); line?.indent === indent && isItem(line.text); line = this.#peek()) {
      const rest = line.text.slice(1).trimStart();
      if (rest === '') {
        this.#next++;
        items.push(this.value(indent + 1));
        continue;
      }
      // The item goes on as if its first line had been indented by spaces instead of the dash.
      const own = { number: line.number, indent: indent + line.text.length - rest.length, text: rest };
      this.#lines[this.#next] = own;
      items.push(this.value(own.indent));
    }
    return items;
  }

  #mapping(indent: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let line = this.#peek(); line?.indent === indent && !isItem(line.text); line = this.#peek()) {
      const match = KEY.exec(line.text);
      if (match === null) throw new YamlError(line.number, 'expected "key: value"');
      const [, quoted = '', rest = ''] = match;
      this.#next++;
      const key = /^["']/.test(quoted) ? String(this.#scalar(quoted, line)) : quoted;
      if (entries.some(([known]) => known === key))
        throw new YamlError(line.number, `the key ${key} is there twice`);
      entries.push([key, rest === '' ? this.#nested(indent) : this.#inline(rest, line, indent + 1)]);
    }
    const after = this.#peek();
    if (after !== undefined && after.indent > indent)
      throw new YamlError(after.number, 'is indented too far');
    return Object.fromEntries(entries);
  }

  /** What belongs to a key with nothing behind it: deeper lines, or a sequence that is not indented, as kubectl writes it. */
  #nested(indent: number): unknown {
    const line = this.#peek();
    return line?.indent === indent && isItem(line.text) ? this.#sequence(indent) : this.value(indent + 1);
  }

  #inline(text: string, line: Line, leastIndent: number): unknown {
    const block = BLOCK_SCALAR.exec(text);
    if (block !== null) return this.#blockScalar(block, leastIndent);
    if (/^[[{]/.test(text))
      return new FlowReader(text, (message) => new YamlError(line.number, message)).read();
    const following = this.#peek();
    if (following !== undefined && following.indent >= leastIndent && leastIndent > 0) {
      throw new YamlError(following.number, 'a plain or quoted text cannot go on here on a second line');
    }
    return this.#scalar(text, line);
  }

  #scalar(text: string, { number }: Line): unknown {
    return scalarOf(text, (message) => new YamlError(number, message));
  }

  /** `|` keeps line ends, `>` folds them; `-` drops the last one, `+` keeps all. */
  #blockScalar([, style, chompA, width, chompB]: RegExpExecArray, leastIndent: number): string {
    const first = (this.#lines[this.#next - 1]?.number ?? 0) + 1;
    const body: string[] = [];
    let indent = width === '' ? undefined : leastIndent - 1 + Number(width);
    let number = first;
    for (; number < this.#raw.length; number++) {
      const raw = this.#raw[number] ?? '';
      if (raw.trim() !== '') {
        const own = raw.length - raw.trimStart().length;
        indent ??= Math.max(own, leastIndent);
        if (own < indent) break;
      }
      body.push(raw.slice(indent ?? raw.length));
    }
    while ((this.#peek()?.number ?? Number.POSITIVE_INFINITY) < number) this.#next++;
    const kept = body.join('\n').replace(/\n*$/, '');
    const trailing = body.length - kept.split('\n').length;
    const content = style === '|' ? kept : folded(kept);
    const chomp = `${chompA}${chompB}`;
    if (chomp === '-' || kept === '') return content;
    return content + (chomp === '+' ? '\n'.repeat(trailing + 1) : '\n');
  }
}

/** Lines become one, an empty line a line end; what is indented more stays as it is. */
function folded(text: string): string {
  const lines = text.split('\n');
  let result = lines[0] ?? '';
  for (let i = 1; i < lines.length; i++) {
    const [before = '', line = ''] = [lines[i - 1], lines[i]];
    const isPlain = (one: string): boolean => one !== '' && !/^\s/.test(one);
    if (isPlain(before) && isPlain(line)) result += ` ${line}`;
    else if (line === '' && isPlain(before) && isPlain(nextText(lines, i))) result += '';
    else result += `\n${line}`;
  }
  return result;
}

function nextText(lines: readonly string[], from: number): string {
  return lines.slice(from).find((line) => line !== '') ?? '';
}

/** `[a, "b", {c: d}]` on one line. */
class FlowReader {
  readonly #text: string;
  readonly #error: (message: string) => Error;
  #at = 0;

  constructor(text: string, error: (message: string) => Error) {
    this.#text = text;
    this.#error = error;
  }

  read(): unknown {
    const value = this.#value();
    if (this.#skip() !== undefined) throw this.#error('expected the end of the line after a bracket');
    return value;
  }

  #value(): unknown {
    const character = this.#skip();
    if (character === '[') return this.#all(']', () => this.#value());
    if (character === '{') return Object.fromEntries(this.#all('}', () => this.#pair()));
    const token = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?:[^,[\]{}:]|:(?=\S))+/y;
    token.lastIndex = this.#at;
    const match = token.exec(this.#text);
    if (match === null) throw this.#error('expected a value; what is in brackets must be on one line');
    this.#at = token.lastIndex;
    return scalarOf(match[0].trim(), this.#error);
  }

  #pair(): [string, unknown] {
    const key = String(this.#value());
    if (this.#skip() !== ':') return [key, null];
    this.#at++;
    return [key, [',', '}'].includes(this.#skip() ?? '') ? null : this.#value()];
  }

  #all<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    this.#at++;
    while (this.#skip() !== close) {
      items.push(item());
      if (this.#skip() === ',') this.#at++;
      else if (this.#skip() !== close)
        throw this.#error(`expected "," or "${close}"; what is in brackets must be on one line`);
    }
    this.#at++;
    return items;
  }

  /** The next character that is no space. */
  #skip(): string | undefined {
    while (this.#text[this.#at] === ' ') this.#at++;
    return this.#text[this.#at];
  }
}

function scalarOf(text: string, error: (message: string) => Error): unknown {
  if (text.startsWith('"')) return doubleQuoted(text, error);
  if (text.startsWith("'")) {
    if (!/^'(?:[^']|'')*'$/.test(text)) throw error('a quote is not closed on its line');
    return text.slice(1, -1).replaceAll("''", "'");
  }
  if (/^[&*!%@`]/.test(text)) throw error('anchors, aliases and tags are not read');
  if (/^[|>]/.test(text)) throw error('is no block scalar that can be read');
  if (/^(~|null|Null|NULL)?$/.test(text)) return null;
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (/^[-+]?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  e: '\x1b',
  v: '\v',
  ' ': ' ',
  N: '\x85',
  _: '\xa0',
};

function doubleQuoted(text: string, error: (message: string) => Error): string {
  if (!/^"(?:[^"\\]|\\.)*"$/.test(text)) throw error('a quote is not closed on its line');
  // YAML's escapes that JSON does not have.
  const json = text.replace(/\\(x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|.)/g, (whole, code: string) => {
    if (/^[xU]./.test(code))
      return JSON.stringify(String.fromCodePoint(Number.parseInt(code.slice(1), 16))).slice(1, -1);
    const own = ESCAPES[code];
    return own === undefined ? whole : JSON.stringify(own).slice(1, -1);
  });
  try {
    return JSON.parse(json.replaceAll('\t', '\\t')) as string;
  } catch {
    throw error('has an escape that cannot be read');
  }
}

function isItem(text: string): boolean {
  return text === '-' || text.startsWith('- ');
}

/** A `#` after a space begins a comment, if it is not within quotes. */
function withoutComment(raw: string): string {
  if (!raw.includes('#')) return raw;
  const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g;
  const masked = raw.replace(quoted, (text) => 'x'.repeat(text.length));
  const match = COMMENT.exec(masked);
  return match === null ? raw : raw.slice(0, match.index);
}
