import { checkPlain, MAGIC, readTypeMeta } from '../decode/protobuf/envelope.js';
import { MessageReader } from '../decode/protobuf/message-reader.js';
import { ProtobufError } from '../decode/protobuf/protobuf-error.js';
import { WIRE, WireReader } from '../decode/protobuf/wire-reader.js';
import { DocumentBuffer } from './document-buffer.js';
import type { ListHead, ListSink } from './list-splitter.js';
import { SplitError } from './split-error.js';

/** Cap on what is held of the list itself. A continue token is a few hundred bytes. */
const HEAD_VALUE_BYTES = 1024 * 1024;

const MAX_VARINT_BYTES = 10;

/** Metadata of a list is flat. */
const LIST_META_DEPTH = 8;

// Fields of the envelope …
const TYPE_META = 1;
const RAW = 2;
const CONTENT_ENCODING = 3;
const CONTENT_TYPE = 4;
// … and of every list.
const METADATA = 1;
const ITEMS = 2;

// Where the splitter stands:
//
//     k8s\0  │ tag │ length │ typeMeta │ tag │ length │ ┌ tag │ length │ metadata │ tag │ length │ item │ … ┐ tag │ length │ …
//     MAGIC    TAG   LENGTH   CONTENT    TAG   LENGTH     TAG   LENGTH   CONTENT    TAG   LENGTH   CONTENT     TAG
//              └─────────────────────── the envelope          └────────────── the list, which is its field 2
const IN_MAGIC = 0;
const IN_TAG = 1;
const IN_LENGTH = 2;
const IN_CONTENT = 3;
/** A field without a length that nobody wants. */
const IN_NUMBER = 4;

/**
 * Walks the body of a list in protobuf and hands out its items one by one, wherever the chunks end. The body is never held: only an item that
 * spans chunks is copied, and the list's type and metadata. Other fields are skipped.
 */
export class EnvelopeSplitter {
  readonly #sink: ListSink;
  readonly #objectBytes: number;
  readonly #item: DocumentBuffer;
  readonly #headValue = new DocumentBuffer(HEAD_VALUE_BYTES);
  #state = IN_MAGIC;
  /** Bytes of the magic, or of a number, that were read. */
  #readBytes = 0;
  #number = 0;
  #field = 0;
  /** Of the content: all of it, and what is still to come. */
  #contentBytes = 0;
  #missingBytes = 0;
  /** Of the body, so far. */
  #offset = 0;
  /** Where the list ends; undefined outside. */
  #listEnd: number | undefined;
  #hasItems = false;
  #hasList = false;
  #head: ListHead = {};

  constructor(objectBytes: number, sink: ListSink) {
    this.#sink = sink;
    this.#objectBytes = objectBytes;
    this.#item = new DocumentBuffer(objectBytes);
  }

  get heldBytes(): number {
    return this.#item.heldBytes + this.#headValue.heldBytes;
  }

