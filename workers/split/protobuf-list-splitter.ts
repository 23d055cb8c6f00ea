import { ProtobufError, WIRE_TYPES } from '../../src/kube/protobuf-schema/wire-reader.js';
import { checkPlainContent, MAGIC, readTypeMeta } from '../decode/protobuf/envelope.js';
import { goString } from '../decode/protobuf/go-format.js';
import { MessageReader } from '../decode/protobuf/message-reader.js';
import { UnknownFields } from '../decode/protobuf/unknown-fields.js';
import {
  type ItemSink,
  ItemSplitter,
  type ListHead,
  MAX_HEAD_VALUE_BYTES,
  SplitError,
} from './item-splitter.js';

const MAX_VARINT_BYTES = 10;

/** The metadata of a list is flat. */
const LIST_META_DEPTH = 8;

// Fields of the envelope.
const TYPE_META = 1;
const RAW = 2;
const CONTENT_ENCODING = 3;
const CONTENT_TYPE = 4;
// Fields of every list.
const METADATA = 1;
const ITEMS = 2;

// The states:
//
//     k8s\0  │ tag │ length │ typeMeta │ tag │ length │ ┌ tag │ length │ metadata │ tag │ length │ item │ … ┐ tag │ …
//     MAGIC    TAG   LENGTH   CONTENT    TAG   LENGTH     TAG   LENGTH   CONTENT    TAG   LENGTH   CONTENT     TAG
//              └─────────────────────── the envelope      └─────────────── the list, which is its field 2
const IN_MAGIC = 0;
const IN_TAG = 1;
const IN_LENGTH = 2;
const IN_CONTENT = 3;
/** An unknown field without a length. */
const IN_NUMBER = 4;

/** Splits a list in protobuf. */
export class ProtobufListSplitter extends ItemSplitter {
  readonly #unknownFields: UnknownFields;
  #state = IN_MAGIC;
  /** How many bytes of the magic, or of a number, were read. */
  #readBytes = 0;
  #number = 0;
  #field = 0;
  /** The length of the content, and how much of it is still to come. */
  #contentBytes = 0;
  #missingBytes = 0;
  /** Bytes of the body read so far. */
  #offset = 0;
  /** The offset at which the list ends; undefined outside of it. */
  #listEnd: number | undefined;
  #hasList = false;

  /** `unknownFields` gets those of the list and its envelope; what it throws, `write` throws. */
  constructor(maxObjectBytes: number, sink: ItemSink, unknownFields: UnknownFields = new UnknownFields()) {
    super(maxObjectBytes, sink);
    this.#unknownFields = unknownFields;
  }

  override write(chunk: Uint8Array): void {
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

  override end(): ListHead {
    const isComplete = this.#state === IN_TAG && this.#readBytes === 0 && this.#listEnd === undefined;
    if (!isComplete || !this.#hasList) {
      throw new SplitError('the list ended too early', { isTruncated: true });
    }
    return this.head;
  }

  #takeByte(byte: number): void {
    if (this.#state === IN_MAGIC) {
      if (byte !== MAGIC[this.#readBytes++]) {
        throw new SplitError("the response does not begin with Kubernetes' protobuf envelope", {
          isTruncated: false,
        });
      }
      if (this.#readBytes === MAGIC.length) this.#begin(IN_TAG);
      return;
    }
    // No shifts: they are limited to 32 bits.
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
    const isInList = this.#listEnd !== undefined;
    if (this.#field > (isInList ? ITEMS : CONTENT_TYPE)) {
      this.#unknownFields.add({ number: this.#field, message: isInList ? 'List' : 'Unknown', path: '' });
    }
    if (wireType === WIRE_TYPES.bytes) this.#begin(IN_LENGTH);
    else if (this.#field <= (isInList ? ITEMS : CONTENT_TYPE)) throw this.#malformed();
    else if (wireType === WIRE_TYPES.varint) this.#begin(IN_NUMBER);
    else if (wireType === WIRE_TYPES.fixed64) this.#beginContent(8);
    else if (wireType === WIRE_TYPES.fixed32) this.#beginContent(4);
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
    if (length === 0) this.#takeContent(EMPTY);
  }

  get #isItem(): boolean {
    return this.#listEnd !== undefined && this.#field === ITEMS;
  }

  #takeContent(part: Uint8Array): void {
    const isItem = this.#isItem;
    const buffer = isItem ? this.item : this.headValue;
    const isInOneChunk = this.#missingBytes === 0 && buffer.isEmpty;
    if (!isInOneChunk) buffer.append(part);
    if (!isItem && this.#contentBytes > MAX_HEAD_VALUE_BYTES) throw this.#malformed();
    if (this.#missingBytes > 0) return;
    const bytes = isInOneChunk ? part : buffer.bytes();
    this.#begin(IN_TAG);
    if (isItem) {
      if (!this.hasItems) this.beginItems();
      this.emitItem(bytes, this.#contentBytes, 0);
    } else this.#takeHead(bytes);
    buffer.clear();
    this.#leaveList();
  }

  #takeHead(bytes: Uint8Array): void {
    try {
      if (this.#listEnd === undefined) this.#takeEnvelopeField(bytes);
      else if (this.#field === METADATA) {
        const messages = new MessageReader({ maxDepth: LIST_META_DEPTH, unknownFields: this.#unknownFields });
        const metadata = messages.read('meta.v1.ListMeta', bytes, undefined, ['metadata']);
        this.head = { ...this.head, metadata };
      }
    } catch (error) {
      throw error instanceof ProtobufError ? this.#malformed() : error;
    }
  }

  #takeEnvelopeField(bytes: Uint8Array): void {
    if (this.#field === TYPE_META) this.head = { ...this.head, ...readTypeMeta(bytes, this.#unknownFields) };
    else if (this.#field === CONTENT_ENCODING || this.#field === CONTENT_TYPE) {
      checkPlainContent(this.#field, goString(Buffer.from(bytes)));
    }
  }

  #leaveList(): void {
    if (this.#listEnd === undefined || this.#offset < this.#listEnd) return;
    if (this.#offset > this.#listEnd || this.#state !== IN_TAG || this.#readBytes > 0)
      throw this.#malformed();
    this.#listEnd = undefined;
    if (!this.hasItems) this.beginItems();
  }

  #malformed(): SplitError {
    return new SplitError(`the list is malformed at byte ${this.#offset}`, { isTruncated: false });
  }
}

const EMPTY: Uint8Array = new Uint8Array(0);
