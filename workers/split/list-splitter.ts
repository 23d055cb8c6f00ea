import { DocumentBuffer } from './document-buffer.js';
import { SplitError } from './split-error.js';
import { ValueScanner } from './value-scanner.js';

/** What a list says about itself. A field is absent while it has not been read, or if it is not there. */
export interface ListHead {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly metadata?: unknown;
}

export interface ListSink {
  /** The items begin; `head` is what stood before them: everything in typed lists, little in custom ones. */
  onItems(head: ListHead): void;
  /** One item, and how deep it is nested. The bytes are borrowed: valid during the call. */
  onItem(bytes: Uint8Array, depth: number): void;
  /** An item over the cap was skipped; `head` is how it began. */
  onOversized(head: Uint8Array, totalBytes: number): void;
  /** Optional: takes the item that begins at this place of the chunk, without its being split off. The place after it, or one of `NOT_TAKEN`. */
  takeItem?(chunk: Uint8Array, position: number): number;
}

/** It is to be split off as usual; or `write` is to end before it, and will be called with it, and more, again. */
export const NOT_TAKEN = { split: -1, later: -2 } as const;

/** Cap on the names of fields and on `metadata`, which are held whole. A continue token is a few hundred bytes. */
const HEAD_VALUE_BYTES = 1024 * 1024;

const EMPTY: Uint8Array = new Uint8Array(0);

/** Of an array only the items' is walked; that of another value (`null`) is read like the others. */
const KEPT_FIELDS: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'items']);

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON_BYTE = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

// Where the splitter stands, by what may come next:
//
//     {  "kind"  :  "PodList"  ,  "items"  :  [  {…}  ,  {…}  ]  }
//     │  │       │  │          │              │  │    │  │       │
//     │  │       │  VALUE      AFTER_VALUE    │  │    │  ITEM    AFTER_VALUE, then DONE
//     │  │       COLON                        │  │    AFTER_ITEM
//     │  FIRST_KEY, later KEY                 │  FIRST_ITEM
//     START                                   VALUE
const START = 0;
const FIRST_KEY = 1;
const KEY = 2;
const COLON = 3;
const VALUE = 4;
const AFTER_VALUE = 5;
const FIRST_ITEM = 6;
const ITEM = 7;
const AFTER_ITEM = 8;
const DONE = 9;
// In the middle of something, which may go on in the next chunk.
const IN_KEY = 10;
const IN_VALUE = 11;
const IN_VALUE_SCALAR = 12;
const IN_ITEM = 13;
const IN_ITEM_SCALAR = 14;

/**
 * Walks the body of a list and hands out its items one by one, wherever the chunks end. The body is never held: only
 * an item that spans chunks is copied, and `kind`, `apiVersion` and `metadata`, which may stand before or after the
 * items. Other fields are skipped; white space is allowed everywhere.
 */
export class ListSplitter {
  readonly #sink: ListSink;
  readonly #objectBytes: number;
  readonly #scanner = new ValueScanner();
  readonly #item: DocumentBuffer;
  /** The name or the value of a top-level field. */
  readonly #headValue = new DocumentBuffer(HEAD_VALUE_BYTES);
  #state = START;
  #field = '';
  #hasItems = false;
  #head: ListHead = {};
  /** Bytes of the chunks before this one, for messages. */
  #offset = 0;

  constructor(objectBytes: number, sink: ListSink) {
    this.#sink = sink;
    this.#objectBytes = objectBytes;
    this.#item = new DocumentBuffer(objectBytes);
  }

  get heldBytes(): number {
    return this.#item.heldBytes + this.#headValue.heldBytes;
  }

