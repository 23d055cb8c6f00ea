import { DocumentBuffer } from './document-buffer.js';
import type { LineSink } from './line-splitter.js';
import { SplitError } from './split-error.js';

const LENGTH_BYTES = 4;

/** More than any server sends, and than any cap on objects allows: what says so is no frame. */
const MAX_FRAME_BYTES = 512 * 1024 * 1024;

/**
 * Splits the body of a watch in protobuf into its frames, wherever the chunks end: each is a length (four bytes, the highest first) and so many
 * bytes. A frame within one chunk is a view of it; only one that spans chunks is copied.
 */
export class FrameSplitter {
  readonly #sink: LineSink;
  readonly #capBytes: number;
  readonly #carry: DocumentBuffer;
  /** Of the length: bytes that were read, and what they say. */
  #lengthBytes = 0;
  #length = 0;

  constructor(objectBytes: number, sink: LineSink) {
    this.#sink = sink;
    this.#capBytes = objectBytes;
    this.#carry = new DocumentBuffer(objectBytes);
  }

  get heldBytes(): number {
    return this.#carry.heldBytes;
  }

  /** Throws a `SplitError` if these are no frames. */
  write(chunk: Uint8Array): void {
    let position = 0;
    while (position < chunk.length) {
      if (this.#lengthBytes < LENGTH_BYTES) {
        this.#length = this.#length * 256 + (chunk[position++] as number);
        if (++this.#lengthBytes < LENGTH_BYTES) continue;
        if (this.#length > MAX_FRAME_BYTES) {
          throw new SplitError('the watch has a frame that is longer than any object', {
            isTruncated: false,
          });
        }
        if (this.#length > 0) continue;
      }
      const missing = this.#length - this.#carry.totalBytes;
      const part = chunk.subarray(position, position + missing);
      position += part.length;
      if (part.length < missing) this.#carry.append(part);
      else this.#emit(part);
    }
  }

  /** At the clean end of the body: whether it ended in the middle of a frame. */
  end(): 'complete' | 'truncated' {
    return this.#lengthBytes === 0 ? 'complete' : 'truncated';
  }

  #emit(part: Uint8Array): void {
    const carry = this.#carry;
    const isWhole = carry.isEmpty;
    if (!isWhole) carry.append(part);
    const bytes = isWhole ? part : carry.bytes();
    if (this.#length > this.#capBytes) this.#sink.onOversized(bytes, this.#length);
    else this.#sink.onDocument(bytes);
    carry.clear();
    this.#lengthBytes = 0;
    this.#length = 0;
  }
}
