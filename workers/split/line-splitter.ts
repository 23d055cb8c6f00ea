import { DocumentBuffer } from './document-buffer.js';

export interface LineSink {
  /** One document, without its newline. Borrowed: valid during the call. */
  onDocument(bytes: Uint8Array): void;
  /** A document over the cap was skipped; `head` is how it began. */
  onOversized(head: Uint8Array, totalBytes: number): void;
}

const NEWLINE = 0x0a;

/**
 * Splits the body of a watch at its newlines, wherever the chunks end. A raw newline cannot stand inside JSON, so
 * nothing else has to be looked at. A document within one chunk is a view of it; only one that spans chunks is copied.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #capBytes: number;
  readonly #carry: DocumentBuffer;

  constructor(objectBytes: number, sink: LineSink) {
    this.#sink = sink;
    this.#capBytes = objectBytes;
    this.#carry = new DocumentBuffer(objectBytes);
  }

  get heldBytes(): number {
    return this.#carry.heldBytes;
  }

  write(chunk: Uint8Array): void {
    // Buffer's indexOf is memchr; that of a Uint8Array is not.
    const buffer = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end !== -1; end = buffer.indexOf(NEWLINE, start)) {
      const line = buffer.subarray(start, end);
      start = end + 1;
      if (this.#carry.isEmpty) this.#emit(line);
      else this.#emitCarried(line);
    }
    if (start < buffer.length) this.#carry.append(buffer.subarray(start));
  }

  /** At the clean end of the body: whether it ended in the middle of a document. What was left is never parsed. */
  end(): 'complete' | 'truncated' {
    const isComplete = this.#carry.bytes().every(isWhiteSpace);
    this.#carry.clear();
    return isComplete ? 'complete' : 'truncated';
  }

  #emit(line: Uint8Array): void {
    if (line.length > this.#capBytes) this.#sink.onOversized(line, line.length);
    else if (line.length > 1 || !line.every(isWhiteSpace)) this.#sink.onDocument(line);
  }

  #emitCarried(rest: Uint8Array): void {
    const carry = this.#carry;
    carry.append(rest);
    if (carry.isOverCap) this.#sink.onOversized(carry.bytes(), carry.totalBytes);
    else this.#emit(carry.bytes());
    carry.clear();
  }
}

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
