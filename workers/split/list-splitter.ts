import { ItemSplitter, type ListHead, MAX_HEAD_VALUE_BYTES, SplitError } from './item-splitter.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isWhiteSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.js';
import { ValueScanner } from './value-scanner.js';

/** `split`: the item is to be split off. `later`: `split` is to stop before it, and is called again with more of it. */
export const ITEM_NOT_TAKEN = { split: -1, later: -2 } as const;

const EMPTY: Uint8Array = new Uint8Array(0);

/** The fields that are parsed. `items` only if it is not an array, as `null`. */
const PARSED_FIELDS: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'items']);

// The states, by what may come next:
//
//     {  "kind"  :  "PodList"  ,  "items"  :  [  {…}  ,  {…}  ]  }
//     │  │       │  │          │              │  │    │  │       │
//     │  │       │  VALUE      AFTER_VALUE    │  │    │  ITEM    AFTER_VALUE, then DONE
//     │  │       AFTER_KEY                    │  │    AFTER_ITEM
//     │  FIRST_KEY, later KEY                 │  FIRST_ITEM
//     START                                   VALUE
const START = 0;
const FIRST_KEY = 1;
const KEY = 2;
const AFTER_KEY = 3;
const VALUE = 4;
const AFTER_VALUE = 5;
const FIRST_ITEM = 6;
const ITEM = 7;
const AFTER_ITEM = 8;
const DONE = 9;
// In the middle of something, which may continue in the next chunk.
const IN_KEY = 10;
const IN_VALUE = 11;
const IN_VALUE_SCALAR = 12;
const IN_ITEM = 13;
const IN_ITEM_SCALAR = 14;

/** Splits a list in JSON. `kind`, `apiVersion` and `metadata` may come before or after the items. */
export class ListSplitter extends ItemSplitter {
  readonly #scanner = new ValueScanner();
  #state = START;
  #field = '';
  /** Bytes of all chunks before this one, for messages. */
  #offset = 0;

  override write(chunk: Uint8Array, _hasMore?: boolean): void {
    this.split(chunk);
  }

