import { DocumentBuffer } from './document-buffer.js';

export interface EventSink {
  /** One event. The bytes are borrowed: valid during the call. */
  onDocument(bytes: Uint8Array): void;
  /** An event over the limit was skipped; `head` is its beginning. */
  onOversized(head: Uint8Array, totalBytes: number): void;
}

/** Splits the body of a watch into its events: `LineSplitter` for JSON, `ProtobufFrameSplitter` for protobuf. */
export abstract class EventSplitter {
  protected readonly sink: EventSink;
  protected readonly maxObjectBytes: number;
  /** An event that began in an earlier chunk. */
  protected readonly carry: DocumentBuffer;

  constructor(maxObjectBytes: number, sink: EventSink) {
    this.sink = sink;
    this.maxObjectBytes = maxObjectBytes;
    this.carry = new DocumentBuffer(maxObjectBytes);
  }

  get heldBytes(): number {
    return this.carry.heldBytes;
  }

  /** Throws a `SplitError` if this is not the body of a watch. */
  abstract write(chunk: Uint8Array): void;

  /** At the end of the body: whether it ended in the middle of an event. The rest is never decoded. */
  abstract end(): 'complete' | 'truncated';
}