  /**
   * Returns how many bytes of the chunk were read: all of them, unless the sink wants an item later. Throws a `SplitError` if this is no
   * list; the splitter is of no more use then.
   */
  write(chunk: Uint8Array): number {
    let position = 0;
    while (position < chunk.length) {
      if (this.#state >= IN_KEY) position = this.#goOn(chunk, position);
      else if (isWhiteSpace(chunk[position] as number)) position++;
      else if (this.#begin(chunk[position] as number, position) < IN_KEY) position++;
      else if (this.#state === IN_ITEM && this.#sink.takeItem !== undefined) {
        const end = this.#sink.takeItem(chunk, position);
        if (end !== NOT_TAKEN.split) this.#state = end === NOT_TAKEN.later ? ITEM : AFTER_ITEM;
        if (end === NOT_TAKEN.later) break;
        if (end !== NOT_TAKEN.split) position = end;
      }
    }
    this.#offset += position;
    return position;
  }

  /** The body has ended. Throws a `SplitError` if the list has not. */
  end(): ListHead {
    if (this.#state !== DONE) {
      const message = `the list ended after ${this.#offset} bytes, before its closing brace`;
      throw new SplitError(message, { isTruncated: true });
    }
    if (!this.#hasItems) {
      const { kind } = this.#head;
      throw new SplitError(
        kind === 'Table'
          ? 'the list is a Table; ask for the objects themselves'
          : 'the answer has no array of items, so it is no list',
        { isTruncated: false },
      );
    }
    return this.#head;
  }

  /** Takes a byte and returns the new state. If that is the middle of something, the byte is its first. */
  #begin(byte: number, position: number): number {
    const next = this.#next(byte);
    if (next === undefined) {
      throw this.#malformed(position);
    }
    if (next >= IN_KEY) this.#scanner.reset();
    else if (next === FIRST_ITEM) this.#beginItems();
    this.#state = next;
    return next;
  }

  #next(byte: number): number | undefined {
    switch (this.#state) {
      case START:
        return byte === OPEN_BRACE ? FIRST_KEY : undefined;
      case FIRST_KEY:
        return byte === CLOSE_BRACE ? DONE : byte === QUOTE ? IN_KEY : undefined;
      case KEY:
        return byte === QUOTE ? IN_KEY : undefined;
      case COLON:
        return byte === COLON_BYTE ? VALUE : undefined;
      case VALUE:
        if (byte === OPEN_BRACKET && this.#field === 'items') return this.#hasItems ? undefined : FIRST_ITEM;
        return kindOf(byte, IN_VALUE, IN_VALUE_SCALAR);
      case AFTER_VALUE:
        return byte === COMMA ? KEY : byte === CLOSE_BRACE ? DONE : undefined;
      case FIRST_ITEM:
        return byte === CLOSE_BRACKET ? AFTER_VALUE : kindOf(byte, IN_ITEM, IN_ITEM_SCALAR);
      case ITEM:
        return kindOf(byte, IN_ITEM, IN_ITEM_SCALAR);
      case AFTER_ITEM:
        return byte === COMMA ? ITEM : byte === CLOSE_BRACKET ? AFTER_VALUE : undefined;
      default:
        return undefined;
    }
  }

  /** Reads on in what was begun; returns the place after it, or the end of the chunk. */
  #goOn(chunk: Uint8Array, position: number): number {
    const state = this.#state;
    const isScalar = state === IN_ITEM_SCALAR || state === IN_VALUE_SCALAR;
    const end = isScalar ? endOfScalar(chunk, position) : this.#scanner.scan(chunk, position);
    const isItem = state === IN_ITEM || state === IN_ITEM_SCALAR;
    const buffer = isItem ? this.#item : this.#headValue;
    const isKept = isItem || state === IN_KEY || KEPT_FIELDS.has(this.#field);
    const part = isKept ? chunk.subarray(position, end === -1 ? chunk.length : end) : EMPTY;
    const isWhole = end !== -1 && buffer.isEmpty;
    if (!isWhole) buffer.append(part);
    if (!isItem && (buffer.isOverCap || part.length > HEAD_VALUE_BYTES)) throw this.#malformed(position);
    if (end === -1) return chunk.length;
    if (isItem) this.#emit(isWhole ? part : buffer.bytes(), isWhole ? part.length : buffer.totalBytes);
    else if (state === IN_KEY) this.#finishKey(isWhole ? part : buffer.bytes(), position);
    else this.#finishValue(isWhole ? part : buffer.bytes(), position);
    buffer.clear();
    return end;
  }

  #emit(bytes: Uint8Array, totalBytes: number): void {
    this.#state = AFTER_ITEM;
    if (totalBytes > this.#objectBytes) this.#sink.onOversized(bytes, totalBytes);
    else this.#sink.onItem(bytes, this.#scanner.maxDepth);
  }

  #finishKey(bytes: Uint8Array, position: number): void {
    this.#state = COLON;
    this.#field = String(this.#parse(bytes, position));
  }

  #finishValue(bytes: Uint8Array, position: number): void {
    this.#state = AFTER_VALUE;
    if (!KEPT_FIELDS.has(this.#field)) return;
    const value = this.#parse(bytes, position);
    if (this.#field !== 'items') this.#head = { ...this.#head, [this.#field]: value };
    else if (value === null && !this.#hasItems) this.#beginItems();
    else throw this.#malformed(position);
  }

  #beginItems(): void {
    this.#hasItems = true;
    this.#sink.onItems(this.#head);
  }

  #parse(bytes: Uint8Array, position: number): unknown {
    try {
      return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    } catch {
      throw this.#malformed(position);
    }
  }

  #malformed(position: number): SplitError {
    const place = this.#offset + position;
    const message =
      place === 0 ? 'the answer is no JSON object' : `the list is not well-formed at byte ${place}`;
    return new SplitError(message, { isTruncated: false });
  }
}

function kindOf(byte: number, nested: number, scalar: number): number | undefined {
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET || byte === QUOTE) return nested;
  return endsScalar(byte) || byte === COLON_BYTE ? undefined : scalar;
}

/** The place of the first byte that cannot belong to a number, `true`, `false` or `null`; -1 if there is none. */
function endOfScalar(bytes: Uint8Array, from: number): number {
  for (let position = from; position < bytes.length; position++) {
    if (endsScalar(bytes[position] as number)) return position;
  }
  return -1;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || isWhiteSpace(byte);
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
