const CR = 0x0d;
const LF = 0x0a;

/** Digits of a chunk's size; more are left to Node. */
const MAX_DIGITS = 7;

/** No size begins with it, so that Node reports the chunk as invalid. */
const NOT_A_SIZE = Buffer.from('?');

export interface ChunkedPiece {
  /** What the chunks contain. */
  readonly data: Uint8Array;
  /** What is not decoded here, from the size of a chunk on, if that was reached. */
  readonly rest: Uint8Array | undefined;
}

/**
 * Decodes the chunked transfer coding of HTTP/1.1 (RFC 9112, 7.1), as far as servers use it in the middle of a body: a
 * hexadecimal size, CRLF, as many bytes, CRLF. Everything else is the rest: the last chunk, a chunk with extensions,
 * and what is invalid.
 */
export class ChunkedBody {
  /** Bytes of the present chunk that are still to come. */
  #left = 0;
  /** Bytes of the CRLF after a chunk that are still to come. */
  #endLeft = 0;
  /** The size of the next chunk, as far as it was received. */
  #size = '';

  /** `data` is in the memory of `bytes`, from which what is between chunks is removed. */
  decode(bytes: Buffer): ChunkedPiece {
    let at = 0;
    // Of the data.
    let start = 0;
    let end = 0;
    while (at < bytes.length) {
      if (this.#left > 0) {
        const length = Math.min(this.#left, bytes.length - at);
        if (end === start) {
          start = at;
          end = at;
        } else if (end !== at) bytes.copyWithin(end, at, at + length);
        end += length;
        at += length;
        this.#left -= length;
        if (this.#left === 0) this.#endLeft = 2;
      } else if (this.#endLeft > 0) {
        if (bytes[at] !== (this.#endLeft === 2 ? CR : LF)) {
          const rest = Buffer.concat([NOT_A_SIZE, bytes.subarray(at)]);
          return { data: bytes.subarray(start, end), rest };
        }
        this.#endLeft--;
        at++;
      } else {
        const lineEnd = this.#takeSize(bytes, at);
        if (lineEnd === undefined) {
          const rest = Buffer.concat([Buffer.from(this.#size, 'latin1'), bytes.subarray(at)]);
          return { data: bytes.subarray(start, end), rest };
        }
        at = lineEnd;
      }
    }
    return { data: bytes.subarray(start, end), rest: undefined };
  }

  /** Returns the end of the line, or of the bytes; undefined if this is not the size of a chunk with data. */
  #takeSize(bytes: Buffer, from: number): number | undefined {
    const lf = bytes.indexOf(LF, from);
    const end = lf < 0 ? bytes.length : lf + 1;
    // CR and LF.
    if (this.#size.length + end - from > MAX_DIGITS + 2) return undefined;
    const line = this.#size + bytes.toString('latin1', from, end);
    if (lf < 0) {
      if (!INCOMPLETE_SIZE.test(line)) return undefined;
      this.#size = line;
      return end;
    }
    const size = SIZE.test(line) ? Number.parseInt(line, 16) : 0;
    if (size === 0) return undefined;
    this.#size = '';
    this.#left = size;
    return end;
  }
}

const SIZE = /^[0-9A-Fa-f]+\r\n$/;
const INCOMPLETE_SIZE = /^[0-9A-Fa-f]*\r?$/;