  /** Returns how many bytes of the chunk were read: all of them, unless an item is to be taken later. */
  protected split(chunk: Uint8Array): number {
    let position = 0;
    while (position < chunk.length) {
      if (this.#state >= IN_KEY) position = this.#continue(chunk, position);
      else if (isWhiteSpace(chunk[position] as number)) position++;
      else if (this.#begin(chunk[position] as number, position) < IN_KEY) position++;
      else if (this.#state === IN_ITEM) {
        const end = this.takeItems(chunk, position);
        if (end !== ITEM_NOT_TAKEN.split) this.#state = end === ITEM_NOT_TAKEN.later ? ITEM : AFTER_ITEM;
        if (end === ITEM_NOT_TAKEN.later) break;
        if (end !== ITEM_NOT_TAKEN.split) position = end;
      }
    }
    this.#offset += position;
    return position;
  }

  /**
   * May read the item at `position` of the chunk, and those after it, without their being split off. Returns the
   * position after the last one, or one of `ITEM_NOT_TAKEN`.
   */
  protected takeItems(_chunk: Uint8Array, _position: number): number {
    return ITEM_NOT_TAKEN.split;
  }

  override end(): ListHead {
    if (this.#state !== DONE) {
      const message = `the list ended after ${this.#offset} bytes, before its closing brace`;
      throw new SplitError(message, { isTruncated: true });
    }
    if (!this.hasItems) {
      const { kind } = this.head;
      throw new SplitError(
        kind === 'Table'
          ? 'the list is a Table; request the objects themselves'
          : 'the response is not a list: it has no array of items',
        { isTruncated: false },
      );
    }
    return this.head;
  }

  /** Reads a byte and returns the new state. If that is the middle of something, the byte is its first. */
  #begin(byte: number, position: number): number {
    const next = this.#next(byte);
    if (next === undefined) {
      throw this.#malformed(position);
    }
    if (next >= IN_KEY) this.#scanner.reset();
    else if (next === FIRST_ITEM) this.beginItems();
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
      case AFTER_KEY:
        return byte === COLON ? VALUE : undefined;
      case VALUE:
        if (byte === OPEN_BRACKET && this.#field === 'items') return this.hasItems ? undefined : FIRST_ITEM;
        return stateOfValue(byte, IN_VALUE, IN_VALUE_SCALAR);
      case AFTER_VALUE:
        return byte === COMMA ? KEY : byte === CLOSE_BRACE ? DONE : undefined;
      case FIRST_ITEM:
        return byte === CLOSE_BRACKET ? AFTER_VALUE : stateOfValue(byte, IN_ITEM, IN_ITEM_SCALAR);
      case ITEM:
        return stateOfValue(byte, IN_ITEM, IN_ITEM_SCALAR);
      case AFTER_ITEM:
        return byte === COMMA ? ITEM : byte === CLOSE_BRACKET ? AFTER_VALUE : undefined;
      default:
        return undefined;
    }
  }

  /** Continues with what was begun; returns the position after it, or the end of the chunk. */
  #continue(chunk: Uint8Array, position: number): number {
    const state = this.#state;
    const isScalar = state === IN_ITEM_SCALAR || state === IN_VALUE_SCALAR;
    const end = isScalar ? endOfScalar(chunk, position) : this.#scanner.scan(chunk, position);
    const isItem = state === IN_ITEM || state === IN_ITEM_SCALAR;
    const buffer = isItem ? this.item : this.headValue;
    const isParsed = isItem || state === IN_KEY || PARSED_FIELDS.has(this.#field);
    const part = isParsed ? chunk.subarray(position, end === -1 ? chunk.length : end) : EMPTY;
    const isInOneChunk = end !== -1 && buffer.isEmpty;
    if (!isInOneChunk) buffer.append(part);
    if (!isItem && (buffer.isOversized || part.length > MAX_HEAD_VALUE_BYTES))
      throw this.#malformed(position);
    if (end === -1) return chunk.length;
    if (isItem)
      this.#finishItem(isInOneChunk ? part : buffer.bytes(), isInOneChunk ? part.length : buffer.totalBytes);
    else if (state === IN_KEY) this.#finishKey(isInOneChunk ? part : buffer.bytes(), position);
    else this.#finishValue(isInOneChunk ? part : buffer.bytes(), position);
    buffer.clear();
    return end;
  }

  #finishItem(bytes: Uint8Array, totalBytes: number): void {
    this.#state = AFTER_ITEM;
    this.emitItem(bytes, totalBytes, this.#scanner.maxDepth);
  }

  #finishKey(bytes: Uint8Array, position: number): void {
    this.#state = AFTER_KEY;
    this.#field = String(this.#parse(bytes, position));
  }

  #finishValue(bytes: Uint8Array, position: number): void {
    this.#state = AFTER_VALUE;
    if (!PARSED_FIELDS.has(this.#field)) return;
    const value = this.#parse(bytes, position);
    if (this.#field !== 'items') this.head = { ...this.head, [this.#field]: value };
    else if (value === null && !this.hasItems) this.beginItems();
    else throw this.#malformed(position);
  }

  #parse(bytes: Uint8Array, position: number): unknown {
    try {
      return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    } catch {
      throw this.#malformed(position);
    }
  }

  #malformed(position: number): SplitError {
    const offset = this.#offset + position;
    const message =
      offset === 0 ? 'the response is not a JSON object' : `the list is malformed at byte ${offset}`;
    return new SplitError(message, { isTruncated: false });
  }
}

function stateOfValue(byte: number, nested: number, scalar: number): number | undefined {
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET || byte === QUOTE) return nested;
  return endsScalar(byte) || byte === COLON ? undefined : scalar;
}

/** The position of the first byte that cannot belong to a number, `true`, `false` or `null`; -1 if there is none. */
function endOfScalar(bytes: Uint8Array, from: number): number {
  for (let position = from; position < bytes.length; position++) {
    if (endsScalar(bytes[position] as number)) return position;
  }
  return -1;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || isWhiteSpace(byte);
}
