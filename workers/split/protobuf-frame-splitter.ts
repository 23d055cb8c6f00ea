import { EventSplitter } from './event-splitter.js';
import { SplitError } from './item-splitter.js';

const LENGTH_BYTES = 4;

/** More than any server sends, and than any limit on objects allows: a larger length is not the start of a frame. */
const MAX_FRAME_BYTES = 512 * 1024 * 1024;

/**
 * Splits the body of a watch in protobuf into its frames, wherever the chunks end: each is a big-endian length of four
 * bytes, and that many bytes. A frame within one chunk is a view of it; only one that spans chunks is copied.
 */
export class ProtobufFrameSplitter extends EventSplitter {
  /** How many bytes of the frame's length were read, and their value. */
  #lengthBytes = 0;
  #length = 0;

  protected override split(chunk: Uint8Array): void {
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
      const missing = this.#length - this.carry.totalBytes;
      const part = chunk.subarray(position, position + missing);
      position += part.length;
      if (part.length < missing) this.carry.append(part);
      else this.#emit(part);
    }
  }

  override end(): 'complete' | 'truncated' {
    return this.#lengthBytes === 0 ? 'complete' : 'truncated';
  }

  protected override splitOne(piece: Buffer, position: number): number | undefined {
    const start = position + LENGTH_BYTES;
    if (start > piece.length) return undefined;
    const end = start + piece.readUInt32BE(position);
    if (end > piece.length) return undefined;
    this.#emitFrame(piece.subarray(start, end), end - start);
    return end;
  }

  protected override hasEnd(chunks: readonly Uint8Array[]): boolean {
    if (this.#lengthBytes < LENGTH_BYTES) return true;
    const missing = this.#length - this.carry.totalBytes;
    return chunks.reduce((sum, { length }) => sum + length, 0) >= missing;
  }

  protected override takeIncomplete(): readonly Uint8Array[] {
    if (this.#lengthBytes === 0) return [];
    const head = Buffer.alloc(this.#lengthBytes);
    head.writeUIntBE(this.#length, 0, this.#lengthBytes);
    const bytes = this.carry.bytes();
    this.#reset();
    return [head, bytes];
  }

  #emit(part: Uint8Array): void {
    const { carry } = this;
    const isInOneChunk = carry.isEmpty;
    if (!isInOneChunk) carry.append(part);
    this.#emitFrame(isInOneChunk ? part : carry.bytes(), this.#length);
    this.#reset();
  }

  #emitFrame(bytes: Uint8Array, length: number): void {
    if (length > this.maxObjectBytes) this.sink.onOversized(bytes, length);
    else this.sink.onDocument(bytes);
  }

  #reset(): void {
    this.carry.clear();
    this.#lengthBytes = 0;
    this.#length = 0;
  }
}
