/** What could be read of a document that cannot be parsed. */
export interface DocumentIdentity {
  readonly eventType?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly resourceVersion?: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Reads `metadata.name`, `namespace` and `resourceVersion` (and the type of an event) from the first bytes of a
 * document, as far as these are JSON. For objects that are too large, too deep or broken further on: such an object is
 * reported by its key, if its key stands before the trouble.
 */
export function readJsonIdentity(bytes: Uint8Array, document: 'item' | 'event'): DocumentIdentity {
  const head: { -readonly [field in keyof DocumentIdentity]: DocumentIdentity[field] } = {};
  const cursor = new Cursor(bytes);
  const readMetadata = (): void =>
    cursor.readObject((field) => {
      if (field !== 'name' && field !== 'namespace' && field !== 'resourceVersion') return cursor.skip();
      const value = cursor.readString();
      if (value !== undefined && value !== '') head[field] = value;
    });
  const readObject = (): void =>
    cursor.readObject((field) => (field === 'metadata' ? readMetadata() : cursor.skip()));
  const readEvent = (): void =>
    cursor.readObject((field) => {
      if (field === 'object') return readObject();
      if (field !== 'type') return cursor.skip();
      const type = cursor.readString();
      if (type !== undefined) head.eventType = type;
    });
  try {
    if (document === 'event') readEvent();
    else readObject();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  return head;
}

/** The bytes end, or are no JSON, from here on. */
class Unreadable extends Error {}

class Cursor {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** `onField` has to read or skip the value. Anything but an object is skipped. */
  readObject(onField: (field: string) => void): void {
    if (this.#peek() !== OPEN_BRACE) {
      this.skip();
      return;
    }
    this.#position++;
    if (this.#peek() === CLOSE_BRACE) {
      this.#position++;
      return;
    }
    for (;;) {
      const field = this.readString();
      if (field === undefined || this.#peek() !== COLON) throw new Unreadable();
      this.#position++;
      onField(field);
      const next = this.#peek();
      this.#position++;
      if (next === CLOSE_BRACE) return;
      if (next !== COMMA) throw new Unreadable();
    }
  }

  /** Undefined for a value that is no string; it is skipped. */
  readString(): string | undefined {
    if (this.#peek() !== QUOTE) {
      this.skip();
      return undefined;
    }
    const start = this.#position;
    this.#skipString();
    const { buffer, byteOffset } = this.#bytes;
    try {
      return JSON.parse(Buffer.from(buffer, byteOffset + start, this.#position - start).toString()) as string;
    } catch {
      throw new Unreadable();
    }
  }

  skip(): void {
    let depth = 0;
    do {
      const byte = this.#peek();
      if (byte === QUOTE) this.#skipString();
      else {
        this.#position++;
        if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
        else if (depth === 0) this.#skipScalar();
      }
    } while (depth > 0);
    if (depth < 0) throw new Unreadable();
  }

  /** The next byte that is no white space. */
  #peek(): number {
    for (; this.#position < this.#bytes.length; this.#position++) {
      const byte = this.#bytes[this.#position] as number;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
    }
    throw new Unreadable();
  }

  #skipString(): void {
    for (let position = this.#position + 1; position < this.#bytes.length; position++) {
      const byte = this.#bytes[position];
      if (byte === BACKSLASH) position++;
      else if (byte === QUOTE) {
        this.#position = position + 1;
        return;
      }
    }
    throw new Unreadable();
  }

  #skipScalar(): void {
    for (; this.#position < this.#bytes.length; this.#position++) {
      const byte = this.#bytes[this.#position];
      if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return;
    }
    throw new Unreadable();
  }
}
