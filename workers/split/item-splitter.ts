import { DocumentBuffer } from './document-buffer.js';

/** Type and metadata of a list. A field is absent while it has not been read, or if the list does not have it. */
export interface ListHead {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly metadata?: unknown;
}

export interface ItemSink {
  /** The items begin; `head` is what came before them: everything in typed lists, little in custom ones. */
  onItems(head: ListHead): void;
  /** One item, and how deep it is nested. The bytes are borrowed: valid during the call. */
  onItem(bytes: Uint8Array, depth: number): void;
  /** An item over the limit was skipped; `head` is its beginning. */
  onOversized(head: Uint8Array, totalBytes: number): void;
}

/** A body that is not a list, or not a watch. The message has a position, never the content. */
export class SplitError extends Error {
  /** The body ended too early, because of the connection; otherwise the server sent something else. */
  readonly isTruncated: boolean;

  constructor(message: string, options: { readonly isTruncated: boolean }) {
    super(message);
    this.name = 'SplitError';
    this.isTruncated = options.isTruncated;
  }
}

/** Limit for each part of the head, which is held in memory. A continue token is a few hundred bytes. */
export const MAX_HEAD_VALUE_BYTES: number = 1024 * 1024;

/**
 * Walks the body of a list and passes on its items one by one, wherever the chunks end: `ListSplitter` for JSON,
 * `ProtobufListSplitter` for protobuf. The body is never held: only an item that spans chunks is copied, and the type
 * and metadata of the list. Other fields are skipped.
 */
export abstract class ItemSplitter {
  protected readonly sink: ItemSink;
  protected readonly maxObjectBytes: number;
  /** An item that began in an earlier chunk. */
  protected readonly item: DocumentBuffer;
  /** A part of the head that began in an earlier chunk. */
  protected readonly headValue: DocumentBuffer = new DocumentBuffer(MAX_HEAD_VALUE_BYTES);
  protected head: ListHead = {};
  protected hasItems = false;

  constructor(maxObjectBytes: number, sink: ItemSink) {
    this.sink = sink;
    this.maxObjectBytes = maxObjectBytes;
    this.item = new DocumentBuffer(maxObjectBytes);
  }

  get heldBytes(): number {
    return this.item.heldBytes + this.headValue.heldBytes;
  }

  /** How many of the last chunks that were written are still referenced. */
  get heldChunks(): number {
    return 0;
  }

  /** Throws a `SplitError` if this is not a list; the splitter cannot be used after that. */
  abstract write(chunk: Uint8Array, hasMore?: boolean): void;

  /** At the end of the body. Throws a `SplitError` if the list is not complete. */
  abstract end(): ListHead;

  protected beginItems(): void {
    this.hasItems = true;
    this.sink.onItems(this.head);
  }

  protected emitItem(bytes: Uint8Array, totalBytes: number, depth: number): void {
    if (totalBytes > this.maxObjectBytes) this.sink.onOversized(bytes, totalBytes);
    else this.sink.onItem(bytes, depth);
  }
}