  /** Throws a `SplitError` if this is no list; the splitter is of no more use then. */
  write(chunk: Uint8Array): void {
    let position = 0;
    while (position < chunk.length) {
      const before = position;
      if (this.#state === IN_CONTENT) {
        const part = chunk.subarray(position, position + this.#missingBytes);
        position += part.length;
        this.#missingBytes -= part.length;
        this.#offset += part.length;
        this.#takeContent(part);
        continue;
      }
      this.#takeByte(chunk[position++] as number);
      this.#offset += position - before;
      this.#leaveList();
    }
  }

  /** The body has ended. Throws a `SplitError` if the list has not. */
  end(): ListHead {
    const isComplete = this.#state === IN_TAG && this.#readBytes === 0 && this.#listEnd === undefined;
    if (!isComplete || !this.#hasList) {
      throw new SplitError('the list ended too early', { isTruncated: true });
    }
    return this.#head;
  }

  #takeByte(byte: number): void {
    if (this.#state === IN_MAGIC) {
      if (byte !== MAGIC[this.#readBytes++]) {
        throw new SplitError('the answer has no envelope of Kubernetes around it', { isTruncated: false });
      }
      if (this.#readBytes === MAGIC.length) this.#begin(IN_TAG);
      return;
    }
    // Without shifts, which are of 32 bits.
    this.#number += (byte & 0x7f) * 2 ** (7 * this.#readBytes);
    if (++this.#readBytes > MAX_VARINT_BYTES) throw this.#malformed();
    if (byte >= 0x80) return;
    const number = this.#number;
    const state = this.#state;
    this.#begin(IN_TAG);
    if (state === IN_TAG) this.#takeTag(number);
    else if (state === IN_LENGTH) this.#takeLength(number);
  }

  #begin(state: number): void {
    this.#state = state;
    this.#readBytes = 0;
    this.#number = 0;
  }

  #takeTag(tag: number): void {
    const wireType = tag % 8;
    this.#field = Math.floor(tag / 8);
    if (this.#field === 0) throw this.#malformed();
    if (wireType === WIRE.length) this.#begin(IN_LENGTH);
    else if (this.#field <= (this.#listEnd === undefined ? CONTENT_TYPE : ITEMS)) throw this.#malformed();
    else if (wireType === WIRE.varint) this.#begin(IN_NUMBER);
    else if (wireType === WIRE.fixed64) this.#beginContent(8);
    else if (wireType === WIRE.fixed32) this.#beginContent(4);
    else throw this.#malformed();
  }

  #takeLength(length: number): void {
    // The byte that ends the length is not counted yet.
    const end = this.#offset + 1 + length;
    if (!Number.isSafeInteger(end) || end > (this.#listEnd ?? Number.MAX_SAFE_INTEGER))
      throw this.#malformed();
    if (this.#listEnd === undefined && this.#field === RAW) {
      if (this.#hasList) throw this.#malformed();
      this.#hasList = true;
      this.#listEnd = end;
    } else this.#beginContent(length);
  }

  #beginContent(length: number): void {
    this.#contentBytes = length;
    this.#missingBytes = length;
    this.#begin(IN_CONTENT);
    if (length === 0) this.#takeContent(NOTHING);
  }

  get #isItem(): boolean {
    return this.#listEnd !== undefined && this.#field === ITEMS;
  }

  #takeContent(part: Uint8Array): void {
    const isItem = this.#isItem;
    const buffer = isItem ? this.#item : this.#headValue;
    const isWhole = this.#missingBytes === 0 && buffer.isEmpty;
    if (!isWhole) buffer.append(part);
    if (!isItem && this.#contentBytes > HEAD_VALUE_BYTES) throw this.#malformed();
    if (this.#missingBytes > 0) return;
    const bytes = isWhole ? part : buffer.bytes();
    this.#begin(IN_TAG);
    if (isItem) this.#emit(bytes);
    else this.#takeHead(bytes);
    buffer.clear();
    this.#leaveList();
  }

  #emit(bytes: Uint8Array): void {
    if (!this.#hasItems) this.#beginItems();
    if (this.#contentBytes > this.#objectBytes) this.#sink.onOversized(bytes, this.#contentBytes);
    else this.#sink.onItem(bytes, 0);
  }

  #beginItems(): void {
    this.#hasItems = true;
    this.#sink.onItems(this.#head);
  }

  #takeHead(bytes: Uint8Array): void {
    try {
      if (this.#listEnd === undefined) this.#takeEnvelopeField(bytes);
      else if (this.#field === METADATA) {
        const metadata = new MessageReader({ maxDepth: LIST_META_DEPTH }).read('meta.v1.ListMeta', bytes);
        this.#head = { ...this.#head, metadata };
      }
    } catch (error) {
      throw error instanceof ProtobufError ? this.#malformed() : error;
    }
  }

  #takeEnvelopeField(bytes: Uint8Array): void {
    if (this.#field === TYPE_META) this.#head = { ...this.#head, ...readTypeMeta(new WireReader(bytes)) };
    else if (this.#field === CONTENT_ENCODING || this.#field === CONTENT_TYPE) {
      checkPlain(this.#field, new WireReader(bytes).text());
    }
  }

  #leaveList(): void {
    if (this.#listEnd === undefined || this.#offset < this.#listEnd) return;
    if (this.#offset > this.#listEnd || this.#state !== IN_TAG || this.#readBytes > 0)
      throw this.#malformed();
    this.#listEnd = undefined;
    if (!this.#hasItems) this.#beginItems();
  }

  #malformed(): SplitError {
    return new SplitError(`the list is not well-formed at byte ${this.#offset}`, { isTruncated: false });
  }
}

const NOTHING: Uint8Array = new Uint8Array(0);
