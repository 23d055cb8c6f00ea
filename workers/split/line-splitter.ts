import { EventSplitter } from './event-splitter.js';
import { isWhiteSpace } from './json-bytes.js';

const NEWLINE = 0x0a;

/**
 * Splits the body of a watch in JSON at its newlines, wherever the chunks end. JSON contains no raw newline, so nothing
 * else has to be looked at. An event within one chunk is a view of it; only one that spans chunks is copied.
 */
export class LineSplitter extends EventSplitter {
  protected override split(chunk: Uint8Array): void {
    const buffer = toBuffer(chunk);
    let start = 0;
    for (let end = buffer.indexOf(NEWLINE); end !== -1; end = buffer.indexOf(NEWLINE, start)) {
      const line = buffer.subarray(start, end);
      start = end + 1;
      if (this.carry.isEmpty) this.#emit(line);
      else this.#emitCarried(line);
    }
    if (start < buffer.length) this.carry.append(buffer.subarray(start));
  }

  override end(): 'complete' | 'truncated' {
    const isComplete = this.carry.bytes().every(isWhiteSpace);
    this.carry.clear();
    return isComplete ? 'complete' : 'truncated';
  }

  protected override splitOne(piece: Buffer, position: number): number | undefined {
    const end = piece.indexOf(NEWLINE, position);
    if (end === -1) return undefined;
    this.#emit(piece.subarray(position, end));
    return end + 1;
  }

  protected override hasEnd(chunks: readonly Uint8Array[]): boolean {
    return chunks.some((chunk) => toBuffer(chunk).includes(NEWLINE));
  }

  protected override takeIncomplete(): readonly Uint8Array[] {
    if (this.carry.isEmpty) return [];
    const bytes = this.carry.bytes();
    this.carry.clear();
    return [bytes];
  }

  #emit(line: Uint8Array): void {
    if (line.length > this.maxObjectBytes) this.sink.onOversized(line, line.length);
    else if (line.length > 1 || !line.every(isWhiteSpace)) this.sink.onDocument(line);
  }

  #emitCarried(rest: Uint8Array): void {
    const { carry } = this;
    carry.append(rest);
    if (carry.isOversized) this.sink.onOversized(carry.bytes(), carry.totalBytes);
    else this.#emit(carry.bytes());
    carry.clear();
  }
}

/** Buffer's indexOf is memchr; that of a Uint8Array is not. */
function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
