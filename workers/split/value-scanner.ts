import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';

const OTHER = 0;
const IS_QUOTE = 1;
const OPENS = 2;
const CLOSES = 3;

const CLASS: Uint8Array = classTable();

/**
 * Finds the end of one JSON value without parsing it: an object, an array or a string, in chunks of any size, and how
 * deep it is nested, which a parser does not report.
 *
 * Brackets are counted, not matched, and strings are skipped: everything else is left to the parser.
 */
export class ValueScanner {
  #depth = 0;
  #isInString = false;
  /** The last byte was a backslash, so the next one has no meaning of its own. */
  #isEscaped = false;
  #maxDepth = 0;
  /** The chunk of `#words`: `scan` is called once per value, and a chunk holds many. */
  #chunk: Uint8Array | undefined;
  /** The chunk's buffer from the last multiple of four before the chunk. */
  #words: Int32Array = new Int32Array(0);

  /** The deepest nesting so far: 1 for `{}`, 0 for a string. */
  get maxDepth(): number {
    return this.#maxDepth;
  }

  /** Before the first byte of a value. */
  reset(): void {
    this.#depth = 0;
    this.#isInString = false;
    this.#isEscaped = false;
    this.#maxDepth = 0;
  }

  /** Continues at `from`. Returns the position after the value, or -1 if the value continues in the next chunk. */
  scan(bytes: Uint8Array, from: number): number {
    const length = bytes.length;
    const words = this.#wordsOf(bytes);
    const shift = bytes.byteOffset & 3;
    let position = from;
    let depth = this.#depth;
    let maxDepth = this.#maxDepth;
    let isInString = this.#isInString;
    if (this.#isEscaped && position < length) {
      this.#isEscaped = false;
      position++;
    }
    while (position < length) {
      if (isInString) {
        // Most bytes of an object are inside strings: they are read four at a time, once aligned.
        let byte = 0;
        while (position < length && ((position + shift) & 3) !== 0) {
          byte = bytes[position] as number;
          if (byte === QUOTE || byte === BACKSLASH) break;
          position++;
        }
        if (position < length && byte !== QUOTE && byte !== BACKSLASH) {
          position = skipStringWords(words, (position + shift) >> 2) * 4 - shift;
          while (position < length) {
            byte = bytes[position] as number;
            if (byte === QUOTE || byte === BACKSLASH) break;
            position++;
          }
        }
        if (position >= length) break;
        if (byte === BACKSLASH) {
          position += 2;
          this.#isEscaped = position > length;
          continue;
        }
        position++;
        isInString = false;
        if (depth === 0) break;
        // Between two strings there is usually one colon or comma.
        if (position + 1 < length && bytes[position + 1] === QUOTE) {
          const separator = bytes[position];
          if (separator === COLON || separator === COMMA) {
            position += 2;
            isInString = true;
            continue;
          }
        }
      }
      while (position < length) {
        const kind = CLASS[bytes[position++] as number] as number;
        if (kind === OTHER) continue;
        if (kind === IS_QUOTE) {
          isInString = true;
          break;
        }
        if (kind === OPENS) {
          if (++depth > maxDepth) maxDepth = depth;
        } else if (--depth <= 0) {
          this.#maxDepth = maxDepth;
          return position;
        }
      }
    }
    this.#depth = depth;
    this.#maxDepth = maxDepth;
    this.#isInString = isInString;
    return depth === 0 && !isInString && position > from ? position : -1;
  }

  #wordsOf(bytes: Uint8Array): Int32Array {
    if (bytes !== this.#chunk) {
      const shift = bytes.byteOffset & 3;
      this.#words = new Int32Array(bytes.buffer, bytes.byteOffset - shift, (bytes.length + shift) >> 2);
      this.#chunk = bytes;
    }
    return this.#words;
  }
}

/**
 * The index of the first word from `index` on that holds a quote or a backslash: the classic test for a zero byte, on
 * two differences.
 */
function skipStringWords(words: Int32Array, index: number): number {
  let at = index;
  for (; at < words.length; at++) {
    const word = words[at] as number;
    const quotes = word ^ 0x22222222;
    const slashes = word ^ 0x5c5c5c5c;
    if (((((quotes - 0x01010101) | 0) & ~quotes) | (((slashes - 0x01010101) | 0) & ~slashes)) & 0x80808080) {
      break;
    }
  }
  return at;
}

function classTable(): Uint8Array {
  const table = new Uint8Array(256);
  table[QUOTE] = IS_QUOTE;
  table[OPEN_BRACE] = OPENS;
  table[OPEN_BRACKET] = OPENS;
  table[CLOSE_BRACE] = CLOSES;
  table[CLOSE_BRACKET] = CLOSES;
  return table;
}
