import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isWhiteSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../split/json-bytes.js';

/** The fields that identify an object, as far as they could be read without parsing the document. */
export interface DocumentIdentity {
  readonly eventType?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/**
 * Reads `metadata.name`, `namespace`, `uid` and `resourceVersion` (and the type of an event) from the first bytes of a
 * document, as far as these are JSON, or until that `isEnough`. For objects that are too large, nested too deep or malformed: such an object is
 * reported by its key, if the key comes before the problem.
 */
export function readJsonIdentity(
  bytes: Uint8Array,
  document: 'item' | 'event',
  isEnough: (identity: DocumentIdentity) => boolean = () => false,
): DocumentIdentity {
  const identity: { -readonly [field in keyof DocumentIdentity]: DocumentIdentity[field] } = {};
  const cursor = new Cursor(bytes);
  const readMetadata = (): void =>
    cursor.readObject((field) => {
      if (!IDENTITY_FIELDS.has(field)) return cursor.skip();
      const value = cursor.readString();
      if (value !== undefined && value !== '') identity[field as keyof DocumentIdentity] = value;
      if (isEnough(identity)) throw new Unreadable();
    });
  const readObject = (): void =>
    cursor.readObject((field) => (field === 'metadata' ? readMetadata() : cursor.skip()));
  const readEvent = (): void =>
    cursor.readObject((field) => {
      if (field === 'object') return readObject();
      if (field !== 'type') return cursor.skip();
      const type = cursor.readString();
      if (type !== undefined) identity.eventType = type;
    });
  try {
    if (document === 'event') readEvent();
    else readObject();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  return identity;
}

const IDENTITY_FIELDS: ReadonlySet<string> = new Set(['name', 'namespace', 'uid', 'resourceVersion']);

/** The bytes end, or are not JSON, from here on; or what follows is of no interest. */
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

  /** Undefined for a value that is not a string, which is skipped. */
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

  /** The next byte that is not white space. */
  #peek(): number {
    for (; this.#position < this.#bytes.length; this.#position++) {
      const byte = this.#bytes[this.#position] as number;
      if (!isWhiteSpace(byte)) return byte;
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
