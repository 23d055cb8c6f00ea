/** Reads protobuf's wire format from untrusted bytes. */

/** The bytes are not valid protobuf. The messages of this file are those of Go's decoder; none contains data. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

export const WIRE_TYPES = {
  varint: 0,
  fixed64: 1,
  bytes: 2,
  startGroup: 3,
  endGroup: 4,
  fixed32: 5,
} as const;

/** Seven bits a byte: ten bytes hold 64 bits. */
const VARINT_MAX_BYTES = 10;
const TWO_TO_32 = 2 ** 32;

/**
 * Goes forward only: a tag, then its value or `skip`.
 *
 *   tag      varint    field number << 3 | wire type
 *   varint   7 bits a byte, lowest first; a set high bit says that another byte follows
 *   bytes    varint length, then as many bytes: strings, messages, packed lists
 */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;
  #field = 0;
  #wireType = 0;
  /** The last varint, in halves of 32 bits. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Of the last tag. */
  get field(): number {
    return this.#field;
  }

  /** Of the last tag. */
  get wireType(): number {
    return this.#wireType;
  }

  /** `message` is for the error only. */
  readTag(message: string): void {
    this.#varint();
    this.#wireType = this.#low & 7;
    this.#field = (this.#low >>> 3) | (this.#high << 29);
    if (this.#wireType === WIRE_TYPES.endGroup) {
      throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`);
    }
    if (this.#field <= 0) {
      throw new ProtobufError(
        `proto: ${message}: illegal tag ${this.#field} (wire type ${this.#unsigned()})`,
      );
    }
  }

  /** `name` is for the error only. */
  expect(wireType: number, name: string): void {
    if (this.#wireType !== wireType) {
      throw new ProtobufError(`proto: wrong wireType = ${this.#wireType} for field ${name}`);
    }
  }

  /** Takes the low 32 bits, as the generated Go code does. */
  int32(): number {
    this.#varint();
    return this.#low;
  }

  /** A bigint if a number would not be exact. */
  int64(): number | bigint {
    this.#varint();
    const value = this.#high * TWO_TO_32 + (this.#low >>> 0);
    if (Number.isSafeInteger(value)) return value;
    return BigInt.asIntN(64, this.#unsigned());
  }

  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  double(): number {
    const start = this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  /** Like `bytes`, but accepts a field that ends beyond the input, and returns what there is of it. */
  availableBytes(): { readonly bytes: Buffer; readonly isComplete: boolean } {
    this.#varint();
    const length = (this.#high >>> 0) * TWO_TO_32 + (this.#low >>> 0);
    const start = this.#at;
    const isComplete = length <= this.#bytes.length - start;
    this.#at = isComplete ? start + length : this.#bytes.length;
    return { bytes: this.#bytes.subarray(start, this.#at), isComplete };
  }

  /** A view, not a copy. */
  bytes(): Buffer {
    this.#varint();
    if (this.#high < 0) throw new ProtobufError('proto: negative length found during unmarshaling');
    const length = this.#high * TWO_TO_32 + (this.#low >>> 0);
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Skips the value of the last tag. Kubernetes' messages have no groups, but Go skips them too. */
  skip(): void {
    let depth = 0;
    for (;;) {
      depth += this.#skipOne(depth);
      if (depth === 0) return;
      this.#varint();
      this.#wireType = this.#low & 7;
    }
  }

  /** Returns the change of the depth of groups. */
  #skipOne(depth: number): number {
    switch (this.#wireType) {
      case WIRE_TYPES.varint:
        this.#varint();
        return 0;
      case WIRE_TYPES.fixed64:
        this.#advance(8);
        return 0;
      case WIRE_TYPES.bytes:
        this.bytes();
        return 0;
      case WIRE_TYPES.fixed32:
        this.#advance(4);
        return 0;
      case WIRE_TYPES.startGroup:
        return 1;
      case WIRE_TYPES.endGroup:
        if (depth === 0) throw new ProtobufError('proto: unexpected end of group');
        return -1;
      default:
        throw new ProtobufError(`proto: illegal wireType ${this.#wireType}`);
    }
  }

  #varint(): void {
    let low = 0;
    let high = 0;
    for (let index = 0; index < VARINT_MAX_BYTES; index++) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      this.#at++;
      const shift = index * 7;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      // The fifth byte, at bit 28, belongs to both halves.
      if (shift === 28) high |= bits >>> 4;
      else if (shift > 32) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new ProtobufError('proto: integer overflow');
  }

  #unsigned(): bigint {
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
  }

  /** Returns the start of that many bytes. */
  #advance(length: number): number {
    const start = this.#at;
    if (length > this.#bytes.length - start) throw new ProtobufError('unexpected EOF');
    this.#at = start + length;
    return start;
  }
}
